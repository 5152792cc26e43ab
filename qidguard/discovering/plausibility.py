"""How plausibly an outsider knows a column of a person, from what recognizers and a policy say of it."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from qidguard.auditing.kinds import kind_of
from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.kind import KIND_WORDS, ColumnKind, KindAssignment
from qidguard.core.role import DecidedBy, Role
from qidguard.discovering.found import Plausibility

if TYPE_CHECKING:
    from qidguard.auditing.roles import Recognition
    from qidguard.policy import Policy

WIDE = 15
"""Candidates up to which every set can be tried; a table with more is wide."""

NAMED_SHARE = 0.1
"""The share of columns of which names must tell a role. Where fewer do, that nobody calls a column a
quasi-identifier is no evidence against it, and preferring the few that are called so would lose others."""

KNOWN = 1.0
"""A column that a person or a recognizer calls a quasi-identifier: outsiders are taken to know it."""
ASKED = 0.8
"""A column of which a person is asked whether it is one: more likely so than what nothing points to."""
OPEN = 0.5
"""A column of few, plain values that nobody calls one: counts cannot say who knows it."""
UNLIKELY = 0.1
"""A column of exact amounts, free text, keys or decimals: hardly anybody outside holds the same value,
however well it tells people apart. Not 0, for one that alone tells people apart shall still be found."""

_UNLIKELY_KINDS = {ColumnKind.AMOUNT, ColumnKind.TEXT, ColumnKind.KEY}

OWN_VALUES = 0.9
"""The variety from which nearly every record has a value of its own, as a key has; dates are no keys."""

_DATED = {ValueType.DATE, ValueType.TIMESTAMP}
_DATED_KINDS = {ColumnKind.DATE, ColumnKind.PERIOD, ColumnKind.PLACE}


def plausibilities(
    columns: Iterable[ColumnFacts], recognition: "Recognition", policy: "Policy | None" = None
) -> Mapping[str, Plausibility]:
    """Return the plausibility of columns.

    Args:
        columns: The columns.
        recognition: What recognizers say of them.
        policy: What a person says of them.

    Returns:
        Column → its plausibility, in the order given.

    Example:
        >>> from qidguard.auditing.roles import Recognition
        >>> facts = ColumnFacts(name="crp", value_type=ValueType.NUMBER, records=9, distinct=4, missing=0)
        >>> plausibilities([facts], Recognition(proposals={}))["crp"]
        Plausibility(share=0.1, why='decimals')
    """
    given = () if policy is None else policy.roles.places()
    stated = {column for field, _, column in given if field == "quasi_identifiers"}
    return {one.name: _plausibility(one, stated, recognition, policy) for one in columns}


def do_names_tell(columns: int, recognition: "Recognition", policy: "Policy | None" = None) -> bool:
    """Return whether names, or a person, tell the roles of enough of so many columns.

    Example:
        >>> from qidguard.auditing.roles import Recognition
        >>> do_names_tell(20, Recognition(proposals={}))
        False
    """
    told = {
        name for name, one in recognition.proposals.items() if one.assignment.decided_by is DecidedBy.LEXICON
    }
    given = () if policy is None else policy.roles.places()
    told |= {column for _, _, column in given}
    return len(told) >= NAMED_SHARE * columns


def _plausibility(
    facts: ColumnFacts, stated: set[str], recognition: "Recognition", policy: "Policy | None"
) -> Plausibility:
    if facts.name in stated:
        return Plausibility(share=KNOWN, why="the policy's QID")
    proposals = recognition.rivals.get(facts.name, ())
    if not proposals and facts.name in recognition.proposals:
        proposals = (recognition.proposals[facts.name],)
    qids = [one for one in proposals if one.assignment.role is Role.QUASI_IDENTIFIER]
    if any(one.is_sure for one in qids):
        return Plausibility(share=KNOWN, why="a proposed QID")
    if qids:
        return Plausibility(share=ASKED, why="perhaps a QID")
    return _by_kind(facts, kind_of(facts.name, policy, recognition.kinds.get(facts.name)))


def _by_kind(facts: ColumnFacts, known: KindAssignment | None) -> Plausibility:
    kind = None if known is None else known.kind
    if kind is not None and kind in _UNLIKELY_KINDS:
        return Plausibility(share=UNLIKELY, why=KIND_WORDS[kind])
    if facts.value_type is ValueType.NUMBER and kind in {None, ColumnKind.COUNT}:
        return Plausibility(share=UNLIKELY, why="decimals")
    is_dated = facts.value_type in _DATED or kind in _DATED_KINDS
    if facts.variety >= OWN_VALUES and not is_dated:
        return Plausibility(share=UNLIKELY, why="a value of its own in nearly every record")
    return Plausibility(share=OPEN, why="nothing known" if kind is None else KIND_WORDS[kind])

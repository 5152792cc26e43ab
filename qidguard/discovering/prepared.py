"""A search that is ready to run: candidates, objective, strategy and the way figures are measured."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from qidguard.auditing.candidates import left_out
from qidguard.auditing.lexicon_and_codebook import NOTHING, ReadBeside
from qidguard.auditing.recognizing import Recognition, kind_of, recognize
from qidguard.auditing.weighing import AttributeColumns, WeighedObjective, weigh
from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.errors import UserError
from qidguard.core.kind import KIND_WORDS, ColumnKind, KindAssignment
from qidguard.core.naming import did_you_mean
from qidguard.core.progress import SILENT, Progress
from qidguard.core.role import DecidedBy, Role
from qidguard.discovering.choosing import Chosen, choose, sets_up_to
from qidguard.discovering.found import Plausibility
from qidguard.engines.base import Table
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.search.objective import Objective
from qidguard.search.preference import Preference

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Policy


RANKED = 10
"""How many sets come back where nobody says."""


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """A search as it was asked for; see ``qidguard.discover`` for what each field means."""

    host: "Host"
    policy: "Policy | None" = None
    beside: ReadBeside = NOTHING
    strategy: str | None = None
    objective: str | Objective | Mapping[str, float] = "recognition"
    weights: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    arguments: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    seed: int = 0
    budget_seconds: float | None = None
    candidates: Iterable[str] | None = None
    largest: int | None = None
    truth: Iterable[str] | None = None
    attributes: AttributeColumns = field(default_factory=AttributeColumns)
    ranked: int = RANKED
    is_pareto: bool = False
    prefer_known: bool | None = None
    has_rival: bool = True
    """Whether it is searched, too, what would be best without a preference."""
    progress: Progress = SILENT
    label: str = ""
    engine: str = ""

    def __post_init__(self) -> None:
        largest = 1 if self.largest is None else self.largest
        for name, value in (("seed", self.seed), ("ranked", self.ranked), ("largest", largest)):
            given: object = value  # whatever a caller without a type checker gave
            if isinstance(given, bool) or not isinstance(given, int):
                raise UserError(f"{name} must be a whole number, not {given!r}; correct it")
        prefers: object = self.prefer_known
        if prefers is not None and not isinstance(prefers, bool):
            raise UserError(f"prefer_known must be True, False or None, not {prefers!r}; correct it")
        strategy: object = self.strategy
        if strategy is not None and not isinstance(strategy, str):
            raise UserError(f"strategy must be a name, not {strategy!r}; see: qidguard plugins")


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """What a search runs on.

    Args:
        asked: What was asked for.
        table: The opened table.
        recognition: What recognizers say of the columns.
        candidates: The columns that are searched, in the table's order.
        without: Column → why it is no candidate.
        truth: The true quasi-identifiers, or None.
        weighed: The objective and its figures.
        chosen: The strategy.
        largest: The largest number of columns a set may have.
        measurer: Measures the figures; its plan says how.
        started: When the work began, by ``time.perf_counter``.
        plausible: Candidate → how plausibly outsiders know it; empty where that changes nothing.
    """

    asked: SearchRequest
    table: Table
    recognition: Recognition
    candidates: tuple[str, ...]
    without: Mapping[str, str]
    truth: tuple[str, ...] | None
    weighed: WeighedObjective
    chosen: Chosen
    largest: int
    measurer: SubsetMeasurer
    started: float
    plausible: Mapping[str, Plausibility] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def preference(self) -> Preference | None:
        """What multiplies the fitness of sets; None where nothing does."""
        if not self.plausible:
            return None
        return Preference({name: one.share for name, one in self.plausible.items()})


def prepare(table: Table, asked: SearchRequest, started: float) -> Prepared:
    """Check everything that can be wrong with a search before it runs.

    Raises:
        UserError: When a column, an objective, a strategy or a parameter does not exist or does not fit.
        PluginError: When a plugin is broken or missing.
    """
    every = tuple(facts.name for facts in table.columns)
    recognition = recognize(table, asked.host, asked.beside)
    attributes = _attribute_columns(asked, every)
    without = _without(table, recognition, asked, attributes)
    candidates = tuple(name for name in every if name not in without)
    if not candidates:
        whys = "; ".join(f"{name!r}: {why}" for name, why in list(without.items())[:3])
        raise UserError(f"no column is left to be searched ({whys}); name some as candidates")
    truth = None if asked.truth is None else named(asked.truth, every, "truth")
    largest = len(candidates) if asked.largest is None else min(asked.largest, len(candidates))
    weighed = weigh(asked.objective, asked.host, weights=asked.weights, attributes=attributes)
    chosen = choose(
        asked.strategy,
        asked.arguments,
        sets=sets_up_to(len(candidates), largest),
        questions=weighed.questions,
        host=asked.host,
        is_pareto=asked.is_pareto,
    )
    measurer = SubsetMeasurer(
        table,
        candidates,
        weighed.questions,
        expected_sets=chosen.expected_sets,
        progress=SILENT,  # the search itself says where it stands
        is_hurried=asked.budget_seconds is not None,
    )
    return Prepared(
        asked=asked,
        table=table,
        recognition=recognition,
        candidates=candidates,
        without=without,
        truth=truth,
        weighed=weighed,
        chosen=chosen,
        largest=largest,
        measurer=measurer,
        started=started,
        plausible=_plausible(table, recognition, asked, candidates),
    )


def _attribute_columns(asked: SearchRequest, every: tuple[str, ...]) -> AttributeColumns:
    """Return the columns that metrics are measured beside; what the caller names goes before the policy."""
    mine, roles = asked.attributes, None if asked.policy is None else asked.policy.roles
    target = mine.target or (roles.target if roles else None)
    treatment = mine.treatment or (roles.treatment if roles else None)
    sensitive = mine.sensitive or (tuple(roles.sensitive) if roles else ())
    for what, columns in (("target", (target,)), ("treatment", (treatment,)), ("sensitive", sensitive)):
        named([column for column in columns if column is not None], every, what)
    if target is not None and target == treatment:
        raise UserError(f"{target!r} cannot be the target and the treatment; name two columns")
    return AttributeColumns(target=target, treatment=treatment, sensitive=sensitive)


def _plausible(
    table: Table, recognition: Recognition, asked: SearchRequest, candidates: tuple[str, ...]
) -> Mapping[str, Plausibility]:
    """Return how plausibly outsiders know each candidate; empty where none is preferred to another one."""
    is_wide = len(candidates) > WIDE and do_names_tell(len(table.columns), recognition, asked.policy)
    if not (is_wide if asked.prefer_known is None else asked.prefer_known):
        return MappingProxyType({})
    facts = [one for one in table.columns if one.name in candidates]
    found = plausibilities(facts, recognition, asked.policy)
    differ = len({one.share for one in found.values()}) > 1
    return MappingProxyType(dict(found) if differ else {})


def _without(
    table: Table, recognition: Recognition, asked: SearchRequest, attributes: AttributeColumns
) -> dict[str, str]:
    every = tuple(facts.name for facts in table.columns)
    if asked.candidates is None:
        return left_out(table.columns, recognition, policy=asked.policy, attributes=attributes.words)
    chosen = named(asked.candidates, every, "candidates")
    for name in chosen:
        if name in attributes.words:
            why = attributes.words[name].removeprefix("it ")
            raise UserError(f"candidates: {name!r} {why}, and metrics are measured beside it; name it once")
    return {name: "it is not among the candidates named" for name in every if name not in chosen}


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
        >>> from qidguard.auditing.recognizing import Recognition
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
        >>> from qidguard.auditing.recognizing import Recognition
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


def named(columns: Iterable[str], every: Collection[str], what: str) -> tuple[str, ...]:
    """Return columns in the table's order, one text being one name; UserError for one that the table lacks.

    Example:
        >>> named(["b", "a"], ["a", "b", "c"], "candidates")
        ('a', 'b')
    """
    wanted = [columns] if isinstance(columns, str) else list(columns)
    for name in wanted:
        if name not in every:
            hint = did_you_mean(str(name), every, is_listed=False) or "look at its header"
            raise UserError(f"{what}: the table has no column {name!r}; {hint}")
    return tuple(name for name in every if name in wanted)

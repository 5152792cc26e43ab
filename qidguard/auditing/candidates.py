"""Candidates: the columns among which quasi-identifiers are searched, and why the others are not."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from qidguard.core.column import ColumnFacts
from qidguard.core.role import Role

if TYPE_CHECKING:
    from qidguard.auditing.recognizing import Recognition
    from qidguard.policy import Policy

_ROLES = {
    "direct_identifiers": "a direct identifier",
    "sensitive": "sensitive",
    "insensitive": "insensitive",
    "target": "the target",
    "treatment": "the treatment",
    "entity": "the entity",
    "weight": "the weight",
}

_NO_QIDS = {
    Role.SENSITIVE: "sensitive",
    Role.TARGET: "the target",
    Role.TREATMENT: "the treatment",
    Role.WEIGHT: "the sampling weight",
}
"""What is no quasi-identifier where recognizers are sure of it; a QID that is sensitive, too, stays one."""


def left_out(
    columns: Sequence[ColumnFacts],
    recognition: "Recognition",
    *,
    policy: "Policy | None" = None,
    attributes: Mapping[str, str] | None = None,
    decided: Collection[str] = (),
) -> dict[str, str]:
    """Return the columns that cannot be quasi-identifiers, each with why, in the table's order.

    Args:
        columns: The table's columns.
        recognition: What recognizers say: a direct identifier is no quasi-identifier, and where they are sure
            a sensitive attribute, a target, a treatment or a weight is none.
        policy: The policy; what it calls something else than a quasi-identifier is left out.
        attributes: Column → what it is called, for columns beside which metrics are measured.
        decided: Further columns on which a person decided.

    Returns:
        Column → why it is no candidate; every other column is one.

    Example:
        >>> from qidguard.auditing.recognizing import Recognition
        >>> from qidguard.core.column import ValueType
        >>> facts = ColumnFacts(name="site", value_type=ValueType.TEXT, records=9, distinct=1, missing=0)
        >>> left_out([facts], Recognition(proposals={}))
        {'site': 'it has one value only'}
    """
    called = _called(policy) | dict(attributes or {}) | dict.fromkeys(decided, "a person decided on it")
    reasons = {}
    for facts in columns:
        proposal = recognition.proposals.get(facts.name)
        if facts.name in called:
            reasons[facts.name] = called[facts.name]
        elif proposal is not None and proposal.assignment.role is Role.DIRECT_IDENTIFIER:
            reasons[facts.name] = f"it looks like a direct identifier: {proposal.assignment.reason}"
        elif proposal is not None and proposal.is_sure and proposal.assignment.role in _NO_QIDS:
            what = _NO_QIDS[proposal.assignment.role]
            reasons[facts.name] = f"recognizers call it {what}: {proposal.assignment.reason}".rstrip(": ")
        elif facts.groups <= 1:
            reasons[facts.name] = "it has one value only"
    return reasons


def _called(policy: "Policy | None") -> dict[str, str]:
    """Return column → why, for what a policy calls something else than a quasi-identifier."""
    if policy is None:
        return {}
    reasons = dict.fromkeys(policy.dropped_columns, "the policy drops it before publication")
    for field, _, column in policy.roles.places():
        if field in _ROLES:
            reasons.setdefault(column, f"the policy says that it is {_ROLES[field]}")
    return reasons

"""A new table under the policy of its source: what of that still applies, and whether it is accepted."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from qidguard.core.new_table import NewTableFacts
from qidguard.core.outside import OutsideQids
from qidguard.core.verdict import Block

if TYPE_CHECKING:
    from qidguard.auditing.demands import Demand
    from qidguard.policy import Policy

RULE = "new_table"
"""What blocks a new table that the policy does not accept."""

NOTHING_OUTSIDE = OutsideQids()
"""What is published outside the QIDs of a new table tells nobody apart, since none of it is a person's."""


def unaccepted(policy: "Policy", told: NewTableFacts | None) -> list[Block]:
    """Return a block for a new table that the policy does not accept, or not without a guarantee."""
    if told is None:
        return []
    output = "records" if policy.remedy is None else policy.remedy.output
    if output == "new_table_without_guarantee" or (output == "new_table" and told.is_guaranteed):
        return []
    sentence = (
        "The new table has no guarantee of differential privacy, and nothing else protects anybody in it;"
        " take an anonymizer that draws noise, or accept one without by remedy: output:"
        " new_table_without_guarantee."
    )
    if output == "records":
        wanted = "new_table" if told.is_guaranteed else "new_table_without_guarantee"
        sentence = (
            f"What would be published is new ({told.title}), so thresholds on class sizes protect nobody in"
            " it, and the policy accepts records of the source only; write remedy: output:"
            f" {wanted} to accept it."
        )
    return [Block(rule=RULE, sentence=sentence)]


def policy_of_new_table(policy: "Policy", told: NewTableFacts, names: Iterable[str]) -> "Policy":
    """Return what a policy says of the columns of a new table, in which nobody has records.

    The counts of a table of counts are insensitive: what they may tell is what noise protects.
    """
    known = set(names)

    def left(columns: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in columns if name in known)

    def still(column: str | None) -> str | None:
        return column if column in known else None

    roles = policy.roles
    counts = () if told.counts is None else (told.counts,)
    of_table = roles.model_copy(
        update={
            "quasi_identifiers": roles.quasi_identifiers if roles.is_auto else left(roles.qids),
            "sensitive": left(roles.sensitive),
            "direct_identifiers": (),
            "insensitive": (*left(roles.insensitive), *counts),
            "target": still(roles.target),
            "treatment": still(roles.treatment),
            "entity": None,
            "weight": still(roles.weight),
        }
    )
    combinations = (
        c.model_copy(update={"quasi_identifiers": left(c.quasi_identifiers)})
        for c in policy.combinations
        if left(c.quasi_identifiers)
    )
    return policy.narrowed(
        {
            "roles": of_table,
            "combinations": tuple(combinations),
            "accepted": (),
            "hierarchies": {name: by for name, by in policy.hierarchies.items() if name in known},
            "kinds": {name: kind for name, kind in policy.kinds.items() if name in known},
            "evidence": policy.evidence.model_copy(
                update={"columns": {n: why for n, why in policy.evidence.columns.items() if n in known}}
            ),
            "release": policy.release.model_copy(update={"drop": left(policy.release.drop)}),
            "series": None,
            "sampling_fraction": None,
        }
    )


def gap_of(asked: "Iterable[Demand]", qids: Sequence[str], names: Iterable[str]) -> str:
    """Return what a new table lacks that the policy's thresholds are measured on; empty where nothing.

    Args:
        asked: What the policy asks of the source.
        qids: The QIDs of the source.
        names: The columns of the new table.
    """
    known = set(names)
    if not known & set(qids):
        return "it publishes no quasi-identifier, so no threshold can be measured on it"
    beside = (demand.question.attribute for demand in asked if demand.limit.is_blocking)
    lacking = next((name for name in beside if name is not None and name not in known), None)
    if lacking is None:
        return ""
    return f"it leaves out the column {lacking!r}, beside which the policy measures a threshold"

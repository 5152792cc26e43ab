"""Thresholds on sensitive columns of other tables, measured over the persons joined to them."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from qidguard.auditing.context import needs
from qidguard.auditing.demands import Demand, demands
from qidguard.auditing.linked.joining import joined_name
from qidguard.core.verdict import Block, ThresholdResult
from qidguard.engines.base import ReadOptions
from qidguard.measuring.evaluator import measure

if TYPE_CHECKING:
    from qidguard.auditing.context import AuditContext
    from qidguard.engines.base import Snapshot
    from qidguard.engines.linked import LinkedCopy
    from qidguard.policy import Policy, Threshold

RULE = "linked tables"


def sensitive_blocks(
    context: "AuditContext",
    policy: "Policy",
    linked: "LinkedCopy",
    persons: "Snapshot",
    qids: tuple[str, ...],
) -> list[Block]:
    """Return a block for each threshold that a sensitive column of another table misses.

    It is measured over every record of every person, and persons count: who has a value in any record has it.
    Whoever has no record has none of its values, which is one more.

    Args:
        context: The limits of the work.
        policy: The policy; its thresholds per sensitive attribute count.
        linked: The tables.
        persons: The persons as they would be published.
        qids: The quasi-identifiers of the main combination.
    """
    blocks = []
    for child in linked.children:
        written = policy.tables[child.table.name]
        for column in written.sensitive:
            name = joined_name(child.table.name, column)
            asked = tuple(_asked(context, policy, qids, name, _made_of(written.per_person, column)))
            if not asked:
                continue
            with linked.joined(persons, child.table.name, (column,)) as joined:
                kept = tuple(dict.fromkeys((*(q for d in asked for q in d.question.qids), name)))
                wanted = needs(policy.model_copy(update={"population": None}), kept)
                table = context.engine.open(joined, ReadOptions(), wanted, context.settings)
                try:
                    figures = measure(table, [demand.question for demand in asked], context.progress)
                finally:
                    table.close()
            for demand, figure in zip(asked, figures, strict=True):
                result = ThresholdResult(limit=demand.limit, measurement=figure)
                if result.is_blocking:
                    blocks.append(Block(rule=RULE, sentence=_sentence(result, name)))
    return blocks


def _made_of(per_person: "Mapping[str, object]", column: str) -> set[str]:
    return {own for own, one in per_person.items() if getattr(one, "column", None) == column}


def _asked(
    context: "AuditContext", policy: "Policy", qids: tuple[str, ...], name: str, made: set[str]
) -> Iterator[Demand]:
    """Yield what the policy asks of a sensitive attribute, asked of a column of another table."""

    def limits(threshold: "Threshold") -> bool:
        named = threshold.sensitive_columns
        return not named or bool(made & set(named))

    everything = (*policy.thresholds, *policy.preset_thresholds)
    chosen = tuple(
        threshold.model_copy(update={"sensitive": None})
        for threshold in everything
        if context.host.metric(threshold.metric).is_sensitive and limits(threshold)
    )
    if not chosen or not qids:
        return
    roles = policy.roles.model_copy(update={"sensitive": (name,)})
    alone = policy.narrowed(
        {"roles": roles, "thresholds": chosen, "preset": None, "combinations": (), "population": None}
    )
    for demand in demands(alone, qids, context.host):
        metric = demand.question.metric
        if not (metric.needs_history or metric.needs_original):
            yield demand


def _sentence(result: ThresholdResult, name: str) -> str:
    figure, limit = result.measurement, result.limit
    bound = "at least" if limit.bound.value == "at_least" else "at most"
    value = "unknown" if figure.value is None else f"{figure.value:.6g}"
    return (
        f"Joined to the persons, {name!r} has {figure.metric} {value}, and the policy asks for {bound}"
        f" {limit.value:g}. Coarsen or drop it, or make classes larger."
    )

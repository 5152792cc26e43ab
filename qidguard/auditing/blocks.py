"""Doubts: reasons to block that are no threshold."""

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from qidguard.auditing.demands import Demand
from qidguard.auditing.spelling import not_normalized
from qidguard.core.metric import Direction
from qidguard.core.verdict import Block
from qidguard.engines.base import Table

if TYPE_CHECKING:
    from qidguard.policy import Policy


def doubts(
    table: Table,
    policy: "Policy",
    qids: tuple[str, ...],
    asked: tuple[Demand, ...],
) -> list[Block]:
    """Return a block for everything that keeps the figures from meaning what they say."""
    blocks: list[Block] = []
    if policy.is_auto and not qids:
        sentence = "No column was recognized as a quasi-identifier; name them in roles.quasi_identifiers."
        blocks.append(Block(rule="quasi_identifiers", sentence=sentence))
    others = (qid for combination in policy.combinations for qid in combination.quasi_identifiers)
    blocks += _unjudged(asked, tuple(dict.fromkeys((*qids, *others))))
    blocks += _odd_entities(table, policy)
    blocks += _entities_alike(table, policy)
    blocks += not_normalized(table, policy)
    if table.missing_entities:
        sentence = (
            f"The entity column {policy.roles.entity!r} is missing in {table.missing_entities:,} of"
            f" {table.records:,} records, so persons cannot be counted; fill it in or drop these records."
        )
        blocks.append(Block(rule="entity", sentence=sentence))
    return blocks


def overdue(policy: "Policy", today: date) -> list[Block]:
    """Return a block for a policy, or an attestation in it, whose date does not fit today."""
    blocks = []
    if policy.review_by is not None and policy.review_by < today:
        sentence = f"The policy was to be reviewed by {policy.review_by}; review it and move the date."
        blocks.append(Block(rule="review_by", sentence=sentence))
    for attestation in policy.attestations:
        if attestation.on > today:
            sentence = f"An attestation is dated {attestation.on}, which is yet to come; correct the date."
            blocks.append(Block(rule="attestations", sentence=sentence))
    return blocks


def _unjudged(asked: tuple[Demand, ...], qids: tuple[str, ...]) -> list[Block]:
    """Return a block for QIDs that no threshold on the safe side covers: nothing limits what they reveal.

    A threshold that only warns covers none.
    """
    covered = {
        qid
        for demand in asked
        if demand.limit.is_blocking
        and demand.question.metric.direction is not Direction.NEITHER
        and not demand.question.metric.needs_rest
        for qid in demand.question.qids
    }
    left = [qid for qid in qids if qid not in covered]
    if not left:
        return []
    names = ", ".join(map(repr, left))
    sentence = (
        f"No threshold on risk covers the quasi-identifiers {names}; add one that blocks to thresholds, or"
        " name them in a combination that has one."
    )
    return [Block(rule="thresholds", sentence=sentence)]


def _odd_entities(table: Table, policy: "Policy") -> list[Block]:
    """Return a block for entities that look like missing ones: such a record may be anybody's."""
    odd = sum(f.not_a_number + f.undeclared_missing for f in table.columns if f.name == policy.roles.entity)
    if not odd:
        return []
    sentence = (
        f"The entity column {policy.roles.entity!r} holds NaN or a text such as ? or NA in {odd:,} records,"
        " so persons cannot be counted; fill it in or drop these records."
    )
    return [Block(rule="entity", sentence=sentence)]


def _entities_alike(table: Table, policy: "Policy") -> list[Block]:
    """Return a block for entities that differ from others only in writing: one person may count as two."""
    entity, count = policy.roles.entity, getattr(table, "variants", None)
    if entity is None or count is None or all(facts.name != entity for facts in table.columns):
        return []  # a re-audit reads what was published, which may be without it
    return [Block(rule="entity", sentence=found.of_persons) for found in count((entity,))]


def missing_population(policy: "Policy", asked: Sequence[Demand]) -> list[str]:
    """Return a sentence for each metric that is measured against what the policy does not give."""
    names = [d.question.metric.name for d in asked if d.question.metric.needs_population]
    if not names or policy.population is not None:
        return []
    metrics = ", ".join(dict.fromkeys(names))
    return [f"{metrics} cannot be measured without a population table; give the policy a population."]

"""Figures of a published release under today's policy: measured anew, or as they were measured then."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidguard.anonymize.hierarchy.digest import hierarchy_digests
from qidguard.core.measurement import Measurement
from qidguard.core.metric import Unit
from qidguard.core.verdict import Block, ThresholdResult
from qidguard.measure.evaluator import measure
from qidguard.releasing.basis import basis_now, basis_then
from qidguard.releasing.of_release import OfRelease
from qidguard.releasing.record import attacker_of

if TYPE_CHECKING:
    from qidguard.auditing.demands import Demand
    from qidguard.engines.base import Table
    from qidguard.releasing.job import Job


@dataclass(frozen=True, kw_only=True)
class Remeasured:
    """The figures that are known today, and a block for each that nobody can know any more."""

    results: tuple[ThresholdResult, ...]
    blocks: tuple[Block, ...]


def remeasure(job: "Job", table: "Table", asked: "Sequence[Demand]", record: Mapping[str, Any]) -> Remeasured:
    """Return the figures that today's policy asks of a published release.

    A figure is measured on what is published where that says the same as the source did: over columns that
    are published, in a table whose records are the persons. Metrics over time are measured on the keyed
    classes that the ledger keeps. Whatever else is taken from the record of the release, whose bytes have
    not changed since, if the same question was asked then, and persons were counted in the same way.
    """
    is_same_basis = basis_then(record) == basis_now(job)
    anew = [demand for demand in asked if _is_measurable(job, table, demand)]
    figures = dict(zip(map(id, anew), measure(table, [d.question for d in anew], job.progress), strict=True))
    results, blocks = [], []
    for demand in asked:
        figure = figures.get(id(demand)) or (_recorded(job, demand, record) if is_same_basis else None)
        if figure is None:
            blocks.append(_unknown(demand))
        else:
            results.append(ThresholdResult(limit=demand.limit, measurement=figure))
    return Remeasured(results=tuple(results), blocks=tuple(blocks))


def _is_measurable(job: "Job", table: "Table", demand: "Demand") -> bool:
    question = demand.question
    if question.metric.needs_history:
        # classes are kept for whole combinations, not for every part of one, nor for columns outside them
        kept = table.history.qids if isinstance(table.history, OfRelease) else ()
        return question.knows_any is None and any(set(qids) >= set(question.qids) for qids in kept)
    if question.metric.needs_original:
        return False  # what it was made from is not kept
    names = {facts.name for facts in table.columns}
    columns = {*question.qids, *((question.sensitive,) if question.sensitive else ())}
    is_weighted = job.policy.roles.weight is not None and job.policy.roles.weight not in names
    return job.policy.roles.entity is None and columns <= names and not is_weighted


def _recorded(job: "Job", demand: "Demand", record: Mapping[str, Any]) -> Measurement | None:
    """Return the figure that was measured for the same question when the release was made."""
    question, name = demand.question, demand.limit.combination
    then = next((c for c in record["attack"]["combinations"] if set(c["qids"]) == set(question.qids)), None)
    if then is None or then["attacker"] != attacker_of(job.policy, name):
        return None
    if question.metric.needs_original and not _is_same_hierarchies(job, record):
        return None  # a loss is read by the hierarchies
    arguments = json.dumps(dict(question.arguments), sort_keys=True)
    for said in record["risk_after"]["thresholds"]:
        is_same = (
            said["metric"] == question.metric.name
            and said["sensitive"] == question.sensitive
            and said["combination"] == then["name"]
            and json.dumps(said["arguments"], sort_keys=True) == arguments
        )
        if is_same and said["value"] is not None and not said["is_fault"]:
            return Measurement(
                metric=said["metric"],
                title=said["title"],
                value=said["value"],
                unit=said["unit"],
                qids=tuple(said["qids"]),
                sensitive=said["sensitive"],
                arguments=question.arguments,
                subsets=said["subsets"],
            )
    return None


def _is_same_hierarchies(job: "Job", record: Mapping[str, Any]) -> bool:
    """Return whether today's hierarchies are those of the release, the content of their files too."""
    then, now = record["policy"], job.policy.model_dump(mode="json")
    is_written_so = bool(then["document"].get("hierarchies") == now.get("hierarchies"))
    kept = then.get("hierarchies_sha256")
    # a release that needed no remedy read no file, and lost nothing by any hierarchy
    return is_written_so and (not kept or kept == hierarchy_digests(job.policy))


def _unknown(demand: "Demand") -> Block:
    question = demand.question
    of = f" of {question.sensitive!r}" if question.sensitive else ""
    word = "persons" if question.metric.unit is Unit.PERSONS else "the table"
    return Block(
        rule=question.metric.name,
        sentence=(
            f"{question.metric.name}{of} over {', '.join(question.qids)} was not measured when this was"
            f" released, and what is published no longer says enough of {word} to measure it; judge the"
            " source by today's policy, or withdraw the release."
        ),
    )

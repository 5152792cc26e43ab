"""Figures of a published release under today's policy: measured anew, or as they were measured then."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.hierarchy.policy import hierarchy_digests
from qidguard.core.measurement import Measurement
from qidguard.core.metric import Unit
from qidguard.core.noised import noised_text
from qidguard.core.verdict import Block, ThresholdResult
from qidguard.engines.base import WORDS_OF_VALUES
from qidguard.measuring.evaluator import measure
from qidguard.releasing.history.of_release import OfRelease
from qidguard.releasing.publishing.record import attacker_of, population_digest
from qidguard.rendering.document import noised_document

if TYPE_CHECKING:
    from qidguard.auditing.demands import Demand
    from qidguard.engines.base import Table
    from qidguard.releasing.context import ReleaseContext


@dataclass(frozen=True, kw_only=True)
class Remeasured:
    """The figures that are known today, and a block for each that nobody can know any more."""

    results: tuple[ThresholdResult, ...]
    blocks: tuple[Block, ...]


def remeasure(
    context: "ReleaseContext",
    table: "Table",
    asked: "Sequence[Demand]",
    record: Mapping[str, Any],
    basis: Mapping[str, Any],
) -> Remeasured:
    """Return the figures that today's policy asks of a published release.

    A figure is measured on what is published where that says the same as the source did: over columns that
    are published, in a table whose records are the persons. Metrics over time are measured on the keyed
    classes that the ledger keeps. Whatever else is taken from the record of the release, whose bytes have
    not changed since, if the same question was asked then, and persons were counted in the same way:
    ``basis`` is what today's policy makes of that.
    """
    is_same_basis = basis_then(record) == basis
    is_new = record["risk_after"].get("new_table") is not None
    anew = [d for d in asked if _is_measurable(context, table, d) and not (is_new and _is_of_persons(d))]
    figures = dict(
        zip(map(id, anew), measure(table, [d.question for d in anew], context.progress), strict=True)
    )
    results, blocks = [], []
    for demand in asked:
        figure = figures.get(id(demand)) or (_recorded(context, demand, record) if is_same_basis else None)
        if figure is None:
            blocks.append(_unknown(demand))
        else:
            results.append(ThresholdResult(limit=demand.limit, measurement=figure))
    return Remeasured(results=tuple(results), blocks=tuple(blocks))


def _is_of_persons(demand: "Demand") -> bool:
    """Whether persons are looked for in other tables, which no record of a new table is."""
    return demand.question.metric.needs_history or demand.question.metric.needs_population


def _is_measurable(context: "ReleaseContext", table: "Table", demand: "Demand") -> bool:
    question = demand.question
    if question.metric.needs_history:
        if question.metric.is_sensitive:
            return False  # who left since the release before is known of the newest release alone
        # classes are kept for whole combinations, not for every part of one, nor for columns outside them
        kept = table.history.qids if isinstance(table.history, OfRelease) else ()
        return question.knows_any is None and any(set(qids) >= set(question.qids) for qids in kept)
    if question.metric.needs_original:
        return False  # what it was made from is not kept
    names = {facts.name for facts in table.columns}
    columns = {*question.qids, *((question.attribute,) if question.attribute else ())}
    attribute = question.attribute
    if question.metric.needs_order and attribute in names and table.order(attribute or "").by is None:
        return False  # the order that its source declared, as a Categorical, is in no file
    is_weighted = context.policy.roles.weight is not None and context.policy.roles.weight not in names
    # of several tables the persons' has one record a person, and what is made of others is made again
    is_of_persons = context.policy.roles.entity is None or bool(context.policy.tables)
    return is_of_persons and columns <= names and not is_weighted


def _recorded(context: "ReleaseContext", demand: "Demand", record: Mapping[str, Any]) -> Measurement | None:
    """Return the figure that was measured for the same question when the release was made."""
    question, name = demand.question, demand.limit.combination
    noised = question.noised
    every = set(question.qids if noised is None else noised.every)
    read = "" if noised is None else noised_text(noised_document(noised))
    then = next((c for c in record["attack"]["combinations"] if set(c["qids"]) == every), None)
    if then is None or then["attacker"] != attacker_of(context.policy, name):
        return None
    if question.metric.needs_original and not _is_same_hierarchies(context, record):
        return None  # a loss is read by the hierarchies
    arguments = json.dumps(dict(question.arguments), sort_keys=True)
    for figure in record["risk_after"]["thresholds"]:
        is_same = (
            figure["metric"] == question.metric.name
            and figure["sensitive"] == question.attribute
            and figure["combination"] == then["name"]
            and (noised_text(figure["noised"]) if figure.get("noised") else "") == read
            and json.dumps(figure["arguments"], sort_keys=True) == arguments
        )
        if is_same and figure["value"] is not None and not figure["is_fault"]:
            return Measurement(
                metric=figure["metric"],
                title=figure["title"],
                value=figure["value"],
                unit=figure["unit"],
                qids=tuple(figure["qids"]),
                sensitive=figure["sensitive"],
                arguments=question.arguments,
                subsets=figure["subsets"],
                noised=noised,
            )
    return None


def _is_same_hierarchies(context: "ReleaseContext", record: Mapping[str, Any]) -> bool:
    """Return whether today's hierarchies are those of the release, the content of their files too."""
    then, now = record["policy"], context.policy.model_dump(mode="json")
    is_written_so = bool(then["document"].get("hierarchies") == now.get("hierarchies"))
    kept = then.get("hierarchies_sha256")
    # a release that needed no remedy read no file, and lost nothing by any hierarchy
    return is_written_so and (not kept or kept == hierarchy_digests(context.policy))


def _unknown(demand: "Demand") -> Block:
    question = demand.question
    of = f" of {question.attribute!r}" if question.attribute else ""
    word = "persons" if question.metric.unit is Unit.PERSONS else "the table"
    return Block(
        rule=question.metric.name,
        sentence=(
            f"{question.metric.name}{of} over {', '.join(question.qids)} was not measured when this was"
            f" released, and what is published no longer says enough of {word} to measure it; judge the"
            " source by today's policy, or withdraw the release."
        ),
    )


def basis_then(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the figures of a record rest on.

    Args:
        record: The internal record of a release.

    Returns:
        Plain values; figures with different ones answer different questions.

    Raises:
        KeyError: When the record lacks what every record holds.

    Example:
        >>> roles = {"entity": None, "weight": None}
        >>> document = {"roles": roles, "source": {}, "population": None, "sampling_fraction": None}
        >>> basis_then({"policy": {"document": document}, "attack": {}})["entity"] is None
        True
    """
    return _basis(record["policy"]["document"], record["attack"].get("population_sha256"))


def basis_now(context: "ReleaseContext") -> dict[str, Any]:
    """Return what today's policy makes figures rest on; the population is read for its digest.

    Args:
        context: The re-audit.

    Returns:
        Plain values, comparable with those of ``basis_then``.

    Raises:
        DataError: When the population cannot be read.
    """
    return _basis(context.policy.model_dump(mode="json"), population_digest(context))


def _basis(document: Mapping[str, Any], population_sha256: str | None) -> dict[str, Any]:
    roles, source, population = document["roles"], document["source"], document["population"]
    if population is not None:
        # where it lies may change, what is in it may not; and how it is read counts too
        population = {name: value for name, value in population.items() if name != "path"}
    return {
        "entity": roles["entity"],
        "weight": roles["weight"],
        # what an older version did not know was not said
        "read": [source.get(name) or None for name in WORDS_OF_VALUES],
        "order": document.get("order") or {},
        "population": population,
        "population_sha256": population_sha256,
        "sampling_fraction": document["sampling_fraction"],
    }

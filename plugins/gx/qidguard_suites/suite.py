"""A policy as an expectation suite: plain values, as a project's file holds them."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from qidguard.sdk import WORDS_OF_VALUES, Demand, GroupBy, Role, demands, load_host, value_digest
from qidguard_suites.embedded import batch_policy, policy_kwargs, seen_from_here

if TYPE_CHECKING:
    from qidguard.sdk import Policy


_MAIN = "default"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One expectation of a suite.

    Args:
        type: Its type, in snake_case.
        kwargs: What it is given; what equals the expectation's own default is left out.
        identity: What tells it from others of its type, its limit left aside.
        severity: ``critical`` where it blocks, ``warning`` where it only warns.
        notes: What Data Docs show below it; empty for nothing.
        meta: What is kept beside it of its policy.
    """

    type: str
    kwargs: Mapping[str, Any]
    identity: tuple[str, ...]
    severity: str = "critical"
    notes: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


def why_not_alone(policy: "Policy", demand: "Demand") -> str:
    """Return why a demand cannot be an expectation of its own; empty where it can."""
    metric = demand.question.metric
    reasons = (
        (metric.needs_history, "it is measured against earlier releases, when a table is released"),
        (
            metric.needs_original,
            "it is measured against the original, which is known where a table is released",
        ),
        (
            metric.attribute in {Role.TARGET, Role.TREATMENT, Role.WEIGHT},
            f"it is measured beside the {metric.attribute} column, which only the whole policy names",
        ),
        (
            metric.needs_population and policy.population is None,
            "it is measured against a population, and the policy names none",
        ),
        (
            metric.needs_rest,
            "it is measured over what is published outside the QIDs, which only the whole policy tells",
        ),
        (
            demand.reading == "left_out",
            "it leaves out columns with noise, which are known where a table is released",
        ),
        (policy.engine != "duckdb", "the policy names another engine"),
        (
            policy.unnamed_columns == "quasi_identifier" and demand.limit.combination == _MAIN,
            "which columns are quasi-identifiers is known when the table is there",
        ),
    )
    return next((sentence for is_so, sentence in reasons if is_so), "")


def line_of(policy: "Policy", demand: "Demand") -> Line:
    """Return the expectation of a demand: of a class of its own where there is one, else the general one."""
    question, limit = demand.question, demand.limit
    kwargs: dict[str, Any] = {"quasi_identifiers": list(question.qids)}
    if question.attribute is not None:
        kwargs["sensitive"] = question.attribute
    if policy.roles.entity is not None:
        kwargs["entity"] = policy.roles.entity
    kwargs |= _source(policy, demand.question.attribute) | _population(policy, demand)
    identity = (
        limit.combination,
        question.metric.name,
        question.attribute or "",
        json.dumps(dict(question.arguments), sort_keys=True),
        limit.bound.value,
    )
    notes = "" if limit.combination == _MAIN else f"Combination {limit.combination}."
    name = question.metric.name
    if name in _CLASSES and question.knows_any is None and limit.is_blocking:
        type_, stated = _CLASSES[name]
        kwargs |= {limit.bound.value: limit.value, **stated}
        if name in _ARGUMENTS:
            parameter, called = _ARGUMENTS[name]
            kwargs[called] = question.arguments[parameter]
        return Line(type=type_, kwargs=kwargs, identity=identity, notes=notes)
    return Line(
        type="expect_table_privacy_metric_to_be_within",
        kwargs=kwargs | _sample(policy, demand) | _general(demand),
        identity=identity,
        severity="critical" if limit.is_blocking else "warning",
        notes=notes,
    )


def _source(policy: "Policy", attribute: str | None) -> dict[str, Any]:
    """Return what values mean, and their order; how a file is read is the data source's business."""
    words = {*WORDS_OF_VALUES} - {"normalize"}
    written = policy.source.model_dump(mode="json", include=words, exclude_defaults=True)
    if policy.suppression_mark is not None:
        written["suppression_mark"] = policy.suppression_mark
    for one in policy.normalized:
        if one.column == attribute:
            written["normalize"] = {one.column: list(one.spellings)}
    order = {name: list(values) for name, values in policy.order.items() if name == attribute}
    return {name: given for name, given in (("source", written), ("order", order)) if given}


def _population(policy: "Policy", demand: "Demand") -> dict[str, Any]:
    population = policy.population
    if population is None or not demand.question.metric.needs_population:
        return {}
    written = population.model_dump(mode="json", exclude_unset=True)
    written["path"] = seen_from_here(policy, population.path)
    return {"population": written if set(written) > {"path"} else written["path"]}


def _sample(policy: "Policy", demand: "Demand") -> dict[str, Any]:
    """Return which part of the population the table is; a metric that is a function of it may ask."""
    if isinstance(demand.question.metric.method, GroupBy):
        return {}
    if policy.sampling_fraction is not None:
        return {"sampling_fraction": policy.sampling_fraction}
    return {} if policy.roles.weight is None else {"weight": policy.roles.weight}


def _general(demand: "Demand") -> dict[str, Any]:
    question, limit = demand.question, demand.limit
    usual = {parameter.name: parameter.default for parameter in question.metric.parameters}
    parameters = {name: v for name, v in question.arguments.items() if usual.get(name) != v}
    given: dict[str, Any] = {"metric": question.metric.name, limit.bound.value: limit.value}
    if parameters:
        given["parameters"] = parameters
    if question.knows_any is not None:
        given["attacker"] = {"knows_any": question.knows_any}
    if limit.combination != _MAIN:
        given["combination"] = limit.combination
    if not limit.is_blocking:
        given["on_miss"] = "warn"
    return given


_L_DIVERSITY = "expect_table_l_diversity_to_be_at_least"
_T_CLOSENESS = "expect_table_t_closeness_to_be_at_most"
_RISK = "expect_table_reidentification_risk_to_be_at_most"
_SHARE = "expect_table_share_at_risk_to_be_at_most"

_CLASSES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "k_anonymity": ("expect_table_k_anonymity_to_be_at_least", {}),
    "distinct_l_diversity": (_L_DIVERSITY, {}),
    "entropy_l_diversity": (_L_DIVERSITY, {"model": "entropy"}),
    "t_closeness": (_T_CLOSENESS, {}),
    "t_closeness_ordered": (_T_CLOSENESS, {"ordered": True}),
    "prosecutor_risk_max": (_RISK, {}),
    "prosecutor_risk_average": (_RISK, {"statistic": "average"}),
    "journalist_risk_max": (_RISK, {"attacker": "journalist"}),
    "journalist_risk_average": (_RISK, {"attacker": "journalist", "statistic": "average"}),
    "marketer_risk": (_RISK, {"attacker": "marketer", "statistic": "average"}),
    "share_below_k": (_SHARE, {}),
    "prosecutor_share_above": (_SHARE, {}),
}
"""Metric → the expectation that is its own, and what that is given beside its limit."""

_ARGUMENTS = {"share_below_k": ("k", "k"), "prosecutor_share_above": ("threshold", "risk")}
"""Metric → its parameter, and what the expectation calls it."""


GX_VERSION = "1.24.1"
"""The version of Great Expectations whose files these are; a suite names one."""
MARK = "qidguard"
"""The key in ``meta`` by which a suite, or one of its expectations, is known to come from a policy."""

WRITTEN = "written_sha256"
"""The key below it that holds the digest of an expectation as it was written."""

_OURS = UUID("5b0d6c1e-6f0a-4c52-9d0b-2b8d1f0c7a11")

Document = Mapping[str, Any]


def written_digest(type_: str, kwargs: Mapping[str, Any]) -> str:
    """Return what tells an expectation as it was written from one that somebody changed, hex."""
    return value_digest({"type": type_, "kwargs": dict(kwargs)})


def stable_id(*names: str) -> str:
    """Return an id that depends on names alone, so that a changed limit is one changed line in a review.

    Example:
        >>> stable_id("suite", "visits") == stable_id("suite", "visits")
        True
    """
    return str(uuid5(_OURS, "\n".join(names)))


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A suite and what a reader must know beside it.

    Args:
        document: The suite as a project's file holds it.
        notes: Which demands of the policy do not stand in it by themselves and why, one sentence each.
    """

    document: Document
    notes: tuple[str, ...]


def suite_of(policy: "Policy", name: str, *, has_history: bool = True, has_original: bool = True) -> Suite:
    """Return the suite of a policy: one expectation for each demand, and the whole verdict last.

    Example:
        >>> from qidguard.sdk import load_policy
        >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
        >>> suite = suite_of(load_policy(fields), "visits")
        >>> [expectation["type"] for expectation in suite.document["expectations"]][0]
        'expect_table_k_anonymity_to_be_at_least'
    """
    lines: list[Line] = []
    notes: dict[str, None] = {}
    approved: dict[str, Any] = {"policy": policy.name, "sha256": policy.digest}
    left_out: Mapping[str, str] = {}
    if not (has_history and has_original):
        policy, left_out = batch_policy(policy, has_history=has_history, has_original=has_original)
    if left_out:
        # what is judged is another policy than the reviewed file, and says so
        approved |= {"sha256": policy.digest, "reviewed_sha256": approved["sha256"]}
        approved |= {"left_to_the_release": list(left_out)}
    for metric, known in left_out.items():
        notes[f"{metric} is left to the release, which knows {known}."] = None
    for demand in _demands(policy):
        reason = why_not_alone(policy, demand)
        if reason:
            notes[f"{demand.question.metric.name} stands in the whole verdict alone: {reason}."] = None
        else:
            lines.append(line_of(policy, demand))
    if not policy.is_auto and policy.unnamed_columns == "block":
        lines.append(_columns(policy, approved["sha256"]))
    whole = "expect_table_to_meet_privacy_policy"
    lines.append(Line(type=whole, kwargs=policy_kwargs(policy), identity=(), meta=approved))
    document = {
        "expectations": list(_expectations(name, lines)),
        "id": stable_id("suite", name),
        "meta": {"great_expectations_version": GX_VERSION, MARK: approved},
        "name": name,
        "notes": policy.description or None,
    }
    return Suite(document=document, notes=tuple(notes))


def _demands(policy: "Policy") -> list[Demand]:
    """Return what the policy asks of columns that it names; every metric is checked all the same."""
    if policy.is_auto:
        demands(policy, ("any",), load_host())
        return []
    return demands(policy, policy.roles.qids, load_host())


def _columns(policy: "Policy", digest: str) -> Line:
    return Line(
        type="expect_table_columns_to_be_as_approved",
        kwargs={
            "columns": list(policy.decided_columns),
            "policy_name": policy.name,
            "policy_sha256": digest,
        },
        identity=(),
    )


def _expectations(suite: str, lines: list[Line]) -> Iterator[Document]:
    seen: Counter[tuple[str, ...]] = Counter()
    for line in lines:
        identity = (line.type, *line.identity)
        seen[identity] += 1
        mark = line.meta or {WRITTEN: written_digest(line.type, line.kwargs)}
        expectation = {
            "id": stable_id("expectation", suite, *identity, str(seen[identity])),
            "kwargs": dict(line.kwargs),
            "meta": {MARK: dict(mark)},
            "severity": line.severity,
            "type": line.type,
        }
        yield expectation | ({"notes": line.notes} if line.notes else {})

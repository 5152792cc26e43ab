"""What the published table has to keep, out of the parameters and the limits of the policy."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from qidguard.sdk import (
    AnonymizationTask,
    Arguments,
    Bound,
    Guarantee,
    Limit,
    NotMeasurable,
    PolicyLimit,
    ValueOrder,
)
from qidguard_standard.anonymizers.full_domain.criterion import (
    Closeness,
    Criterion,
    DistinctValues,
    EntropyOfValues,
    RecursiveValues,
    SmallestClass,
    persons_for_risk,
)


@dataclass(frozen=True, kw_only=True)
class Requirements:
    """What has to hold.

    Args:
        criteria: QID combination → what each of its classes keeps.
        exact: Limits that are no matter of single classes; each over all of its target's QIDs.
        claims: What is claimed of the published table.
        unreckoned: Names of metrics whose limits the search cannot see; the audit will.
    """

    criteria: dict[tuple[str, ...], tuple[Criterion, ...]]
    exact: tuple[PolicyLimit, ...]
    claims: tuple[Guarantee, ...]
    unreckoned: tuple[str, ...] = ()

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The attributes that are looked at."""
        return tuple(dict.fromkeys(claim.sensitive for claim in self.claims if claim.sensitive is not None))


@dataclass(kw_only=True)
class _Gathered:
    criteria: dict[tuple[str, ...], list[Criterion]] = field(default_factory=dict)
    exact: list[PolicyLimit] = field(default_factory=list)
    claims: list[Guarantee] = field(default_factory=list)
    unreckoned: dict[str, None] = field(default_factory=dict)

    def add(self, qids: tuple[str, ...], criterion: Criterion, claim: Guarantee) -> None:
        """Add what each class over these QIDs keeps."""
        of = self.criteria.setdefault(qids, [])
        if criterion not in of:
            of.append(criterion)
        if claim not in self.claims:
            self.claims.append(claim)


def requirements_of(arguments: Arguments, task: AnonymizationTask) -> Requirements:
    """Return what has to hold: what the parameters say, and every blocking limit of the policy.

    Example:
        >>> task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
        >>> requirements_of({"k": 2, "l": 0.0, "t": 0.0}, task).criteria
        {('age',): (SmallestClass(k=2),)}
    """
    gathered = _Gathered()
    for qids in dict.fromkeys(task.combinations):
        _add_parameters(gathered, arguments, qids, task)
    for target in task.targets:
        if target.limit.is_blocking:
            _add_target(gathered, target)
    if not gathered.criteria and not gathered.exact:
        raise NotMeasurable(
            "nothing says what the published table must keep; set the parameter k, or give the policy a"
            " limit on k_anonymity"
        )
    return Requirements(
        criteria=_without_implied(gathered.criteria),
        exact=tuple(gathered.exact),
        claims=tuple(gathered.claims),
        unreckoned=tuple(gathered.unreckoned),
    )


def _add_parameters(
    gathered: _Gathered, arguments: Arguments, qids: tuple[str, ...], task: AnonymizationTask
) -> None:
    def ask(metric: str, bound: Bound, value: float, sensitive: str | None = None, **more: float) -> None:
        limit = Limit(bound=bound, value=value)
        claim = Guarantee(metric=metric, limit=limit, qids=qids, sensitive=sensitive, parameters=more)
        gathered.add(qids, _criterion(claim), claim)

    if arguments["k"]:
        ask("k_anonymity", Bound.AT_LEAST, arguments["k"])
    others = [name for name in task.sensitive if name not in qids]
    if (arguments["l"] or arguments["t"]) and not others:
        raise NotMeasurable(
            "l-diversity and t-closeness are kept beside a sensitive attribute, and the policy names none;"
            " declare one, or leave l and t at 0"
        )
    for name in others:
        if arguments["l"]:
            more = {"c": arguments["c"]} if arguments["diversity"] == "recursive" else {}
            ask(f"{arguments['diversity']}_l_diversity", Bound.AT_LEAST, arguments["l"], name, **more)
        if arguments["t"]:
            kind = "t_closeness" if arguments["distance"] == "equal" else "t_closeness_ordered"
            ask(kind, Bound.AT_MOST, arguments["t"], name)


def _add_target(gathered: _Gathered, target: PolicyLimit) -> None:
    metric = target.metric
    if metric.needs_population or metric.needs_history or metric.needs_original or metric.over_time:
        gathered.unreckoned[metric.name] = None
        return
    is_of_classes = _SIDES.get(metric.name) is target.limit.bound
    if metric.name == "prosecutor_risk_max" and target.limit.value <= 0:
        is_of_classes = False
    if not is_of_classes:
        gathered.exact.append(target)
    for qids in subsets_of(target):
        claim = Guarantee(
            metric=metric.name,
            limit=target.limit,
            qids=qids,
            sensitive=target.sensitive,
            parameters=dict(target.arguments),
        )
        if is_of_classes:
            gathered.add(qids, _criterion(claim), claim)
        else:
            gathered.claims.append(claim)


def subsets_of(target: PolicyLimit) -> Iterator[tuple[str, ...]]:
    """Yield the QIDs that an attacker may know together."""
    if target.knows_any is None:
        yield target.qids
    else:
        yield from combinations(target.qids, target.knows_any)


_SIDES = {
    "k_anonymity": Bound.AT_LEAST,
    "prosecutor_risk_max": Bound.AT_MOST,
    "distinct_l_diversity": Bound.AT_LEAST,
    "entropy_l_diversity": Bound.AT_LEAST,
    "recursive_l_diversity": Bound.AT_LEAST,
    "t_closeness": Bound.AT_MOST,
    "t_closeness_ordered": Bound.AT_MOST,
}
"""Metrics that are the worst of their classes, and the side of the limit that each class keeps."""


def _criterion(claim: Guarantee) -> Criterion:
    value, sensitive = claim.limit.value, claim.sensitive or ""
    match claim.metric:
        case "k_anonymity":
            return SmallestClass(k=int(-(-value // 1)))
        case "prosecutor_risk_max":
            return SmallestClass(k=persons_for_risk(claim.limit))
        case "distinct_l_diversity":
            return DistinctValues(sensitive=sensitive, least=value)
        case "entropy_l_diversity":
            return EntropyOfValues(sensitive=sensitive, least=value)
        case "recursive_l_diversity":
            return RecursiveValues(sensitive=sensitive, least=value, c=float(claim.parameters["c"]))
        case _:
            is_ordered = claim.metric == "t_closeness_ordered"
            return Closeness(sensitive=sensitive, most=value, is_ordered=is_ordered)


def _without_implied(
    criteria: dict[tuple[str, ...], list[Criterion]],
) -> dict[tuple[str, ...], tuple[Criterion, ...]]:
    """Return the criteria without those that larger combinations bring, whose classes are parts."""

    def is_implied(qids: tuple[str, ...], criterion: Criterion) -> bool:
        return any(
            _is_as_strict(other, criterion)
            for wide in criteria
            if set(qids) < set(wide)
            for other in criteria[wide]
        )

    left = {qids: tuple(one for one in of if not is_implied(qids, one)) for qids, of in criteria.items()}
    return {qids: of for qids, of in left.items() if of}


def _is_as_strict(wide: Criterion, narrow: Criterion) -> bool:
    if isinstance(wide, SmallestClass) and isinstance(narrow, SmallestClass):
        return wide.k >= narrow.k
    if isinstance(wide, DistinctValues) and isinstance(narrow, DistinctValues):
        return wide.sensitive == narrow.sensitive and wide.least >= narrow.least
    return False


def check_order(
    requirements: Requirements, has_missing: dict[str, bool], orders: dict[str, ValueOrder]
) -> None:
    """Check that an attribute whose order is used has one, and no missing values."""
    for criteria in requirements.criteria.values():
        for criterion in criteria:
            if not (isinstance(criterion, Closeness) and criterion.is_ordered):
                continue
            if orders[criterion.sensitive].by is None:
                raise NotMeasurable(orders[criterion.sensitive].why_not)
            if has_missing[criterion.sensitive]:
                raise NotMeasurable(
                    f"column {criterion.sensitive!r} has missing values, which have no place in an order;"
                    " take t-closeness with equal distance"
                )

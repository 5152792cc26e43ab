"""What a run of MO-OBAM is asked for: its parameters, and what clusters keep by them and by the policy."""

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    Arguments,
    Bound,
    Guarantee,
    Limit,
    NotMeasurable,
    Parameter,
    Records,
)
from qidguard_mo_obam.moves.limits import ClusterLimits, SensitiveLimit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard_mo_obam.problem import ClusteringProblem, Units

DEMANDS = (
    Parameter(
        name="l",
        type=int,
        default=0,
        minimum=0,
        meaning="fewest distinct values of each sensitive attribute in a cluster; 2 rules out the homogeneity"
        " attack; 0 takes the policy's distinct_l_diversity limits, and asks for none where there are none",
        policy_limits=("distinct_l_diversity",),
    ),
    Parameter(
        name="t",
        type=float,
        default=0.0,
        minimum=0.0,
        maximum=1.0,
        meaning="largest distance, half the sum of |p − q|, of a cluster's sensitive values from the table's;"
        " 0 takes the policy's t_closeness and t_closeness_ordered limits, and asks for none without them",
        policy_limits=("t_closeness", "t_closeness_ordered"),
    ),
    Parameter(
        name="groups",
        type=int,
        default=0,
        minimum=0,
        meaning="fewest groups of sensitive values near in meaning in a cluster, against similarity attacks:"
        " the first level of the attribute's hierarchy, or a tenth of the range of numbers; 0 asks for none",
    ),
    Parameter(
        name="largest_group",
        type=float,
        default=1.0,
        minimum=0.0,
        maximum=1.0,
        meaning="largest share of one such group in a cluster; 1 asks for none",
    ),
)
"""What clusters are asked to keep of sensitive attributes."""
PARAMETERS = (
    Parameter(
        name="n_c",
        type=int,
        default=0,
        minimum=0,
        meaning="most clusters (n_C); 0 leaves their number free",
    ),
    Parameter(
        name="exactly", type=bool, default=False, meaning="whether there are n_c clusters and not fewer"
    ),
    Parameter(
        name="k",
        type=int,
        default=0,
        minimum=0,
        meaning="smallest cluster, persons; 0 takes the policy's k_anonymity limit",
        policy_limits=("k_anonymity",),
    ),
    Parameter(
        name="lambda",
        type=float,
        default=0.0,
        minimum=0.0,
        meaning="weight of the sum of least entropies beside the loss in objective (18)",
    ),
    *DEMANDS,
    Parameter(
        name="units",
        type=str,
        default="raw",
        choices=("raw", "standardized"),
        meaning="raw as in the paper, where the column with the largest numbers decides, or standardized:"
        " each column counts alike",
    ),
    Parameter(
        name="starts",
        type=int,
        default=12,
        minimum=1,
        maximum=10_000,
        meaning="most searches",
    ),
    Parameter(
        name="seconds",
        type=float,
        default=0.0,
        minimum=0.0,
        meaning="time after which the best so far is taken, s; 0 sets no limit",
    ),
)

_TENTHS = 10


@dataclass(frozen=True, kw_only=True)
class OptimizationRequest:
    """What a run is asked for.

    Args:
        n_c: Most clusters, ≥ 0; 0 leaves their number free.
        is_exact: Whether there have to be n_c clusters.
        k: Persons in the smallest cluster, ≥ 1.
        weight: λ of objective (18), ≥ 0.
        units: The units of the loss.
        starts: Most searches, ≥ 1.
        seconds: Wall time, s; None sets no limit.
    """

    n_c: int
    is_exact: bool
    k: int
    weight: float
    units: "Units"
    starts: int
    seconds: float | None


def asked_of(arguments: Arguments, task: AnonymizationTask) -> OptimizationRequest:
    """Return what the parameters ask for; NotMeasurable where nobody says k."""
    k = arguments["k"] or math.ceil(strictest_limit(task, None, "k_anonymity", Bound.AT_LEAST, 0))
    if k < 1:
        raise NotMeasurable("k is set neither here nor as a k_anonymity limit of the policy; set k")
    if arguments["exactly"] and not arguments["n_c"]:
        raise NotMeasurable("exactly = true needs the number of clusters; set n_c")
    if arguments["lambda"] and not task.sensitive:
        raise NotMeasurable(
            "lambda weighs the entropy of sensitive attributes, and none is declared; declare one or leave"
            " lambda out"
        )
    return OptimizationRequest(
        n_c=arguments["n_c"],
        is_exact=arguments["exactly"],
        k=k,
        weight=arguments["lambda"],
        units=arguments["units"],
        starts=arguments["starts"],
        seconds=arguments["seconds"] or None,
    )


def most_clusters(asked: OptimizationRequest, problem: "ClusteringProblem") -> int:
    """Return how many clusters there may be; NotMeasurable where what is asked for cannot be."""
    everybody = int(problem.persons.sum())
    if everybody < asked.k:
        raise NotMeasurable(
            f"k = {asked.k} needs as many persons, and the table has {everybody:,}; lower k or add records"
        )
    if asked.weight > 0 and problem.sensitive and not any(_varies(table) for table in problem.sensitive):
        raise NotMeasurable(
            "lambda weighs the entropy of sensitive attributes, and each has a single value in the whole"
            " table, so that no cluster can hide it; leave lambda out"
        )
    room = everybody // asked.k
    if asked.is_exact and asked.n_c > problem.rows:
        raise NotMeasurable(
            f"n_c = {asked.n_c} exactly needs as many distinct combinations, and the table has"
            f" {problem.rows:,}; lower n_c or leave exactly out"
        )
    if asked.is_exact and asked.n_c > room:
        raise NotMeasurable(
            f"{asked.n_c} clusters of k = {asked.k} need {asked.n_c * asked.k:,} persons, and the table has"
            f" {everybody:,}; lower n_c or k, or leave exactly out"
        )
    return min(asked.n_c or problem.rows, problem.rows, room)


def _varies(table: "NDArray[np.int64]") -> bool:
    """Whether more than one value occurs."""
    return int((table.sum(axis=0) > 0).sum()) > 1


def cluster_limits(records: Records, arguments: Arguments, task: AnonymizationTask, k: int) -> ClusterLimits:
    """Return what each cluster has to keep, from the parameters or else from the policy's limits.

    NotMeasurable where a parameter needs a sensitive attribute and none is declared.
    """
    asked = [one.name for one in DEMANDS if arguments[one.name] != one.default]
    if asked and not task.sensitive:
        raise NotMeasurable(
            f"{asked[0]} = {arguments[asked[0]]:g} needs a sensitive attribute, and none is declared;"
            f" declare one or leave {asked[0]} out"
        )
    limits: list[SensitiveLimit] = []
    for attribute, name in enumerate(task.sensitive):
        strictest = partial(strictest_limit, task, name)
        has_order = records.column(name).order(task.suppression_mark).by is not None
        limits.append(
            SensitiveLimit(
                attribute=attribute,
                distinct=arguments["l"] or math.ceil(strictest("distinct_l_diversity", Bound.AT_LEAST, 1)),
                entropy=math.log2(max(1.0, strictest("entropy_l_diversity", Bound.AT_LEAST, 1))),
                distance=arguments["t"] or strictest("t_closeness", Bound.AT_MOST, math.inf),
                ordered=strictest("t_closeness_ordered", Bound.AT_MOST, math.inf) if has_order else math.inf,
            )
        )
        if arguments["groups"] or arguments["largest_group"] < 1:
            limits.append(
                SensitiveLimit(
                    attribute=attribute,
                    distinct=max(1, arguments["groups"]),
                    largest=arguments["largest_group"],
                    groups=_groups(records, task, name),
                )
            )
    return ClusterLimits(k=k, sensitive=tuple(one for one in limits if one.asks))


def guarantees(limits: ClusterLimits, task: AnonymizationTask) -> tuple[Guarantee, ...]:
    """Return what is claimed of the published table; the host measures it.

    Distances are claimed where records are persons: with several records each, shares are of other numbers.
    """
    claimed: list[tuple[str, Bound, float, str | None]] = [("k_anonymity", Bound.AT_LEAST, limits.k, None)]
    for one in limits.sensitive:
        name = task.sensitive[one.attribute]
        if one.groups is None and one.distinct > 1:
            claimed.append(("distinct_l_diversity", Bound.AT_LEAST, one.distinct, name))
        if one.groups is None and one.distance not in {1, math.inf} and task.entity is None:
            claimed.append(("t_closeness", Bound.AT_MOST, one.distance, name))
    return tuple(
        Guarantee(metric=metric, limit=Limit(bound=bound, value=value), qids=qids, sensitive=sensitive)
        for metric, bound, value, sensitive in claimed
        for qids in dict.fromkeys(task.combinations)
    )


def strictest_limit(
    task: AnonymizationTask, sensitive: str | None, metric: str, bound: Bound, without: float
) -> float:
    """Return the strictest limit of the policy on a metric, beside a sensitive attribute or none."""
    values = [
        float(one.limit.value)
        for one in task.targets
        if (one.sensitive, one.metric.name, one.limit.bound) == (sensitive, metric, bound)
    ]
    return (max if bound is Bound.AT_LEAST else min)(values, default=without)


def _groups(records: Records, task: AnonymizationTask, name: str) -> "NDArray[np.int64]":
    """Return the group of each code of a sensitive attribute; values that nothing tells near stand alone."""
    if name in task.hierarchies:
        nearest: NDArray[np.int64] = task.hierarchies[name].groups[1].astype(np.int64)
        return nearest
    column = records.column(name)
    if not column.is_numeric or column.numbers is None:
        return np.arange(len(column.texts))
    numbers = np.asarray(column.numbers, dtype=np.float64)
    known = np.isfinite(numbers)
    low, high = numbers[known].min(initial=np.inf), numbers[known].max(initial=-np.inf)
    tenth = np.zeros(len(numbers), dtype=np.int64)
    if high > low:
        tenth[known] = np.minimum(_TENTHS - 1, (numbers[known] - low) / (high - low) * _TENTHS).astype(
            np.int64
        )
    tenth[~known] = _TENTHS
    return tenth

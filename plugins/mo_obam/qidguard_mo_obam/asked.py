"""What a run of MO-OBAM is asked for: its parameters, and k from the policy."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.sdk import AnonymizationTask, Arguments, Bound, NotMeasurable, Parameter
from qidguard_mo_obam.demands import DEMANDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard_mo_obam.problem import ClusteringProblem, Units

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
    limits = [
        target.limit.value
        for target in task.targets
        if target.metric.name == "k_anonymity" and target.limit.bound is Bound.AT_LEAST
    ]
    k = arguments["k"] or math.ceil(max(limits, default=0))
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

"""What clusters are asked to keep beside k: l values, t from the table, s groups of values that are near."""

import math
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

L = Parameter(
    name="l",
    type=int,
    default=0,
    minimum=0,
    meaning="fewest distinct values of each sensitive attribute in a cluster; 2 rules out the homogeneity"
    " attack; 0 takes the policy's distinct_l_diversity limits, and asks for none where there are none",
    policy_limits=("distinct_l_diversity",),
)
T = Parameter(
    name="t",
    type=float,
    default=0.0,
    minimum=0.0,
    maximum=1.0,
    meaning="largest distance, half the sum of |p − q|, of a cluster's sensitive values from the table's;"
    " 0 takes the policy's t_closeness and t_closeness_ordered limits, and asks for none without them",
    policy_limits=("t_closeness", "t_closeness_ordered"),
)
GROUPS = Parameter(
    name="groups",
    type=int,
    default=0,
    minimum=0,
    meaning="fewest groups of sensitive values near in meaning in a cluster, against similarity attacks:"
    " the first level of the attribute's hierarchy, or a tenth of the range of numbers; 0 asks for none",
)
LARGEST_GROUP = Parameter(
    name="largest_group",
    type=float,
    default=1.0,
    minimum=0.0,
    maximum=1.0,
    meaning="largest share of one such group in a cluster; 1 asks for none",
)
DEMANDS = (L, T, GROUPS, LARGEST_GROUP)

_TENTHS = 10


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
        strictest = _Strictest(task, name)
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
    """Return what is claimed of the published table beside k; the host measures it.

    Distances are claimed where records are persons: with several records each, shares are of other numbers.
    """
    return tuple(
        Guarantee(
            metric=metric,
            limit=Limit(bound=bound, value=value),
            qids=qids,
            sensitive=task.sensitive[one.attribute],
        )
        for one in limits.sensitive
        for metric, bound, value in (
            ("distinct_l_diversity", Bound.AT_LEAST, one.distinct),
            ("t_closeness", Bound.AT_MOST, one.distance),
        )
        for qids in dict.fromkeys(task.combinations)
        if one.groups is None
        and value not in {1, math.inf}
        and (task.entity is None or metric == "distinct_l_diversity")
    )


class _Strictest:
    """The strictest limit of the policy on a metric beside an attribute."""

    def __init__(self, task: AnonymizationTask, name: str) -> None:
        self.targets = [one for one in task.targets if one.sensitive == name]

    def __call__(self, metric: str, bound: Bound, without: float) -> float:
        values = [
            float(one.limit.value)
            for one in self.targets
            if one.metric.name == metric and one.limit.bound is bound
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

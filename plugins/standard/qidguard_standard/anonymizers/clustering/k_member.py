"""Classes that grow record by record, to k persons or to l values.

k-member clustering with diversity of sensitive values (Byun et al. 2007; Zheng et al. 2019).

Clustering for k-anonymity and l-diversity together (Zheng et al. 2019).
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import AnonymizationTask, Anonymized, Arguments, NotMeasurable, Parameter, Progress, Records
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.crowd import Forming, FreePoints
from qidguard_standard.anonymizers.clustering.partitioned import Clusterer, publish_parameters
from qidguard_standard.anonymizers.clustering.space import Space
from qidguard_standard.anonymizers.clustering.wanted import K, L, wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Ground:
    """Points on the scale of NCP: numbers as shares of their range, a further category 1/(values − 1).

    Args:
        numbers: Shape (numbers, records), 0..1.
        codes: Shape (categories, records).
        weights: Shape (categories,), what one more value of each adds to a class's loss.
    """

    numbers: "NDArray[np.float64]" = field(repr=False)
    codes: "NDArray[np.intp]" = field(repr=False)
    weights: "NDArray[np.float64]" = field(repr=False)

    @property
    def records(self) -> int:
        """Number of points."""
        return max(int(self.numbers.shape[1]), int(self.codes.shape[1]))

    def at(self, points: "NDArray[np.int64]") -> "Ground":
        """Return some of the points."""
        return Ground(
            numbers=np.take(self.numbers, points, axis=1),
            codes=np.take(self.codes, points, axis=1),
            weights=self.weights,
        )


def ground(space: Space) -> Ground:
    """Return points on the scale of NCP; a number without range, and a category of one value, add nothing."""
    low = space.numbers.min(axis=1, initial=np.inf)
    span = space.numbers.max(axis=1, initial=-np.inf) - low
    values = np.array([len(np.unique(codes)) for codes in space.codes], dtype=np.float64)
    return Ground(
        numbers=(space.numbers - low[:, None]) / np.where(span > 0, span, 1.0)[:, None],
        codes=space.codes.astype(np.intp),
        weights=np.where(values > 1, 1.0 / np.maximum(values - 1.0, 1.0), 0.0),
    )


class Hull:
    """The values that a class spans.

    Args:
        ground: All points.
        first: The class's first point.
    """

    def __init__(self, ground: Ground, first: int) -> None:
        self._ground = ground
        self._low = ground.numbers[:, first].copy()
        self._high = self._low.copy()
        span = int(ground.codes.max(initial=0)) + 1
        self._adds = np.repeat(ground.weights[:, None], span, axis=1)
        self._adds[np.arange(len(ground.weights)), ground.codes[:, first]] = 0.0

    def join(self, point: int) -> bool:
        """Let a point join; whether the class spans more than before."""
        numbers, codes = self._ground.numbers[:, point], self._ground.codes[:, point]
        each = np.arange(len(codes))
        is_wider = bool(
            (numbers < self._low).any() or (numbers > self._high).any() or self._adds[each, codes].any()
        )
        if is_wider:
            np.minimum(self._low, numbers, out=self._low)
            np.maximum(self._high, numbers, out=self._high)
            self._adds[each, codes] = 0.0
        return is_wider

    def additions(self, points: Ground) -> "NDArray[np.float64]":
        """Return what each of some points would add to the loss of every member.

        Shape (points,), the sum over columns, ≥ 0.

        Example:
            >>> two = Ground(
            ...     numbers=np.array([[0.0, 0.5]]), codes=np.array([[0, 1]]), weights=np.array([1.0])
            ... )
            >>> Hull(two, 0).additions(two).tolist()
            [0.0, 1.5]
        """
        total = np.zeros(points.records)
        for numbers, low, high in zip(points.numbers, self._low, self._high, strict=True):
            below = low - numbers
            above = numbers - high
            np.maximum(below, above, out=below)
            np.maximum(below, 0.0, out=below)
            total += below
        for codes, adds in zip(points.codes, self._adds, strict=True):
            total += adds.take(codes)
        return total


def join_cheapest(every: Ground, classes: "NDArray[np.int64]", count: int) -> "NDArray[np.int64]":
    """Return the classes with each point that has none put, one after the other, where least is lost.

    What is lost is what Byun et al. 2007 call information loss: the members times what the class spans. Who
    joins adds to the span for all, and has the whole span.

    Shape (records,), 0..max(count, 1) − 1; of equally good classes the first is taken.

    Example:
        >>> line = Ground(
        ...     numbers=np.array([[0.0, 0.8, 1.0]]),
        ...     codes=np.zeros((0, 3), dtype=np.intp),
        ...     weights=np.zeros(0),
        ... )
        >>> join_cheapest(line, np.array([0, 1, -1]), 2).tolist()
        [0, 1, 1]
    """
    joined = classes.copy()
    left = np.flatnonzero(classes < 0)
    if not count:
        joined[:] = 0
        return joined
    if not len(left):
        return joined
    placed = np.flatnonzero(classes >= 0)
    order = placed[np.argsort(classes[placed], kind="stable")]
    sizes = np.bincount(classes[placed], minlength=count)
    starts = np.cumsum(sizes) - sizes
    low = np.minimum.reduceat(every.numbers[:, order], starts, axis=1)
    high = np.maximum.reduceat(every.numbers[:, order], starts, axis=1)
    span = (high - low).sum(axis=0)
    for codes, weight in zip(every.codes, every.weights, strict=True):
        keys = np.unique(classes[placed] * (int(codes.max()) + 1) + codes[placed])
        span += weight * (np.bincount(keys // (int(codes.max()) + 1), minlength=count) - 1)
    for point in left.tolist():
        numbers = every.numbers[:, point, None]
        adds = np.maximum(np.maximum(low - numbers, numbers - high), 0.0).sum(axis=0)
        for codes, weight in zip(every.codes, every.weights, strict=True):
            has = np.zeros(count, dtype=np.bool_)
            same = joined[codes == codes[point]]
            has[same[same >= 0]] = True
            adds += weight * ~has
        best = int((span + adds * (sizes + 1)).argmin())
        joined[point] = best
        sizes[best] += 1
        span[best] += adds[best]
        low[:, best] = np.minimum(low[:, best], numbers[:, 0])
        high[:, best] = np.maximum(high[:, best], numbers[:, 0])
    return joined


@dataclass(frozen=True, kw_only=True)
class Growth:
    """How a class grows.

    Args:
        rule: What it has to keep, in the order of points.
        reserves: Whether the last places go to records with sensitive values that the class still lacks; else
            it takes the cheapest, whatever their values, until it has k persons and l values.
        diversity: What a sensitive value that the class has already costs, in columns' worth of loss, ≥ 0.
    """

    rule: ClassRule
    reserves: bool = True
    diversity: float = 0.0


def k_member_classes(
    every: Ground, growth: Growth, seed: int, progress: Progress, title: str
) -> "NDArray[np.int64]":
    """Return the class of each point.

    A class starts with the point that is farthest from the one placed last (the very first from one drawn by
    the seed), and takes the point that adds least to its loss until it keeps the rule. Points that are too
    few for a class join those whose loss grows least. Ties fall to the first point by content, then
    in the order of records.

    Shape (records,), numbered from 0.
    """
    rule, records = growth.rule, every.records
    forming, free = Forming(rule, records, progress, title), _Free(every)
    last = int(np.random.default_rng(seed).integers(records))
    while free.left and forming.makes_a_class:
        # a class of one point spans that point: what others add to it is their distance
        last = free.farthest(Hull(every, last).additions(free.ground))
        hull, members = Hull(every, last), _Members(growth, free.left)
        members.add(last)
        free.take(np.array([last]))
        costs = None
        while not members.is_enough:
            if costs is None:
                costs = hull.additions(free.ground)
            last = free.cheapest(members.wanted(costs, free.points))
            members.add(last)
            free.take(np.array([last]))
            if hull.join(last):
                costs = None
        forming.close(np.array(members.points))
        free.pack()
    return join_cheapest(every, forming.classes, forming.count)


class _Members:
    """The points of a growing class, and what it lacks."""

    def __init__(self, growth: Growth, left: int) -> None:
        self._growth = growth
        self._left = left
        self._persons: set[int] = set()
        self._seen = {
            name: np.zeros(int(codes.max()) + 1, dtype=np.bool_)
            for name, codes in growth.rule.sensitive.items()
        }
        self._lacks = dict(growth.rule.wanted.l)
        self.points: list[int] = []

    @property
    def is_enough(self) -> bool:
        """Whether the class keeps k and l, or nobody is left."""
        enough = len(self._persons) >= self._growth.rule.wanted.k and not any(self._lacks.values())
        return enough or len(self.points) == self._left

    def add(self, point: int) -> None:
        """Let a point join."""
        rule = self._growth.rule
        self.points.append(point)
        self._persons.add(point if rule.entity is None else int(rule.entity[point]))
        for name, seen in self._seen.items():
            value = int(rule.sensitive[name][point])
            if not seen[value]:
                seen[value] = True
                self._lacks[name] = max(self._lacks.get(name, 0) - 1, 0)

    def wanted(self, costs: "NDArray[np.float64]", points: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """Return the costs with what the sensitive values change; ∞ for who may not join now."""
        growth = self._growth
        if growth.diversity > 0 and self._seen:
            had = [seen[growth.rule.sensitive[name][points]] for name, seen in self._seen.items()]
            costs = costs + growth.diversity * np.mean(had, axis=0)
        lacks = max(self._lacks.values(), default=0)
        if growth.reserves and lacks and growth.rule.wanted.k - len(self._persons) <= lacks:
            brings = np.zeros(len(points), dtype=np.bool_)
            for name, seen in self._seen.items():
                if self._lacks[name]:
                    brings |= ~seen[growth.rule.sensitive[name][points]]
            costs = np.where(brings, costs, np.inf)
        return costs


class _Free(FreePoints):
    """Free points of a ground."""

    def __init__(self, every: Ground) -> None:
        super().__init__(every.records)
        self.ground = every

    def cheapest(self, costs: "NDArray[np.float64]") -> int:
        """Return the free point that costs least."""
        costs = costs.copy()
        costs[self.taken] = np.inf
        return int(self.points[costs.argmin()])

    def pack(self) -> None:
        """Drop what is taken, once it is much."""
        at = self.packed()
        if at is not None:
            self.ground = self.ground.at(at)


DIVERSITY = Parameter(
    name="diversity",
    type=float,
    default=0.0,
    minimum=0.0,
    meaning="what a record costs whose sensitive values the class has already, in whole columns of lost "
    "information; 0 looks at similarity alone",
)


class KMember(Clusterer):
    """k-member clustering: each class takes, one by one, the record that adds least to its loss.

    The loss is NCP: the range of numbers and dates, and the number of categories, that the class spans, each
    as a share of the table's; a hierarchy plays no part. ``diversity`` weighs similarity against sensitive
    values that are new to the class, for compact and diverse classes. ``l`` is held by keeping the last
    places of a class for records whose values it lacks. See ``k_member_classes``.

    The record that the first class is far from is drawn by the seed. Ties are decided by content; records
    with equal QIDs stand in the order of the table. Time grows with the square of the records.

    Literature: Byun, Kamra, Bertino & Li 2007, Efficient k-anonymization using clustering techniques, DASFAA.
    """

    name: ClassVar[str] = "k_member"
    title: ClassVar[str] = "k-member clustering: classes that grow by the record that costs least"
    parameters: ClassVar[tuple[Parameter, ...]] = (K, L, DIVERSITY, *publish_parameters("sets"))

    def cluster(
        self, points: Space, rule: ClassRule, arguments: Arguments, task: AnonymizationTask
    ) -> "NDArray[np.int64]":
        """Return the class of each point.

        Example:
            >>> KMember().parameters[2].name
            'diversity'
        """
        growth = Growth(rule=rule, diversity=arguments["diversity"])
        return k_member_classes(ground(points), growth, task.seed, task.progress, self.name)


class ZhengLDiversity(Clusterer):
    """l-diversity by improved clustering: the cheapest record joins until there are k persons and l values.

    Earlier methods give the last places of a class to records with other sensitive values, however far they
    are. This one takes the record that adds least to the loss whatever its values, and only goes on for
    longer. So a class may have more than k records, up to very many where a sensitive value is rare.

    Built from the paper's abstract and from what is published of its results; deviations, where these say
    nothing: loss is NCP as in ``k_member``; each class starts with the record that is farthest from the one
    placed last, as Byun et al. 2007 have it; with several sensitive attributes each must have l values;
    records that are too few for a class join those whose loss grows least.

    Literature: Zheng, Ma, Wang, Jia & Li 2019, Effective l-diversity anonymization algorithm based on
    improved clustering, CSS.
    """

    name: ClassVar[str] = "zheng_l_diversity"
    title: ClassVar[str] = (
        "l-diversity clustering: classes grow by the cheapest record until they are diverse"
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (K, L, *publish_parameters("means"))

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return every record, its QIDs published by class.

        Example:
            >>> ZhengLDiversity().parameters[1].name
            'l'
        """
        if not wanted(arguments, task).l:
            raise NotMeasurable(
                "l is set to 2 or more neither here nor as a distinct_l_diversity limit of the policy; set l,"
                " or use k_member"
            )
        return super().anonymize(records, arguments, task)

    def cluster(
        self, points: Space, rule: ClassRule, arguments: Arguments, task: AnonymizationTask
    ) -> "NDArray[np.int64]":
        """Return the class of each point."""
        del arguments
        growth = Growth(rule=rule, reserves=False)
        return k_member_classes(ground(points), growth, task.seed, task.progress, self.name)

"""The centers that may be published, column by column, and which of them are near to which rows."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import class_numbers
from qidguard_mo_obam.problem import ClusteringProblem
from qidguard_mo_obam.watch import UNWATCHED, Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_PLACES = 512
"""Candidates of an integral column; where there would be more, each stands for a range of numbers."""
_RANGES = 96
"""Candidates of a numeric column that stand for ranges."""
_MOST_CATEGORIES = 1024
"""Candidates of a categorical column."""
_CHUNK = 2**21
"""Cells of an intermediate table."""
_ENOUGH = 3
"""Persons that are near to each candidate that is filled to k, for each of k."""
_MOST_DRAWN = 1024
"""Rows that are drawn as candidates."""
_MOST_WORK = 2**25
"""Cells that are looked at for one column, some tenths of a second."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GridColumn:
    """One column: what may be published in it, and what that costs.

    Args:
        place: Shape (rows,), the position of each row's value in ``cost``.
        cost: Shape (values, candidates), the weighted loss of one record with the value under the candidate.
            Of a candidate that stands for a range of centers it is the loss under the nearest of them.
    """

    place: "NDArray[np.int64]" = field(repr=False)
    cost: "NDArray[np.float64]" = field(repr=False)

    @property
    def candidates(self) -> int:
        """Number of candidates."""
        return int(self.cost.shape[1])

    @property
    def own(self) -> "NDArray[np.int64]":
        """Shape (rows,), the candidate that costs each row least."""
        own: NDArray[np.int64] = self.cost.argmin(axis=1)[self.place]
        return own

    def of(self, rows: "NDArray[np.int64]") -> "GridColumn":
        """Return the column of some rows."""
        return replace(self, place=self.place[rows])


def axes_of(problem: ClusteringProblem, *, below: bool) -> tuple[GridColumn, ...]:
    """Return the columns' axes, numeric ones first.

    With ``below`` no publishable center costs less in any column than some candidate: integral columns have
    every whole number from the smallest to the largest, since a rounded mean lies between them; a range of
    numbers costs its distance to the nearest number in it; NULL in place of the table's most frequent
    category costs nothing, as the metric of the published table counts it; a column of very many categories
    costs nothing at all. Without it the candidates are centers that can be published: of ranges the middle,
    of very many categories the frequent ones.
    """
    numeric = [_numeric(problem, at, below=below) for at in range(problem.numbers.shape[1])]
    return (*numeric, *(_coded(problem, at, below=below) for at in range(problem.codes.shape[1])))


def _numeric(problem: ClusteringProblem, at: int, *, below: bool) -> GridColumn:
    numbers, weight = problem.numbers[:, at], float(problem.number_weight[at])
    values, place = np.unique(numbers, return_inverse=True)  # NaN, one of it, stands last
    known = values[np.isfinite(values)]
    if not len(known) or weight == 0.0:
        return GridColumn(place=np.zeros(problem.rows, dtype=np.int64), cost=np.zeros((1, 1)))
    is_integral = bool(problem.is_integral[at])
    low, high = _ranges(known, is_integral=is_integral)
    if below:
        cost = np.maximum(np.maximum(low - known[:, None], known[:, None] - high), 0.0) ** 2
    else:
        middle = (low + high) / 2
        cost = (known[:, None] - (np.rint(middle) if is_integral else middle)) ** 2
    if len(known) < len(values):
        to_mean = (known - problem.means[at]) ** 2
        cost = np.block(
            [[cost, to_mean[:, None]], [np.full((1, len(low)), problem.variances[at]), np.zeros((1, 1))]]
        )
    return GridColumn(place=place.reshape(-1), cost=cost * weight)


def _ranges(
    known: "NDArray[np.float64]", *, is_integral: bool
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return the lowest and the highest center of each candidate."""
    first, last = known[0], known[-1]
    if first == last:
        return known, known
    if is_integral and last - first < _MOST_PLACES:
        whole = first + np.arange(last - first + 1)
        return whole, whole
    # half of the ends lie by frequency, half by distance; together they cover everything in between
    ends = np.concatenate(
        [
            np.quantile(known, np.linspace(0, 1, _RANGES // 2)),
            np.linspace(first, last, _RANGES // 2),
        ]
    )
    ends = np.unique(np.rint(ends) if is_integral else ends)
    return ends[:-1], ends[1:]


def _coded(problem: ClusteringProblem, at: int, *, below: bool) -> GridColumn:
    codes, weight = problem.codes[:, at], float(problem.code_weight[at])
    values, place = np.unique(codes, return_inverse=True)
    if weight == 0.0:
        values, place = values[:1], np.zeros(problem.rows, dtype=np.int64)
    place = place.reshape(-1)
    if len(values) > _MOST_CATEGORIES:
        if below:
            return GridColumn(place=np.zeros_like(place), cost=np.zeros((1, 1)))
        often = np.argsort(-np.bincount(place, weights=problem.records), kind="stable")[:_MOST_CATEGORIES]
        cost = weight * (np.arange(len(values))[:, None] != often).astype(np.float64)
        return GridColumn(place=place, cost=cost)
    cost = weight * (1.0 - np.eye(len(values)))
    if below and len(values) and values[0] == 0:
        cost[int(np.bincount(place, weights=problem.records).argmax()), 0] = 0.0
    return GridColumn(place=place, cost=cost)


def own_centers(axes: tuple[GridColumn, ...]) -> "NDArray[np.int64]":
    """Return the center that costs each row least, shape (rows, columns)."""
    return np.stack([axis.own for axis in axes], axis=1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Near:
    """The pairs of a row and a candidate whose cost is at most the row's radius, sorted by candidate.

    Args:
        row: Shape (pairs,).
        candidate: Shape (pairs,), 0..number of ``centers`` − 1.
        cost: Shape (pairs,), the weighted loss of all records of the row.
        centers: Shape (candidates, columns), the position of each candidate on each axis.
    """

    row: "NDArray[np.int64]" = field(repr=False)
    candidate: "NDArray[np.int64]" = field(repr=False)
    cost: "NDArray[np.float64]" = field(repr=False)
    centers: "NDArray[np.int64]" = field(repr=False)


def near_pairs(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    radius: "NDArray[np.float64]",
    most: int,
    watch: Watch = UNWATCHED,
) -> Near | None:
    """Return the near pairs; None where there would be more than ``most``, and where the time is up.

    Args:
        axes: The columns.
        weights: Shape (rows,), records of each row.
        radius: Shape (rows,), the largest loss of one record of the row.
        most: Most pairs, at the end and in between.
        watch: Hears of parts.
    """
    row = np.arange(len(weights))
    cost = np.zeros(len(row))
    positions: list[NDArray[np.int64]] = []
    # whatever leaves fewest pairs goes first
    order = sorted(range(len(axes)), key=lambda at: -axes[at].cost.max(initial=0.0))
    for at in order:
        if len(row) * axes[at].candidates > _MOST_WORK:
            return None
        parts, cells = [], 4 * min(_CHUNK, len(row) * axes[at].candidates)
        for part in _extended(axes[at], row, cost, radius):
            parts.append(part)
            if sum(len(one[0]) for one in parts) > most or not watch.goes_on(cells):
                return None
        if not parts:
            return None
        kept, new, cost = (np.concatenate(part) for part in zip(*parts, strict=True))
        row, positions = row[kept], [one[kept] for one in positions]
        positions.append(new)
    stacked = np.stack([positions[order.index(at)] for at in range(len(axes))], axis=1)
    candidate = class_numbers(stacked)
    centers = np.empty((int(candidate.max()) + 1, len(axes)), dtype=np.int64)
    centers[candidate] = stacked
    by = np.argsort(candidate, kind="stable")
    return Near(row=row[by], candidate=candidate[by], cost=(cost * weights[row])[by], centers=centers)


def sampled_pairs(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    radius: "NDArray[np.float64]",
    generator: np.random.Generator,
) -> Near:
    """Return the pairs of rows with drawn rows as candidates, by their records, as many as memory allows."""
    count = max(1, min(len(weights), _MOST_DRAWN, _CHUNK // len(weights)))
    drawn = generator.choice(len(weights), size=count, replace=False, p=weights / weights.sum())
    centers = own_centers(axes)[drawn]
    table = costs(axes, weights, centers).T
    candidate, row = np.nonzero(table <= radius * weights)
    return Near(row=row, candidate=candidate, cost=table[candidate, row], centers=centers)


def _extended(
    axis: GridColumn, row: "NDArray[np.int64]", cost: "NDArray[np.float64]", radius: "NDArray[np.float64]"
) -> "Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]":
    """Yield which partial pairs go on, at which position of this axis and at what cost."""
    step = max(1, _CHUNK // axis.candidates)
    for first in range(0, len(row), step):
        part = slice(first, first + step)
        total = cost[part, None] + axis.cost[axis.place[row[part]]]
        kept, position = np.nonzero(total <= radius[row[part], None])
        yield kept + first, position, total[kept, position]


def costs(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    centers: "NDArray[np.int64]",
    rows: slice = slice(None),
) -> "NDArray[np.float64]":
    """Return the weighted loss of each row's records under each center, shape (rows, centers)."""
    held = weights[rows]
    total = np.zeros((len(held), len(centers)))
    for at, axis in enumerate(axes):
        total += axis.cost[:, centers[:, at]][axis.place[rows]]
    total *= held[:, None]
    return total


def filled_pairs(
    near: Near,
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    persons: "NDArray[np.int64]",
    k: int,
    watch: Watch = UNWATCHED,
) -> Near:
    """Return the near pairs and, of candidates that have few persons near, those of further rows.

    Each candidate gets its nearest rows until they have three times k persons. Candidates that are near to no
    row stay away: nobody would be saved by opening them. When the time is up the others stay as they are, and
    a bound on these pairs is smaller and still one.
    """
    candidates = len(near.centers)
    held = np.bincount(near.candidate, weights=persons[near.row], minlength=candidates)
    short = np.flatnonzero(held < _ENOUGH * k)
    rows: list[NDArray[np.int64]] = [near.row]
    owners: list[NDArray[np.int64]] = [near.candidate]
    step = max(1, _CHUNK // len(weights))
    for first in range(0, len(short), step):
        some = short[first : first + step]
        table = costs(axes, np.ones_like(weights), near.centers[some])
        order = np.argsort(table, axis=0, kind="stable")
        before = np.cumsum(persons[order], axis=0) - persons[order]
        at, candidate = np.nonzero(before < _ENOUGH * k)
        rows.append(order[at, candidate])
        owners.append(some[candidate])
        if not watch.goes_on(table.size * 30):
            break
    keys = np.unique(np.concatenate(owners) * len(weights) + np.concatenate(rows))
    candidate, row = keys // len(weights), keys % len(weights)
    cost = np.zeros(len(row))
    for column, axis in enumerate(axes):
        cost += axis.cost[axis.place[row], near.centers[candidate, column]]
    return Near(row=row, candidate=candidate, cost=cost * weights[row], centers=near.centers)

"""Records as points of mixed type: numbers in standard deviations, categories as they are."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import AnonymizationTask, ColumnValues, Parameter
from qidguard_standard.anonymizers.clustering.axis import numbers_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from qidguard.sdk import Hierarchy

_LARGEST_TABLE = 1024
"""Values up to which a hierarchy's distances are kept as a table; beyond it a category is equal or not."""


@dataclass(frozen=True, kw_only=True)
class Space:
    """Points, sorted by content: equal points stand together, in the source's order.

    Args:
        order: Shape (records,), the record of each point.
        numbers: Shape (numbers, records), in the column's unit, no NULL.
        shift: Shape (numbers,), the mean.
        scale: Shape (numbers,), what a distance of 1 is, in the column's unit; 1 for a constant.
        codes: Shape (categories, records).
        weights: Shape (categories,), the distance of two values that differ.
        is_squared: Whether a number adds the square of its difference, or else its size.
        tables: For each category None, where two values are equal or not, or the distances of its values.
    """

    order: "NDArray[np.int64]" = field(repr=False)
    numbers: "NDArray[np.float64]" = field(repr=False)
    shift: "NDArray[np.float64]" = field(repr=False)
    scale: "NDArray[np.float64]" = field(repr=False)
    codes: "NDArray[np.integer]" = field(repr=False)
    weights: "NDArray[np.float64]" = field(repr=False)
    is_squared: bool
    tables: "tuple[NDArray[np.float64] | None, ...]" = field(repr=False)

    @property
    def records(self) -> int:
        """Number of points."""
        return len(self.order)

    @property
    def has_tables(self) -> bool:
        """Whether a category has more distances than equal or not."""
        return any(table is not None for table in self.tables)

    @property
    def is_plain(self) -> bool:
        """Whether every category that differs counts 1."""
        return not self.has_tables and bool((self.weights == 1.0).all())

    def scaled(self) -> "NDArray[np.float64]":
        """Return the numbers less their mean, divided by the scale; shape (numbers, records)."""
        return (self.numbers - self.shift[:, None]) / self.scale[:, None]

    def of(self, points: "NDArray[np.int64]") -> "Space":
        """Return some of the points, ascending, on the same scale; ``order`` counts among them."""
        return Space(
            order=np.arange(len(points)),
            numbers=self.numbers[:, points],
            shift=self.shift,
            scale=self.scale,
            codes=self.codes[:, points],
            weights=self.weights,
            is_squared=self.is_squared,
            tables=self.tables,
        )

    def by_record(self, of_point: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return what holds for each point in the order of records; shape (records,)."""
        found = np.empty_like(of_point)
        found[self.order] = of_point
        return found


DISTANCE = Parameter(
    name="distance",
    type=str,
    default="squared",
    choices=("squared", "absolute", "loss"),
    meaning="what columns add to a distance: squared, Δ² in variances and 1 for a category that differs;"
    " absolute, |Δ| in standard deviations and 1; loss, as NCP weighs, (Δ / range)² and 1 / (values − 1)",
)


def space(columns: tuple[ColumnValues, ...], task: AnonymizationTask, distance: str = "squared") -> Space:
    """Return records as points.

    The distance of two points is a sum over columns. A number or date adds the square of |Δ| / standard
    deviation, or this itself where the distance is absolute; a category 0 where the two are equal and else 1,
    as Domingo-Ferrer & Torra 2005 have it for nominal values: a code has no order. Where the task has a
    hierarchy of a category it adds the share of the levels that must be climbed until the two are one group.
    NULL in a number takes the median, and is 1 away from every number as a category is; in a category it is
    1 further away than another category, for a class of both shows neither. By loss a number adds
    (Δ / range)², one of d values 1 / (d − 1).
    """
    order = np.lexsort([column.codes for column in reversed(columns)])
    numbers: list[NDArray[np.float64]] = []
    codes: list[NDArray[np.integer]] = []
    tables: list[NDArray[np.float64] | None] = []
    for column in columns:
        at = column.codes[order]
        scale = numbers_of(column)
        if scale is not None:
            values = scale[at]
            known = np.isfinite(values)
            if not known.all():
                codes.append((~known).astype(np.uint8))
                tables.append(None)
                values = np.where(known, values, np.sort(values[known])[int(known.sum()) // 2])
            numbers.append(values)
        else:
            codes.append(at)
            tables.append(_distances(column, task.hierarchies))
            if 0 < np.count_nonzero(at) < len(at):
                codes.append((at == 0).astype(np.uint8))
                tables.append(None)
    stacked = np.array(numbers).reshape(len(numbers), len(order))
    widths = np.ptp(stacked, axis=1) if distance == "loss" else stacked.std(axis=1)
    coded = np.array(codes, dtype=np.int64).reshape(len(codes), len(order))
    others = [len(np.unique(row)) - 1 if distance == "loss" else 1 for row in coded]
    weights = 1.0 / np.maximum(np.array(others, dtype=np.float64), 1.0)
    return Space(
        order=order,
        numbers=stacked,
        shift=stacked.mean(axis=1),
        scale=np.where(widths > 0, widths, 1.0),
        # few bits are compared many at a time
        codes=coded.astype(np.min_scalar_type(int(coded.max(initial=0)))),
        weights=weights,
        is_squared=distance != "absolute",
        tables=tuple(
            None if table is None else table * weight for table, weight in zip(tables, weights, strict=True)
        ),
    )


def _distances(column: ColumnValues, hierarchies: "Mapping[str, Hierarchy]") -> "NDArray[np.float64] | None":
    """Return the share of a hierarchy's levels up to the first on which two values are one group."""
    hierarchy = hierarchies.get(column.name)
    if hierarchy is None or hierarchy.groups.shape[1] > _LARGEST_TABLE:
        return None
    climbed = np.zeros((hierarchy.groups.shape[1],) * 2)
    for groups in hierarchy.groups[:-1]:
        climbed += groups[:, None] != groups[None, :]
    return climbed / (hierarchy.levels - 1)

"""Noised numbers published as intervals, so that k holds over all quasi-identifiers (``strict``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Hierarchy, NotMeasurable, Recoded, ValueType, interval_text, published_number
from qidguard_hybrid_dp.clusters.cuts import MISSING, parts_of
from qidguard_hybrid_dp.clusters.declared_grid import Grid, grids_of
from qidguard_hybrid_dp.clusters.k_member import Step
from qidguard_hybrid_dp.clusters.kinds import combinations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import PublishedValue


@dataclass(frozen=True, kw_only=True)
class NoisedNumeric:
    """A numeric quasi-identifier after its noise.

    Args:
        name: The column's name.
        numbers: Shape (n,), the noised numbers, NaN where missing.
        value_type: What the column's values are.
        hierarchy: The policy's hierarchy of intervals, or None.
    """

    name: str
    numbers: "NDArray[np.float64]" = field(repr=False)
    value_type: ValueType
    hierarchy: Hierarchy | None = field(default=None, repr=False)


def intervals(
    columns: Sequence[NoisedNumeric],
    categorical: Mapping[str, Recoded],
    *,
    k: int,
    mark: str,
    step: Step,
    persons: "NDArray[np.int64] | None" = None,
) -> dict[str, Recoded]:
    """Return noised numbers as intervals such that each class over all quasi-identifiers has k persons.

    Records that publish the same categories are cut by their noised numbers into parts of at least k persons
    (``parts_of``). A part publishes the lowest to the highest of its noised numbers, and the number itself
    where it has one only. With a hierarchy of intervals of equal widths it publishes the interval of the
    lowest level that holds both ends, the mark where none does. It is post-processing: nothing is read
    but noised numbers and published categories, so no interval tells more than these.

    Args:
        columns: The numeric QIDs after noise.
        categorical: What is published of the categorical QIDs; none where there are none.
        k: Persons a class keeps, ≥ 1.
        mark: The text of a suppressed cell.
        step: Hears of progress.
        persons: Shape (n,), a number for the person of each record; None where each record is one.

    Returns:
        Column → what is published. A part whose numbers are all missing publishes NULL, one in which some
        are the mark.

    Raises:
        NotMeasurable: When a class of published categories has fewer than k persons already, as where
            records are in no cluster.

    Example:
        >>> numbers = np.array([20.0, 21.0, 50.0, 50.0])
        >>> age = NoisedNumeric(name="age", numbers=numbers, value_type=ValueType.INTEGER)
        >>> made = intervals([age], {}, k=2, mark="*", step=lambda title, done, total: None)["age"]
        >>> [made.values[code] for code in made.codes.tolist()]
        ['[20, 21]', '[20, 21]', 50, 50]
    """
    if not columns or not len(columns[0].numbers):
        empty = np.zeros(0, dtype=np.int64)
        return {column.name: Recoded(codes=empty, values=()) for column in columns}
    n = len(columns[0].numbers)
    classes = combinations([one.codes for one in categorical.values()] or [np.zeros(n, dtype=np.int64)])
    smallest = _smallest(classes, persons)
    if smallest < k:
        raise NotMeasurable(
            f"strict needs k = {k} persons in each class of published categories, and one has {smallest};"
            " put every record in a cluster (cluster: both), or leave strict out"
        )
    numbers = [np.where(np.isnan(column.numbers), MISSING, column.numbers) for column in columns]
    parts = parts_of(
        numbers, classes, k=k, persons=persons, told=lambda done, total: step("intervals", done, total)
    )
    return {
        column.name: _published(column, own, parts, mark)
        for column, own in zip(columns, numbers, strict=True)
    }


def _smallest(classes: "NDArray[np.int64]", persons: "NDArray[np.int64] | None") -> int:
    if persons is None:
        return int(np.bincount(classes).min())
    span = int(persons.max()) + 1
    return int(np.bincount(np.unique(classes * span + persons) // span).min())


def _published(
    column: NoisedNumeric, numbers: "NDArray[np.float64]", parts: "NDArray[np.int64]", mark: str
) -> Recoded:
    order = np.argsort(parts, kind="stable")
    starts = np.searchsorted(parts[order], np.arange(int(parts.max()) + 1))
    low = np.minimum.reduceat(numbers[order], starts)
    high = np.maximum.reduceat(numbers[order], starts)
    grids = () if column.hierarchy is None else grids_of(column.hierarchy)
    places: dict[tuple[type, PublishedValue], int] = {}
    shown = []
    for ends in zip(low.tolist(), high.tolist(), strict=True):
        value = _shown(ends, column, grids, mark)
        shown.append(places.setdefault((type(value), value), len(places)))
    return Recoded(codes=np.array(shown)[parts], values=tuple(value for _, value in places))


def _shown(
    ends: tuple[float, float], column: NoisedNumeric, grids: Sequence[Grid], mark: str
) -> "PublishedValue":
    low, high = ends
    if low == MISSING:
        return None if high == MISSING else mark
    if low == high:
        return published_number(low, column.value_type)
    if column.hierarchy is not None:
        return next((text for grid in grids if (text := grid.holding(low, high))), mark)
    return interval_text(_text(low, column.value_type), _text(high, column.value_type))


def _text(number: float, value_type: ValueType) -> str:
    shown = published_number(number, value_type)
    if isinstance(shown, datetime):
        return shown.isoformat(" ")
    return str(int(shown)) if isinstance(shown, float) and shown.is_integer() else str(shown)

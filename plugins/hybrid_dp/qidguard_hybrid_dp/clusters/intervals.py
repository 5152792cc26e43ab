"""Noised numbers published as intervals, so that k holds over all quasi-identifiers (``strict``)."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Hierarchy, NotMeasurable, Recoded, ValueType, interval_text, published_number
from qidguard_hybrid_dp.clusters.cuts import MISSING, parts_of
from qidguard_hybrid_dp.clusters.k_member import Step
from qidguard_hybrid_dp.clusters.kinds import combinations, persons_of

if TYPE_CHECKING:
    from re import Match

    from numpy.typing import NDArray

    from qidguard.sdk import PublishedValue


_NUMBER = r"-?\d+(?:\.\d+)?"
_CLOSED = re.compile(rf"(\[?)({_NUMBER})(\s*[,–-]\s*)({_NUMBER})(\]?)")
_HALF_OPEN = re.compile(rf"(\[)({_NUMBER})(\s*,\s*)({_NUMBER})(\))")


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Intervals of equal width, side by side, as a policy's hierarchy declares them.

    Which of them hold a value is the table's secret: a noised number may fall into any of them.

    Args:
        origin: Where one of them begins, in the column's unit.
        period: From where one begins to where the next does, > 0.
        marks: What stands before, between and after the two ends.
        is_closed: Whether both ends are whole numbers that belong to the interval.
    """

    origin: float
    period: float
    marks: tuple[str, str, str]
    is_closed: bool

    def holding(self, low: float, high: float) -> str:
        """Return the text of the interval that holds both numbers, nothing where there is none.

        Example:
            >>> fives = Grid(origin=15.0, period=5.0, marks=("", "-", ""), is_closed=True)
            >>> fives.holding(21, 24), fives.holding(24, 25)
            ('20-24', '')
        """
        if self.is_closed and not (float(low).is_integer() and float(high).is_integer()):
            return ""
        place = math.floor((low - self.origin) / self.period)
        if math.floor((high - self.origin) / self.period) != place:
            return ""
        begin = self.origin + place * self.period
        ends = begin, begin + self.period - (1 if self.is_closed else 0)
        first, last = (str(int(end)) if self.is_closed else repr(end) for end in ends)
        before, between, after = self.marks
        return f"{before}{first}{between}{last}{after}"


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
    smallest = int(persons_of(classes, persons).min())
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


def grids_of(hierarchy: Hierarchy) -> tuple[Grid, ...]:
    """Return the grids of the levels that are intervals of equal width, finest first.

    A level with any other label, as of an open end, is left out.

    Example:
        >>> import numpy as np
        >>> age = Hierarchy(
        ...     column="age",
        ...     groups=np.array([[0, 1, 2], [0, 1, 2], [0, 0, 0]], dtype=np.int32),
        ...     labels=((None, "17", "33"), (None, "15-19", "30-34"), ("*",)),
        ... )
        >>> grids_of(age)[0].holding(21, 24)
        '20-24'
    """
    found = (_grid([name for name in names if name is not None]) for names in hierarchy.labels[1:-1])
    return tuple(grid for grid in found if grid is not None)


def unusable_levels(hierarchy: Hierarchy) -> tuple[int, ...]:
    """Return the levels between values and mark that are no intervals of equal width, as ``strict`` needs.

    Example:
        >>> import numpy as np
        >>> age = Hierarchy(
        ...     column="age",
        ...     groups=np.array([[0, 1, 2], [0, 1, 2], [0, 0, 0]], dtype=np.int32),
        ...     labels=((None, "17", "33"), (None, "15-19", "30+"), ("*",)),
        ... )
        >>> unusable_levels(age)
        (1,)
    """
    levels = enumerate(hierarchy.labels[1:-1], start=1)
    return tuple(at for at, names in levels if _grid([name for name in names if name is not None]) is None)


def _grid(names: list[str]) -> Grid | None:
    for form in (_CLOSED, _HALF_OPEN):
        matches = [form.fullmatch(name) for name in names]
        if names and all(matches):
            return _of_matches([match for match in matches if match is not None], form is _CLOSED)
    return None


def _of_matches(matches: "list[Match[str]]", is_closed: bool) -> Grid | None:  # noqa: FBT001 - the form says it
    lows = [float(match[2]) for match in matches]
    periods = {float(match[4]) - float(match[2]) + (1 if is_closed else 0) for match in matches}
    marks = {(match[1], match[3], match[5]) for match in matches}
    period = min(periods)
    is_whole = not is_closed or all(float(end).is_integer() for m in matches for end in (m[2], m[4]))
    if len(periods) > 1 or len(marks) > 1 or period <= 0 or not is_whole:
        return None
    if any(not math.isclose((low - lows[0]) / period, round((low - lows[0]) / period)) for low in lows):
        return None
    return Grid(origin=min(lows), period=period, marks=marks.pop(), is_closed=is_closed)

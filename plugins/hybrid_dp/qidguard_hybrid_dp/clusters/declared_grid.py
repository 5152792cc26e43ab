"""The equal intervals that a policy's hierarchy declares, also where no value of the table falls into one.

Which of its intervals hold a value is the table's secret: a noised number may fall into any of them.
"""

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.sdk import Hierarchy

if TYPE_CHECKING:
    from re import Match

_NUMBER = r"-?\d+(?:\.\d+)?"
_CLOSED = re.compile(rf"(\[?)({_NUMBER})(\s*[,–-]\s*)({_NUMBER})(\]?)")
_HALF_OPEN = re.compile(rf"(\[)({_NUMBER})(\s*,\s*)({_NUMBER})(\))")


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Intervals of equal width, side by side.

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

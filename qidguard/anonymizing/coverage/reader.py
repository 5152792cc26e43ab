"""Published texts read as what they stand for."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qidguard.anonymizing.coverage.domain import Domain, number_of
from qidguard.anonymizing.coverage.notation import Span, joined_parts, read_period, read_span, set_members
from qidguard.core.column import ValueType
from qidguard.core.hierarchy import Hierarchy

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Labels:
    """Labels above the exact level of a hierarchy. One label for several groups stands for the widest.

    Args:
        hierarchy: The hierarchy.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        self._sorted: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    @cached_property
    def _places(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """Return label → its level, and its groups there: more than one where they share the label."""
        groups_of: dict[str, tuple[int, tuple[int, ...]]] = {}
        most: dict[str, int] = {}
        for level in range(1, self._hierarchy.levels):
            sizes = np.bincount(self._hierarchy.groups[level], minlength=len(self._hierarchy.labels[level]))
            here: dict[str, list[int]] = {}
            for group, label in enumerate(self._hierarchy.labels[level]):
                if label is not None:
                    here.setdefault(label, []).append(group)
            for label, groups in here.items():
                size = int(sizes[groups].sum())
                if size > most.get(label, 0):
                    most[label], groups_of[label] = size, (level, tuple(groups))
        return groups_of

    def codes(self, label: str) -> "NDArray[np.int64] | None":
        """Return the original codes that a label stands for; None where it is none."""
        place = self._places.get(label)
        if place is None:
            return None
        level, groups = place
        order, starts = self._level(level)
        return np.concatenate([order[starts[group] : starts[group + 1]] for group in groups])

    def _level(self, level: int) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
        if level not in self._sorted:
            groups = self._hierarchy.groups[level]
            sizes = np.bincount(groups, minlength=len(self._hierarchy.labels[level]))
            self._sorted[level] = np.argsort(groups, kind="stable"), np.concatenate([[0], np.cumsum(sizes)])
        return self._sorted[level]


class Reading(NamedTuple):
    """What a published text covers.

    Args:
        runs: Ranges of ranks, ascending and apart from one another.
        low: Lower end in the column's numbers, within what occurs in the original; NaN without one.
        high: Upper end.
        is_point: Whether it is a number that does not occur in the original.
    """

    runs: tuple[tuple[int, int], ...]
    low: float = math.nan
    high: float = math.nan
    is_point: bool = False


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Reads published texts of one column; marks of suppression are not its business."""

    domain: Domain
    labels: Labels | None

    def read(self, text: str) -> Reading | None:
        """Return what a text covers; None where it cannot be read."""
        return (
            self.read_one(text)
            or self._set(text)
            or self._joined(text)
            or self._prefix(text)
            or self._point(text)
        )

    def read_one(self, text: str) -> Reading | None:
        """Return what a value, label or interval covers."""
        return self._value(text) or self.read_label(text) or self._interval(text)

    def read_label(self, text: str) -> Reading | None:
        """Return what a label of the hierarchy covers; None where the text is none."""
        codes = None if self.labels is None else self.labels.codes(text)
        return None if codes is None else self._of_runs(self.domain.runs(codes))

    def everything(self) -> Reading:
        """Return what a suppressed cell covers: each value that occurs."""
        return self._of_runs([(0, self.domain.size)])

    def missing(self) -> Reading:
        """Return what NULL covers: itself, where it occurs."""
        last = self.domain.size
        return Reading(((last - 1, last),) if self.domain.has_missing else ())

    def _value(self, text: str) -> Reading | None:
        code = self.domain.by_text.get(text)
        if code is not None:
            rank = int(self.domain.rank[code])
            return self._of_runs([(rank, rank + 1)])
        position = self._exact(text)
        if position is None:
            return None
        first, end = self.domain.between(position, position)
        return self._of_runs([(first, end)]) if first < end else None

    def _interval(self, text: str) -> Reading | None:
        if not len(self.domain.positions) or self._exact(text) is not None:
            return None
        span = read_period(text) if self.domain.is_dated else None
        if span is None and not self.domain.is_dated and text.endswith("0s") and text[:-1].isdecimal():
            span = Span(float(text[:-1]), float(text[:-1]) + 10, is_high_open=True)
        if span is None:
            span = read_span(text, self._end)
        return None if span is None else self._of_span(span)

    def _set(self, text: str) -> Reading | None:
        members = set_members(text)
        if members is None:
            return None
        readings = [self.missing() if member is None else self.read_one(member) for member in members]
        return _union([reading for reading in readings if reading], len(members))

    def _joined(self, text: str) -> Reading | None:
        for parts in joined_parts(text):
            readings = [reading for part in parts if (reading := self._value(part))]
            if len(readings) == len(parts):
                return _union(readings, len(parts))
        return None

    def _prefix(self, text: str) -> Reading | None:
        prefix = text.rstrip("*")
        stars = len(text) - len(prefix)
        if not stars:
            return None
        # several stars are a place each; one star, or a length that does not occur, is any rest
        codes = self.domain.starting_with(prefix, len(text)) if stars > 1 else []
        codes = codes or self.domain.starting_with(prefix, None)
        return self._of_runs(self.domain.runs(np.array(codes))) if codes else None

    def _point(self, text: str) -> Reading | None:
        position = self._exact(text)
        return None if position is None else Reading((), position, position, is_point=True)

    def _exact(self, text: str) -> float | None:
        """Return the one number, day or moment that a text writes; None for anything else."""
        if not self.domain.is_dated:
            has_numbers = self.domain.column.has_scale or self.domain.column.value_type is ValueType.TEXT
            return number_of(text) if has_numbers and len(self.domain.positions) else None
        period = read_period(text)
        is_day = period is not None and self.domain.is_whole and period.high - period.low == 1
        return period.low if period is not None and (is_day or period.low == period.high) else None

    def _end(self, text: str) -> Span | None:
        """Return one end of an interval."""
        position = self.domain.position_of(text)
        if position is None and self.domain.is_dated:
            return read_period(text)
        position = number_of(text) if position is None else position
        return None if position is None else Span(position, position)

    def _of_span(self, span: Span) -> Reading:
        low, high = _closed(span) if self.domain.is_whole else (span.low, span.high)
        is_open = (span.is_low_open, span.is_high_open) if not self.domain.is_whole else (False, False)
        positions = self.domain.positions
        run = self.domain.between(
            math.nextafter(low, math.inf) if is_open[0] else low,
            math.nextafter(high, -math.inf) if is_open[1] else high,
        )
        first, last = float(positions[0]), float(positions[-1])
        low, high = min(max(low, first), last), max(min(high, last), first)
        return Reading((run,) if run[0] < run[1] else (), low, max(low, high))

    def _of_runs(self, runs: list[tuple[int, int]]) -> Reading:
        positions = self.domain.positions
        placed = [(first, min(end, len(positions))) for first, end in runs if first < len(positions)]
        if not placed:
            return Reading(tuple(runs))
        return Reading(tuple(runs), float(positions[placed[0][0]]), float(positions[placed[-1][1] - 1]))


def _closed(span: Span) -> tuple[float, float]:
    """Return the lowest and the highest whole number of an interval; infinite ends stay."""
    low, high = span.low, span.high
    if math.isfinite(low):
        low = math.floor(low) + 1.0 if span.is_low_open else float(math.ceil(low))
    if math.isfinite(high):
        high = math.ceil(high) - 1.0 if span.is_high_open else float(math.floor(high))
    return low, high


def _union(readings: list[Reading], expected: int) -> Reading | None:
    """Return what all readings cover together; None where one of them is lacking."""
    if len(readings) != expected:
        return None
    runs: list[tuple[int, int]] = []
    for first, end in sorted(run for reading in readings for run in reading.runs):
        if runs and first <= runs[-1][1]:
            runs[-1] = runs[-1][0], max(end, runs[-1][1])
        else:
            runs.append((first, end))
    lows = [reading.low for reading in readings if not math.isnan(reading.low)]
    highs = [reading.high for reading in readings if not math.isnan(reading.high)]
    return Reading(tuple(runs), min(lows, default=math.nan), max(highs, default=math.nan))

"""Read what the published values of a column stand for."""

import math
import weakref
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qidguard.anonymizing.coverage.coverage import Coverage
from qidguard.anonymizing.coverage.domain import OriginalDomain, domain_of, number_of
from qidguard.anonymizing.coverage.notation import Span, joined_parts, read_period, read_span, set_members
from qidguard.core.column import ValueType
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.core.column import ColumnValues


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


class CoveredText(NamedTuple):
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
class CoverageReader:
    """Reads published texts of one column; marks of suppression are not its business."""

    domain: OriginalDomain
    labels: Labels | None

    def read(self, text: str) -> CoveredText | None:
        """Return what a text covers; None where it cannot be read."""
        return (
            self.read_one(text)
            or self._set(text)
            or self._joined(text)
            or self._prefix(text)
            or self._point(text)
        )

    def read_one(self, text: str) -> CoveredText | None:
        """Return what a value, label or interval covers."""
        return self._value(text) or self.read_label(text) or self._interval(text)

    def read_label(self, text: str) -> CoveredText | None:
        """Return what a label of the hierarchy covers; None where the text is none."""
        codes = None if self.labels is None else self.labels.codes(text)
        return None if codes is None else self._of_runs(self.domain.runs(codes))

    def everything(self) -> CoveredText:
        """Return what a suppressed cell covers: each value that occurs."""
        return self._of_runs([(0, self.domain.size)])

    def missing(self) -> CoveredText:
        """Return what NULL covers: itself, where it occurs."""
        last = self.domain.size
        return CoveredText(((last - 1, last),) if self.domain.has_missing else ())

    def _value(self, text: str) -> CoveredText | None:
        code = self.domain.by_text.get(text)
        if code is not None:
            rank = int(self.domain.rank[code])
            return self._of_runs([(rank, rank + 1)])
        position = self._exact(text)
        if position is None:
            return None
        first, end = self.domain.between(position, position)
        return self._of_runs([(first, end)]) if first < end else None

    def _interval(self, text: str) -> CoveredText | None:
        if not len(self.domain.positions) or self._exact(text) is not None:
            return None
        span = read_period(text) if self.domain.is_dated else None
        if span is None and not self.domain.is_dated and text.endswith("0s") and text[:-1].isdecimal():
            span = Span(float(text[:-1]), float(text[:-1]) + 10, is_high_open=True)
        if span is None:
            span = read_span(text, self._end)
        return None if span is None else self._of_span(span)

    def _set(self, text: str) -> CoveredText | None:
        members = set_members(text)
        if members is None:
            return None
        readings = [self.missing() if member is None else self.read_one(member) for member in members]
        return _union([reading for reading in readings if reading], len(members))

    def _joined(self, text: str) -> CoveredText | None:
        for parts in joined_parts(text):
            readings = [reading for part in parts if (reading := self._value(part))]
            if len(readings) == len(parts):
                return _union(readings, len(parts))
        return None

    def _prefix(self, text: str) -> CoveredText | None:
        prefix = text.rstrip("*")
        stars = len(text) - len(prefix)
        if not stars:
            return None
        # several stars are a place each; one star, or a length that does not occur, is any rest
        codes = self.domain.starting_with(prefix, len(text)) if stars > 1 else []
        codes = codes or self.domain.starting_with(prefix, None)
        return self._of_runs(self.domain.runs(np.array(codes))) if codes else None

    def _point(self, text: str) -> CoveredText | None:
        position = self._exact(text)
        return None if position is None else CoveredText((), position, position, is_point=True)

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

    def _of_span(self, span: Span) -> CoveredText:
        low, high = _closed(span) if self.domain.is_whole else (span.low, span.high)
        is_open = (span.is_low_open, span.is_high_open) if not self.domain.is_whole else (False, False)
        positions = self.domain.positions
        run = self.domain.between(
            math.nextafter(low, math.inf) if is_open[0] else low,
            math.nextafter(high, -math.inf) if is_open[1] else high,
        )
        first, last = float(positions[0]), float(positions[-1])
        low, high = min(max(low, first), last), max(min(high, last), first)
        return CoveredText((run,) if run[0] < run[1] else (), low, max(low, high))

    def _of_runs(self, runs: list[tuple[int, int]]) -> CoveredText:
        positions = self.domain.positions
        placed = [(first, min(end, len(positions))) for first, end in runs if first < len(positions)]
        if not placed:
            return CoveredText(tuple(runs))
        return CoveredText(tuple(runs), float(positions[placed[0][0]]), float(positions[placed[-1][1] - 1]))


def _closed(span: Span) -> tuple[float, float]:
    """Return the lowest and the highest whole number of an interval; infinite ends stay."""
    low, high = span.low, span.high
    if math.isfinite(low):
        low = math.floor(low) + 1.0 if span.is_low_open else float(math.ceil(low))
    if math.isfinite(high):
        high = math.ceil(high) - 1.0 if span.is_high_open else float(math.floor(high))
    return low, high


def _union(readings: list[CoveredText], expected: int) -> CoveredText | None:
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
    return CoveredText(tuple(runs), min(lows, default=math.nan), max(highs, default=math.nan))


def read_coverage(
    before: "ColumnValues",
    after: "ColumnValues",
    hierarchy: "Hierarchy | None" = None,
    suppression_mark: str | None = None,
) -> Coverage:
    """Read which original values each published value stands for, from the published text alone.

    The first of these that applies: the same value, by text or, of numbers, dates and moments, by number;
    the suppression mark or ``*``: everything; a label of the hierarchy, the widest group where levels share
    it; an interval ``[a, b]``, ``(a, b]``, ``[a, b[``, ``a-b``, ``a..b``, ``>= a``, ``< b``, ``a+``,
    ``2020s`` or a period ``2021-03``, ``2021-Q1``, ``2021``; a set ``{a, b}`` as ``set_text`` writes it, of
    values, labels and intervals; values joined by comma, tilde, semicolon or bar; a prefix ``101**``; a
    number that does not occur, which covers nothing. An anonymizer's own word counts for nothing.

    NULL and the mark stand for themselves where the original column holds at least as many of them as the
    published one; otherwise some cell was suppressed, nobody can tell which, and they cover everything. By
    the same rule a value that is a label of the hierarchy, too, stands for itself or for the label's group.

    Args:
        before: The original column.
        after: The published column.
        hierarchy: The hierarchy that published labels may come from, bound to the original column.
        suppression_mark: The text of a suppressed cell, beside ``*``.

    Returns:
        What each code of ``after`` covers. Texts that cannot be read are marked so and cover nothing.

    Units:
        Codes.

    Raises:
        DataError: When the hierarchy is bound to another column's values.

    Example:
        >>> import numpy as np
        >>> from qidguard.sdk import ColumnValues, ValueType
        >>> def column(*texts):
        ...     codes = np.arange(1, len(texts) + 1)
        ...     return ColumnValues(name="job", value_type=ValueType.TEXT, codes=codes, texts=(None, *texts))
        >>> read = read_coverage(column("clerk", "nurse", "priest"), column("*", "nurse", "{clerk, nurse}"))
        >>> read.counts[1:].tolist(), read.loss[1:].tolist()
        ([3, 1, 2], [1.0, 0.0, 0.5])
    """
    if hierarchy is not None and hierarchy.groups.shape[1] != len(before.texts):
        raise DataError(
            f"a hierarchy groups the values of its own column, but that of {before.name!r} groups"
            f" {hierarchy.groups.shape[1] - 1:,} values where there are {before.distinct:,}; bind it anew"
        )
    asked = (id(before), id(hierarchy), suppression_mark)
    read = _READ.get(id(after), {})
    if asked not in read:
        if not read:
            _READ[id(after)] = read
            weakref.finalize(after, _READ.pop, id(after), None)
        read[asked] = hierarchy, _read(before, after, hierarchy, suppression_mark)
    return read[asked][1]


_READ: "dict[int, dict[tuple[int, int, str | None], tuple[Hierarchy | None, Coverage]]]" = {}
"""What was read of published columns that are still there; it keeps what its keys are numbers of."""


def _read(
    before: "ColumnValues",
    after: "ColumnValues",
    hierarchy: "Hierarchy | None",
    suppression_mark: str | None,
) -> Coverage:
    domain = domain_of(before)
    reader = CoverageReader(domain=domain, labels=None if hierarchy is None else Labels(hierarchy))
    same = _same(domain, after)
    grown = _grown(domain, after, same)
    is_mark = np.array([text in {None, SUPPRESSED, suppression_mark} for text in after.texts])
    is_label = _labels_like_values(reader, after, grown & (same >= 0) & ~is_mark)
    same[is_label] = -1
    readings: list[CoveredText | None] = []
    for code, text in enumerate(after.texts):
        if is_mark[code] and grown[code]:
            readings.append(reader.everything())
        elif text is None:
            readings.append(reader.missing())
        else:
            readings.append(reader.read_label(text) if is_label[code] else reader.read(text))
    return _coverage(domain, readings, is_mark, grown, same)


def _same(domain: OriginalDomain, after: "ColumnValues") -> "NDArray[np.int64]":
    """Return the original code of the same value for each published one, −1 where there is none."""
    codes = [-1 if text is None else domain.by_text.get(text, -1) for text in after.texts]
    codes[0] = 0
    return np.array(codes, dtype=np.int64)


def _grown(domain: OriginalDomain, after: "ColumnValues", same: "NDArray[np.int64]") -> "NDArray[np.bool_]":
    """Return which published values more cells have than in the original: some of them stand for others."""
    before = np.bincount(domain.column.codes, minlength=len(domain.column.texts))
    published = np.bincount(after.codes, minlength=len(after.texts))
    grown: NDArray[np.bool_] = published > np.where(same < 0, 0, before[same])
    return grown


def _labels_like_values(
    reader: CoverageReader, after: "ColumnValues", is_same: "NDArray[np.bool_]"
) -> "NDArray[np.bool_]":
    """Return which of some published values, each a value of the original, are labels as well."""
    return np.array(
        [
            text is not None and bool(like) and reader.read_label(text) is not None
            for text, like in zip(after.texts, is_same, strict=True)
        ],
        dtype=np.bool_,
    )


def _coverage(
    domain: OriginalDomain,
    readings: list[CoveredText | None],
    is_mark: "NDArray[np.bool_]",
    grown: "NDArray[np.bool_]",
    same: "NDArray[np.int64]",
) -> Coverage:
    known = [CoveredText(()) if reading is None else reading for reading in readings]
    runs = list(chain.from_iterable(reading.runs for reading in known))
    ranges = np.array(runs, dtype=np.int64).reshape(-1, 2)
    return Coverage(
        domain=domain,
        starts=np.concatenate([[0], np.cumsum([len(reading.runs) for reading in known])]).astype(np.int64),
        firsts=ranges[:, 0],
        ends=ranges[:, 1],
        lows=np.array([reading.low for reading in known], dtype=np.float64),
        highs=np.array([reading.high for reading in known], dtype=np.float64),
        is_point=np.array([reading.is_point for reading in known], dtype=np.bool_),
        is_mark=is_mark,
        is_suppressed=is_mark & grown,
        is_unreadable=np.array([reading is None for reading in readings], dtype=np.bool_),
        same=_same_by_number(domain, known, same),
    )


def _same_by_number(
    domain: OriginalDomain, readings: list[CoveredText], same: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """Return the original codes of the same values, those written as another text of the number included."""
    for code, reading in enumerate(readings):
        if same[code] < 0 and len(reading.runs) == 1 and not math.isnan(reading.low):
            first, end = reading.runs[0]
            if end - first == 1 and reading.low == reading.high and first < len(domain.positions):
                same[code] = domain.order[first]
    return same

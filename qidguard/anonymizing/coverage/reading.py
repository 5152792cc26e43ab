"""Read what the published values of a column stand for."""

import math
import weakref
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from qidguard.anonymizing.coverage.coverage import Coverage
from qidguard.anonymizing.coverage.domain import Domain, domain_of
from qidguard.anonymizing.coverage.reader import Labels, Reader, Reading
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.core.column import ColumnValues
    from qidguard.core.hierarchy import Hierarchy


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
    reader = Reader(domain=domain, labels=None if hierarchy is None else Labels(hierarchy))
    same = _same(domain, after)
    grown = _grown(domain, after, same)
    is_mark = np.array([text in {None, SUPPRESSED, suppression_mark} for text in after.texts])
    is_label = _labels_like_values(reader, after, grown & (same >= 0) & ~is_mark)
    same[is_label] = -1
    readings: list[Reading | None] = []
    for code, text in enumerate(after.texts):
        if is_mark[code] and grown[code]:
            readings.append(reader.everything())
        elif text is None:
            readings.append(reader.missing())
        else:
            readings.append(reader.read_label(text) if is_label[code] else reader.read(text))
    return _coverage(domain, readings, is_mark, grown, same)


def _same(domain: Domain, after: "ColumnValues") -> "NDArray[np.int64]":
    """Return the original code of the same value for each published one, −1 where there is none."""
    codes = [-1 if text is None else domain.by_text.get(text, -1) for text in after.texts]
    codes[0] = 0
    return np.array(codes, dtype=np.int64)


def _grown(domain: Domain, after: "ColumnValues", same: "NDArray[np.int64]") -> "NDArray[np.bool_]":
    """Return which published values more cells have than in the original: some of them stand for others."""
    before = np.bincount(domain.column.codes, minlength=len(domain.column.texts))
    published = np.bincount(after.codes, minlength=len(after.texts))
    grown: NDArray[np.bool_] = published > np.where(same < 0, 0, before[same])
    return grown


def _labels_like_values(
    reader: Reader, after: "ColumnValues", is_same: "NDArray[np.bool_]"
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
    domain: Domain,
    readings: list[Reading | None],
    is_mark: "NDArray[np.bool_]",
    grown: "NDArray[np.bool_]",
    same: "NDArray[np.int64]",
) -> Coverage:
    known = [Reading(()) if reading is None else reading for reading in readings]
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
    domain: Domain, readings: list[Reading], same: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """Return the original codes of the same values, those written as another text of the number included."""
    for code, reading in enumerate(readings):
        if same[code] < 0 and len(reading.runs) == 1 and not math.isnan(reading.low):
            first, end = reading.runs[0]
            if end - first == 1 and reading.low == reading.high and first < len(domain.positions):
                same[code] = domain.order[first]
    return same

"""Two columns of numbers reckoned together, and which of many readings are worth a closer look."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.reading import Part, Read, RecordReading
from qidguard.undoing.scale import Scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_DIGITS = 6
"""Significant digits of a product or a quotient, of which the numbers may have been rounded themselves."""

_AGREEING = 0.5
"""How much more often than by chance neighbors must agree, as a share of what there is to gain."""

_CORRELATED = 0.98

_OPERATIONS: "dict[str, Callable[[Numbers, Numbers], Numbers]]" = {
    "sum": np.add,
    "difference": np.subtract,
    "product": np.multiply,
    "quotient": np.divide,
    "inverse quotient": lambda one, other: np.divide(other, one),
}


def reckoned(scales: Sequence[Scale]) -> list[Part]:
    """Return sum, difference, product and quotients of every two columns of numbers."""
    return [
        Part(columns=(one.name, other.name), words=words, read_from=partial(_reckon, operation))
        for one, other in combinations(scales, 2)
        for words, operation in _OPERATIONS.items()
    ]


def together(one: str, other: str) -> Part:
    """Return the values of two columns, taken together."""
    return Part(columns=(one, other), read_from=_joint)


def _joint(one: Scale, other: Scale) -> Read:
    return Read(1 + one.codes * other.size + other.codes)


def _reckon(operation: "Callable[[Numbers, Numbers], Numbers]", one: Scale, other: Scale) -> Read:
    assert one.numbers is not None and other.numbers is not None  # noqa: S101, PT018 - only such are reckoned
    with np.errstate(all="ignore"):
        numbers = operation(one.numbers[one.codes], other.numbers[other.codes])
        is_exact = operation in {np.add, np.subtract}
        digits = 2 * _DIGITS if is_exact else _DIGITS
        size = np.power(10.0, np.floor(np.log10(np.abs(numbers))) + 1 - digits)
        rounded = np.where(numbers == 0, 0.0, np.rint(numbers / size) * size)
    is_number = np.isfinite(rounded)
    exact = np.float64 if is_exact else np.float32  # the last bits of what is rounded may differ
    some, codes = np.unique(rounded[is_number].astype(exact), return_inverse=True)
    place = np.zeros(len(numbers), dtype=np.int64)
    place[is_number] = codes + 1
    return Read(place, None, np.append(np.nan, some.astype(np.float64)))


class Promising:
    """Many readings over the same few records, of which few are worth a closer look.

    Args:
        readings: The readings.
        columns: The columns of numbers over these records.
    """

    def __init__(self, readings: Sequence[RecordReading], columns: Sequence[Scale] = ()) -> None:
        self._readings = readings
        if not readings:
            return
        self._codes = np.stack([reading.codes for reading in readings])
        self._order = np.argsort(self._codes, axis=1, kind="stable")
        ordered = np.take_along_axis(self._codes, self._order, axis=1)
        self._is_same = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] > 0)
        commonest = np.array([np.bincount(codes).argmax() for codes in self._codes])[:, None]
        self._is_rarer = self._is_same & (ordered[:, 1:] != commonest)
        self._chance = np.array([_agreement(codes) for codes in self._codes])
        nothing = np.full(self._codes.shape[1], np.nan)
        numbers = [nothing if r.numbers is None else r.numbers[r.codes] for r in readings]
        own = {column.name: column.numbers[column.codes] for column in columns if column.numbers is not None}
        self._members = [[list(own).index(c) for c in r.part.columns if c in own] for r in readings]
        self._numbers, self._own = standard(np.stack(numbers)), standard(np.stack([nothing, *own.values()]))

    def of(self, qid: Scale) -> list[RecordReading]:
        """Return the readings that may be known by the values of a QID, or tell them."""
        if not self._readings:
            return []
        values, chance = qid.codes, _agreement(qid.codes)
        told = values[self._order]
        agree = told[:, 1:] == told[:, :-1]
        chosen = _beyond(agree, self._is_same, chance) | _beyond(agree, self._is_rarer, chance)
        order = np.argsort(values, kind="stable")
        read = self._codes[:, order]
        is_same = (values[order][1:] == values[order][:-1]) & (read[:, 1:] > 0) & (read[:, :-1] > 0)
        chosen |= _beyond(read[:, 1:] == read[:, :-1], is_same, self._chance)
        if qid.numbers is not None:
            numbers = standard(qid.numbers[qid.codes][None])[0]
            alone, follows = np.abs(self._own @ numbers)[1:], np.abs(self._numbers @ numbers)
            better = np.array([alone[some].max(initial=0.0) for some in self._members])
            chosen |= (follows >= _CORRELATED) & (follows > better + 1e-9)
        return [self._readings[place] for place in np.flatnonzero(chosen).tolist()]


def standard(rows: "Numbers") -> "Numbers":
    """Return rows of mean 0 and length 1, whose products are correlations; what is no number is the mean."""
    is_number = np.isfinite(rows)
    held = np.where(is_number, rows, 0.0)
    means = held.sum(axis=1, keepdims=True) / np.maximum(is_number.sum(axis=1, keepdims=True), 1)
    apart = np.where(is_number, held - means, 0.0)
    lengths: Numbers = np.sqrt((apart**2).sum(axis=1, keepdims=True))
    return apart / np.where(lengths > 0, lengths, 1.0)


def _beyond(
    agree: "NDArray[np.bool_]", asked: "NDArray[np.bool_]", chance: "float | NDArray[np.float64]"
) -> "NDArray[np.bool_]":
    """Return where neighbors agree much more often than by chance, over enough of them."""
    count = asked.sum(axis=1)
    share = (agree & asked).sum(axis=1) / np.maximum(count, 1)
    beyond: NDArray[np.bool_] = (share - chance >= _AGREEING * (1 - chance)) & (chance < 1)
    beyond &= count >= _FEWEST
    return beyond


_FEWEST = 14


def _agreement(codes: "NDArray[np.int64]") -> float:
    """Return the probability that two records agree."""
    counts = np.bincount(codes).astype(np.float64)
    return float((counts**2).sum() / max(1.0, counts.sum() ** 2))

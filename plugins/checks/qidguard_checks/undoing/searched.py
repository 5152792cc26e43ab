"""What is searched: what is read in the published columns, and one quasi-identifier beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ORDER_OF_RECORDS, LeakTask, Unexamined
from qidguard_checks.undoing.parts import parts_of
from qidguard_checks.undoing.reading import Part, Read, RecordReading, Scale, reckoned, whole
from qidguard_checks.undoing.tables import SAMPLED, Tables, Target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

OF_PARTS = 2_000
"""Records on which parts of values and numbers that are reckoned are tried."""

MOST_NUMBERS = 20
"""Columns of numbers that are reckoned together; others are said."""


@dataclass(frozen=True)
class Readings:
    """What is read in the published columns outside the QIDs, by the searches of all QIDs.

    Args:
        tables: The tables.
    """

    tables: Tables

    @cached_property
    def whole(self) -> list[RecordReading]:
        """The columns as they are, and the order of the records where it is published."""
        parts = [whole(name) for name in self.tables.outside]
        if self.tables.task.changes.is_order_published:
            parts.append(Part(columns=(ORDER_OF_RECORDS,), read_from=lambda place: Read(place.codes)))
        return [self.tables.reading(part, SAMPLED) for part in parts]

    @cached_property
    def numbers(self) -> list[str]:
        """The columns of numbers that are reckoned together, those of most values first."""
        scales = [self.tables.scale(name, OF_PARTS) for name in self.tables.outside]
        numbers = [scale for scale in scales if scale.numbers is not None and scale.size > 2]  # noqa: PLR2004 - NULL and a constant
        return [scale.name for scale in sorted(numbers, key=lambda scale: -scale.size)]

    @cached_property
    def inside(self) -> "Promising":
        """What stands inside values, each partition of a column once, and numbers that two columns give."""
        found: list[RecordReading] = []
        for name in self.tables.outside:
            seen = {self.tables.reading(whole(name), OF_PARTS).partition}
            for reading in parts_of(self.tables.scale(name, OF_PARTS)):
                if reading.partition not in seen:
                    seen.add(reading.partition)
                    found.append(reading)
        chosen = sorted(self.numbers[:MOST_NUMBERS], key=self.tables.task.published.index)
        columns = [self.tables.scale(name, OF_PARTS) for name in chosen]
        found += [self.tables.reading(part, OF_PARTS) for part in reckoned(columns)]
        return Promising(found, columns)


@dataclass(frozen=True)
class SearchedQid:
    """One quasi-identifier, over some records or all.

    Args:
        readings: What is read in the published columns.
        qid: The quasi-identifier.
        generator: Shuffles.
    """

    readings: Readings
    qid: str
    generator: np.random.Generator = field(repr=False)

    @property
    def tables(self) -> Tables:
        """The tables."""
        return self.readings.tables

    @property
    def task(self) -> LeakTask:
        """What would be published."""
        return self.readings.tables.task

    @cached_property
    def is_changed(self) -> bool:
        """Whether it was generalized."""
        return self.tables.is_generalized(self.qid)

    def some(self, most: int | None = None) -> Target:
        """Return it over the first records of the sample, None over all persons."""
        return self.tables.target(self.qid, most)

    @cached_property
    def inside(self) -> list[RecordReading]:
        """Parts of values and reckoned numbers that may be known or tell."""
        return self.readings.inside.of(self.tables.original(self.qid, OF_PARTS))

    def left_out(self) -> Iterator[Unexamined]:
        """Yield the columns of numbers that are not reckoned with others."""
        how = "as a number reckoned with another column"
        yield from not_tried(self, self.readings.numbers, MOST_NUMBERS, how)


def not_tried(searched: SearchedQid, names: Sequence[str], most: int, how: str) -> Iterator[Unexamined]:
    """Yield which columns were not tried in pairs, where there are more than so many."""
    if names[most:]:
        left = tuple(name for name in searched.task.published if name in names[most:])
        reason = f"{how} was not tried: only pairs of {most} columns are"
        yield Unexamined(qid=searched.qid, reason=reason, columns=left)


_AGREEING = 0.5
"""How much more often than by chance neighbors must agree, as a share of what there is to gain."""

_CORRELATED = 0.98


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

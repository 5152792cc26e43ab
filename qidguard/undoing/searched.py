"""What is searched: what is read in the published columns, and one quasi-identifier beside it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from qidguard.core.versions import ORDER_OF_RECORDS
from qidguard.undoing.arithmetic import Promising, reckoned
from qidguard.undoing.parts import parts_of
from qidguard.undoing.reading import Part, Read, Reading, whole
from qidguard.undoing.tables import SAMPLED, Tables
from qidguard.undoing.target import Target
from qidguard.undoing.undoing import NotMeasured

if TYPE_CHECKING:
    from qidguard.undoing.scale import Scale

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

    def over(self, part: Part, most: int) -> Reading:
        """Return what is read over the first records of the sample."""
        return part.read(lambda name: self.tables.some(name, most))

    @cached_property
    def whole(self) -> list[Reading]:
        """The columns as they are, and the order of the records where it is published."""
        readings = [self.over(whole(name), SAMPLED) for name in self.tables.outside]
        if self.tables.changes.is_order_published:
            part = Part(columns=(ORDER_OF_RECORDS,), read_from=lambda place: Read(place.codes))
            readings.append(self.over(part, SAMPLED))
        return readings

    @cached_property
    def numbers(self) -> list[str]:
        """The columns of numbers that are reckoned together, those of most values first."""
        scales = [self.tables.some(name, OF_PARTS) for name in self.tables.outside]
        numbers = [scale for scale in scales if scale.numbers is not None and scale.size > 2]  # noqa: PLR2004 - NULL and a constant
        return [scale.name for scale in sorted(numbers, key=lambda scale: -scale.size)]

    @cached_property
    def inside(self) -> Promising:
        """What stands inside values, each partition of a column once, and numbers that two columns give."""
        found: list[Reading] = []
        for name in self.tables.outside:
            seen = {self.over(whole(name), OF_PARTS).partition}
            for reading in parts_of(self.tables.some(name, OF_PARTS)):
                if reading.partition not in seen:
                    seen.add(reading.partition)
                    found.append(reading)
        chosen = sorted(self.numbers[:MOST_NUMBERS], key=self.tables.published.index)
        columns = [self.tables.some(name, OF_PARTS) for name in chosen]
        return Promising([*found, *(self.over(part, OF_PARTS) for part in reckoned(columns))], columns)


@dataclass(frozen=True)
class SearchedQid:
    """One quasi-identifier, over some records or all.

    Args:
        readings: What is read in the published columns.
        qid: The quasi-identifier.
    """

    readings: Readings
    qid: str
    _some: dict[int, Target] = field(default_factory=dict, repr=False)

    @property
    def tables(self) -> Tables:
        """The tables."""
        return self.readings.tables

    @cached_property
    def is_changed(self) -> bool:
        """Whether it was generalized."""
        return self.tables.is_generalized(self.qid)

    def some(self, most: int) -> Target:
        """Return it over the first records of the sample."""
        if most not in self._some:
            self._some[most] = self.tables.target(self.qid, most)
        return self._some[most]

    @cached_property
    def all(self) -> Target:
        """It over all persons."""
        return self.tables.target(self.qid)

    @cached_property
    def inside(self) -> list[Reading]:
        """Parts of values and reckoned numbers that may be known or tell."""
        return self.readings.inside.of(self.tables.some(self.qid, OF_PARTS, is_original=True))

    def left_out(self) -> Iterator[NotMeasured]:
        """Yield the columns of numbers that are not reckoned with others."""
        yield from not_tried(
            self, self.readings.numbers, MOST_NUMBERS, "as a number reckoned with another column"
        )

    def originals(self, most: int) -> "Callable[[str], Scale]":
        """Return how original columns over the first records of the sample are read."""
        return lambda qid: self.tables.some(qid, most, is_original=True)


def not_tried(searched: SearchedQid, names: Sequence[str], most: int, how: str) -> Iterator[NotMeasured]:
    """Yield which columns were not tried in pairs, where there are more than so many."""
    if names[most:]:
        left = tuple(name for name in searched.tables.published if name in names[most:])
        reason = f"{how} was not tried: only pairs of {most} columns are"
        yield NotMeasured(qid=searched.qid, reason=reason, columns=left)

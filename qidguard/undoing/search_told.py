"""The search for what published columns tell of original values: tried on some records, confirmed on all."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.arithmetic import together
from qidguard.undoing.persons import dense
from qidguard.undoing.reading import Part, Reading, whole
from qidguard.undoing.searched import SearchedQid, not_tried
from qidguard.undoing.target import Target
from qidguard.undoing.told import Told, told_by_order, told_by_relation, told_by_values
from qidguard.undoing.undoing import NOTED_TOLD, UNDONE_HALF, NotMeasured, Undoing, is_undone

if TYPE_CHECKING:
    from numpy.typing import NDArray

OF_PAIRS = 3_000
"""Records on which pairs of columns are tried."""

MOST_COLUMNS = 60
"""Columns of which pairs are tried, those of the most values that repeat first; others are said."""

GAIN = 0.1
"""What a pair must tell beyond its better column alone, and beyond a shuffled partner."""

SLACK = 0.8
"""The share of what is told in all that must be told in a sample, where groups are met less often."""

MOST_DISTINCT = 0.999
"""Values a record from which a column does not repeat any."""

RARE, REPEATED = 50, 200
"""Records a value from which arithmetic, and the order, tell no more than values do."""


@dataclass(frozen=True)
class ToldSearch:
    """What published columns tell of a quasi-identifier.

    Args:
        searched: The quasi-identifier.
        generator: Shuffles.
        most_notes: How many notes are wanted beside all that undoes it; None is all.
    """

    searched: SearchedQid
    generator: np.random.Generator = field(repr=False)
    most_notes: int | None

    def found(self, readings: Iterable[Reading]) -> Iterator[Undoing]:
        """Yield what readings tell, of each column or pair the strongest that undoes, or else the notes."""
        tried = sorted(((*self._in_sample(r), r) for r in readings), key=lambda one: -one[0])
        undone: set[tuple[str, ...]] = set()
        for place, (share, ways, reading) in enumerate(tried):
            columns = reading.part.columns
            if not ways or self._is_enough(share, place) or columns in undone:
                continue
            every = reading.part.read(self.searched.tables.every)
            every = replace(every, codes=every.codes[self.searched.all.places])
            told = next((told for way in ways if (told := way(self.searched.all, every))), None)
            for undoing in self._undoing(reading.part, told):
                yield undoing
                if undoing.is_undone:
                    undone.add(columns)

    def _is_enough(self, share: float, place: int) -> bool:
        """Return whether what tells so much at a place is left to those before it, which tell more."""
        return share < SLACK * UNDONE_HALF and self.most_notes is not None and place >= self.most_notes

    @property
    def _floor(self) -> float:
        """The share of persons that must be told to be said."""
        return 0.0 if self.most_notes is None else NOTED_TOLD

    def _in_sample(self, reading: Reading) -> "tuple[float, list[Way]]":
        """Return the share that a reading tells in its records, and in which ways, the best first."""
        target = self.searched.some(len(reading.codes))
        found: list[tuple[float, Way]] = []
        # of values that are rare few are met twice, so that few are told
        met = float((np.bincount(reading.codes)[reading.codes] > 1).mean()) if len(reading.codes) else 0.0
        for way in self._ways(reading):
            told = way(target, reading)
            if told and told.share > SLACK * self._floor * met:
                found.append((told.share, way))
        found.sort(key=lambda one: -one[0])
        return (found[0][0] if found else 0.0), [way for _, way in found]

    def _ways(self, reading: Reading) -> "Iterator[Way]":
        """Yield how a reading may tell: by its values, by its order, by being the original value."""
        records, distinct = len(reading.codes), dense(reading.codes)[1]
        if 1 < distinct <= MOST_DISTINCT * records:
            yield lambda target, own: told_by_values(target, own.codes)
        if distinct * REPEATED > records:
            yield lambda target, own: told_by_order(target, own.ranks, self.generator)
        if distinct * RARE > records:
            yield lambda target, own: told_by_relation(target, own, self.generator)

    def _undoing(self, part: Part, told: Told | None) -> Iterator[Undoing]:
        """Yield what is told as it is said, if it is enough to be said."""
        target, tables = self.searched.all, self.searched.tables
        if told is None or told.share < self._floor:
            return
        by_value = np.bincount(target.values[target.is_hidden], minlength=target.kinds)
        right = np.bincount(target.values[told.known], minlength=target.kinds)
        values_told = float((right[by_value > 0] / by_value[by_value > 0]).mean())
        # whoever is told is told of all their records that show the same
        is_told = np.zeros(len(tables.everyone), dtype=np.bool_)
        is_told[tables.everyone[target.places[told.known]]] = True
        is_hidden = np.zeros(len(tables.everyone), dtype=np.bool_)
        is_hidden[tables.everyone[target.places[target.is_hidden]]] = True
        changed = tables.is_changed(self.searched.qid)
        known = changed & is_told[tables.everyone]
        yield Undoing(
            columns=part.columns,
            qid=self.searched.qid,
            part=part.words,
            told=told.share,
            values_told=values_told,
            precision=told.precision,
            persons=tables.count(known),
            generalized=tables.count(changed & is_hidden[tables.everyone]),
            is_undone=is_undone(told.share, values_told),
            known=known,
        )

    @cached_property
    def partners(self) -> list[Reading]:
        """The columns of which pairs are tried, other quasi-identifiers as published among them."""
        others = [name for name in self.searched.tables.published if name != self.searched.qid]
        readings = (self.searched.readings.over(whole(name), OF_PAIRS) for name in others)
        return sorted((reading for reading in readings if reading.is_repeating), key=lambda r: -r.size)

    def left_out(self) -> Iterator[NotMeasured]:
        """Yield the columns of which pairs are not tried."""
        names = [reading.part.columns[0] for reading in self.partners]
        yield from not_tried(self.searched, names, MOST_COLUMNS, "together with another column")

    def pairs(self, taken: set[str], shares: dict[str, float]) -> Iterator[Undoing]:
        """Yield pairs of columns that tell more than either alone, and than beside a shuffled partner."""
        target, shuffle = self.searched.some(OF_PAIRS), self.generator.permutation
        some = [r for r in self.partners[:MOST_COLUMNS] if r.part.columns[0] not in taken]
        tries = max(1, len(some) * (len(some) - 1) // 2)
        alone = {r.part.columns[0]: _share(target, r.codes) for r in some}
        found: list[tuple[float, str, str]] = []
        for one, other in combinations(some, 2):
            first, second = sorted(
                (one.part.columns[0], other.part.columns[0]), key=self.searched.tables.published.index
            )
            if {first, second} <= {*self.searched.tables.qids}:
                continue
            least = max(NOTED_TOLD, GAIN + max(alone[first], alone[second]))
            told = _share(target, one.codes * other.size + other.codes)
            if told >= least and told >= GAIN + max(
                _share(target, one.codes * other.size + shuffle(other.codes)),
                _share(target, shuffle(one.codes) * other.size + other.codes),
            ):
                found.append((told, first, second))
        found.sort(key=lambda one: -one[0])
        for place, (share, first, second) in enumerate(found):
            if self._is_enough(share, place):
                return
            part = together(first, second)
            codes = part.read(self.searched.tables.every).codes[self.searched.all.places]
            for undoing in self._undoing(part, told_by_values(self.searched.all, codes, tries)):
                if undoing.told >= max(shares.get(first, 0.0), shares.get(second, 0.0)):
                    yield undoing


def _share(target: Target, codes: "NDArray[np.int64]") -> float:
    """Return T of groups; 0 where they hardly repeat."""
    if dense(codes)[1] * 2 > len(codes):
        return 0.0
    told = told_by_values(target, codes)
    return told.share if told else 0.0


Way = Callable[[Target, Reading], Told | None]
"""How a reading may tell."""

"""The search for what undoes one quasi-identifier: tried on some records, confirmed on all."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.versions import ORDER_OF_RECORDS
from qidguard.undoing.arithmetic import Promising, reckoned, together
from qidguard.undoing.known import FEWEST_OTHERS, Known, known_by_order, known_by_values
from qidguard.undoing.parts import parts_of
from qidguard.undoing.persons import dense
from qidguard.undoing.reading import Part, Read, Reading, whole
from qidguard.undoing.tables import SAMPLED, Tables
from qidguard.undoing.tally import tally_of
from qidguard.undoing.target import Target
from qidguard.undoing.told import Told, told_by_order, told_by_relation, told_by_values
from qidguard.undoing.undoing import (
    FEWEST_PERSONS,
    NOTED_TOLD,
    UNDONE_HALF,
    NotMeasured,
    Undoing,
    Undoings,
    is_undone,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.undoing.scale import Scale

OF_PARTS, OF_PAIRS = 2_000, 3_000
"""Records on which parts of values and numbers that are reckoned are tried, and pairs of columns."""

MOST_COLUMNS = 60
"""Columns of which pairs are tried, those of the most values that repeat first; others are said."""

MOST_NUMBERS = 20
"""Columns of numbers that are reckoned together; others are said."""

GAIN = 0.1
"""What a pair must tell beyond its better column alone, and beyond a shuffled partner."""

MOST_MISSING = 0.1
"""Share of the records without a reading up to which it joins the QIDs; beyond, candidates are counted."""

NEARLY_ALL = 0.95
"""The share of persons told by a column from which nothing more is looked for in it."""

SLACK = 0.8
"""The share of what is told in all that must be told in a sample, where groups are met less often."""

MOST_DISTINCT = 0.999
"""Values a record from which a column does not repeat any."""

RARE, REPEATED = 50, 200
"""Records a value from which arithmetic, and the order, tell no more than values do."""


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
class QidSearch:
    """The search for what undoes one quasi-identifier.

    Args:
        readings: What is read in the published columns.
        qid: The quasi-identifier.
        generator: Shuffles.
        most_notes: How many notes are wanted beside all that undoes it; None is all.
        is_known_asked: Whether what is known to whoever knows it is looked for, too.
    """

    readings: Readings
    qid: str
    generator: np.random.Generator = field(repr=False)
    most_notes: int | None
    is_known_asked: bool
    _targets: dict[int, Target] = field(default_factory=dict, repr=False)

    def found(self) -> Undoings:
        """Return what undoes the quasi-identifier, and the strongest notes, the strongest first."""
        known = [*self._known(self.readings.whole)]
        taken = {undoing.columns[0] for undoing in known if not undoing.beside}
        if not self._is_changed:
            return Undoings(found=(*known, *self._known(self._inside, taken)))
        if self._some(SAMPLED).hidden < FEWEST_PERSONS and self._all.hidden < FEWEST_PERSONS:
            reason = f"fewer than {FEWEST_PERSONS} persons were generalized, too few to tell from chance"
            not_measured = (NotMeasured(qid=self.qid, reason=reason),) if self._all.hidden else ()
            return Undoings(found=tuple(known), not_measured=not_measured)
        told = [*self._told(r for r in self.readings.whole if r.part.columns[0] not in taken)]
        taken |= {undoing.columns[0] for undoing in told if undoing.told >= NEARLY_ALL}
        known += self._known(self._inside, taken)
        parts = {(undoing.columns, undoing.part) for undoing in known}
        inside = [r for r in self._inside if not taken & {*r.part.columns}]
        shares = {undoing.columns[0]: undoing.told for undoing in told}
        told += [
            undoing
            for undoing in self._told(r for r in inside if (r.part.columns, r.part.words) not in parts)
            if undoing.is_undone or undoing.told > max(GAIN + shares.get(c, -GAIN) for c in undoing.columns)
        ]
        told += self._pairs(taken, shares)
        told.sort(key=lambda undoing: (undoing.is_undone, undoing.told), reverse=True)
        undone = [undoing for undoing in told if undoing.is_undone]
        notes = [undoing for undoing in told if not undoing.is_undone][: self.most_notes]
        return Undoings(found=(*known, *undone, *notes), not_measured=tuple(self._left_out()))

    def _left_out(self) -> Iterator[NotMeasured]:
        for names, most, what in (
            (self.readings.numbers, MOST_NUMBERS, "as a number reckoned with another column"),
            ([r.part.columns[0] for r in self._partners], MOST_COLUMNS, "together with another column"),
        ):
            if names[most:]:
                left = tuple(name for name in self._tables.published if name in names[most:])
                reason = f"{what} was not tried: only pairs of {most} columns are"
                yield NotMeasured(qid=self.qid, reason=reason, columns=left)

    @property
    def _tables(self) -> Tables:
        return self.readings.tables

    @cached_property
    def _is_changed(self) -> bool:
        return self._tables.is_generalized(self.qid)

    def _some(self, most: int) -> Target:
        if most not in self._targets:
            self._targets[most] = self._tables.target(self.qid, most)
        return self._targets[most]

    @cached_property
    def _all(self) -> Target:
        return self._tables.target(self.qid)

    @cached_property
    def _inside(self) -> list[Reading]:
        """Parts of values and reckoned numbers that may be known or tell."""
        return self.readings.inside.of(self._tables.some(self.qid, OF_PARTS, is_original=True))

    def _known(self, readings: Iterable[Reading], taken: Iterable[str] = ()) -> Iterator[Undoing]:
        """Yield what is known to whoever knows the original value, of columns that are not taken."""
        found: dict[tuple[str, ...], list[tuple[Reading, Known]]] = {}
        for reading in readings if self.is_known_asked else ():
            part, most = reading.part, len(reading.codes)
            if not reading.is_repeating or not {*part.columns}.isdisjoint(taken):
                continue
            if self._knows(reading.codes, self._original_of(most)):
                known = self._in_all(part)
                if known:
                    found.setdefault(part.columns, []).append(known)
            elif not part.words and self._is_changed:
                yield from self._known_beside(reading)
        for columns, several in found.items():
            yield from self._joining(columns, several)

    def _original_of(self, most: int) -> "Callable[[str], Scale]":
        return lambda qid: self._tables.some(qid, most, is_original=True)

    def _knows(
        self, codes: "NDArray[np.int64]", original: "Callable[[str], Scale]", beside: str | None = None
    ) -> Known | None:
        """Return whether a reading is known over some records."""
        qid = original(self.qid).codes
        if not self._is_changed:  # what determines it and is finer is another value of the same thing
            known = known_by_values(codes, qid)
            return known if known is not None and known.values is None else None
        if beside is not None:
            other = original(beside).codes
            qid = np.where((qid > 0) & (other > 0), qid * (int(other.max(initial=0)) + 1) + other, 0)
        qid = dense(qid)[0] + int(qid.min(initial=1) > 0)
        repeats = np.bincount(qid)[qid] > FEWEST_OTHERS
        is_repeating = beside is not None or 2 * repeats.sum() >= len(qid)
        return known_by_values(qid, codes) if is_repeating else known_by_order(qid, codes)

    def _in_all(self, part: Part, beside: str | None = None) -> tuple[Reading, Known] | None:
        """Return what is read in all records, if it is known over all persons."""
        tables, at = self._tables, self._all.places
        reading = part.read(tables.every)

        def original(qid: str) -> "Scale":
            return tables.every(qid, is_original=True).at(at)

        known = self._knows(reading.codes[at], original, beside)
        return None if known is None else (reading, known)

    def _known_beside(self, reading: Reading) -> Iterator[Undoing]:
        """Yield what is known to whoever knows the original values of two QIDs, and of no single one."""
        some = self.readings.over(reading.part, OF_PAIRS)
        for other in self._tables.qids:
            is_later = self._tables.qids.index(other) > self._tables.qids.index(self.qid)
            if other == self.qid or not (is_later or not self._tables.is_generalized(other)):
                continue
            original = self._original_of(OF_PAIRS)
            known = self._knows(some.codes, original, other)
            alone = None if known is None else known_by_values(original(other).codes, some.codes)
            if known is None or known.values is not None or (alone is not None and alone.values is None):
                continue
            in_all = self._in_all(reading.part, other)
            if in_all is not None and in_all[1].values is None:
                yield from self._joining(reading.part.columns, [in_all], other)
                return

    def _joining(
        self, columns: tuple[str, ...], several: Sequence[tuple[Reading, Known]], beside: str | None = None
    ) -> Iterator[Undoing]:
        """Yield what is known of columns, if it parts any published value; all readings of them together."""
        joined = np.zeros(len(several[0][0].codes), dtype=np.int64)
        holds = joined > 0
        for reading, known in several:
            own = known.joined(reading.codes)
            holds |= known.holds(reading.codes)
            joined = np.where((joined > 0) | (own > 0), 1 + joined * (int(own.max()) + 1) + own, 0)
            joined = dense(joined)[0] + int(bool((joined > 0).all()))
        published = self._tables.every(self.qid).column.codes.astype(np.int64)
        if dense(published * (int(joined.max()) + 1) + joined)[1] == dense(published)[1]:
            return
        first, best = max(several, key=lambda one: one[1].gain)
        is_asked = self._tables.is_changed(self.qid) | (not self._is_changed)
        is_read = joined > 0
        if not is_read.all():  # of the others it is what the others of the same original value show
            original = self._tables.every(self.qid, is_original=True).codes
            usual = tally_of(original[is_read], joined[is_read])
            expected = np.full(int(original.max(initial=0)) + 1, int(joined.max()) + 1)
            expected[original[is_read]] = usual.guess
            joined = np.where(is_read, joined, expected[original])
        gain = min(1.0, max(0.0, best.gain))
        yield Undoing(
            columns=columns,
            qid=self.qid,
            part=first.part.words,
            beside=beside,
            is_finer=not self._is_changed,
            told=gain,
            values_told=gain,
            precision=best.precision,
            persons=self._tables.count(is_asked & holds),
            generalized=self._tables.count(is_asked),
            # whoever of nobody knows whether they have a value stays possible for all of them
            is_undone=bool(is_read[is_asked].mean() >= 1 - MOST_MISSING),
            known=is_read,
            joined=joined,
        )

    def _told(self, readings: Iterable[Reading]) -> Iterator[Undoing]:
        """Yield what readings tell, of each column or pair the strongest that undoes, or else the notes."""
        tried = sorted(((*self._in_sample(r), r) for r in readings), key=lambda one: -one[0])
        undone: set[tuple[str, ...]] = set()
        for place, (share, ways, reading) in enumerate(tried):
            columns = reading.part.columns
            if not ways or self._is_enough(share, place) or columns in undone:
                continue
            every = reading.part.read(self._tables.every)
            every = replace(every, codes=every.codes[self._all.places])
            told = next((told for way in ways if (told := way(self._all, every))), None)
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
        target = self._some(len(reading.codes))
        found: list[tuple[float, Way]] = []
        for way in self._ways(reading):
            told = way(target, reading)
            if told and told.share > SLACK * self._floor:
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
            yield self._by_relation

    def _by_relation(self, target: Target, reading: Reading) -> Told | None:
        original = self._tables.original(self.qid, is_all="_all" in self.__dict__ and target is self._all)
        return told_by_relation(target, original, reading, self.generator)

    def _undoing(self, part: Part, told: Told | None) -> Iterator[Undoing]:
        """Yield what is told as it is said, if it is enough to be said."""
        target, tables = self._all, self._tables
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
        changed = tables.is_changed(self.qid)
        known = changed & is_told[tables.everyone]
        yield Undoing(
            columns=part.columns,
            qid=self.qid,
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
    def _partners(self) -> list[Reading]:
        """The columns of which pairs are tried, other quasi-identifiers as published among them."""
        others = [name for name in self._tables.published if name != self.qid]
        readings = (self.readings.over(whole(name), OF_PAIRS) for name in others)
        return sorted((reading for reading in readings if reading.is_repeating), key=lambda r: -r.size)

    def _pairs(self, taken: set[str], shares: dict[str, float]) -> Iterator[Undoing]:
        """Yield pairs of columns that tell more than either alone, and than beside a shuffled partner."""
        target, shuffle = self._some(OF_PAIRS), self.generator.permutation
        some = [r for r in self._partners[:MOST_COLUMNS] if r.part.columns[0] not in taken]
        tries = max(1, len(some) * (len(some) - 1) // 2)
        alone = {r.part.columns[0]: _share(target, r.codes) for r in some}
        found: list[tuple[float, str, str]] = []
        for one, other in combinations(some, 2):
            first, second = sorted(
                (one.part.columns[0], other.part.columns[0]), key=self._tables.published.index
            )
            if {first, second} <= {*self._tables.qids}:
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
            codes = part.read(self._tables.every).codes[self._all.places]
            for undoing in self._undoing(part, told_by_values(self._all, codes, tries)):
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

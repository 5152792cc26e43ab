"""The search for what tells one quasi-identifier: tried on samples, confirmed on all records."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from qidguard.undoing.groups import LEAST, Groups, told_by_values
from qidguard.undoing.order import one_a_person, told_by_order
from qidguard.undoing.pairs import MOST_COLUMNS, pairs_that_tell, partners_of
from qidguard.undoing.relations import TRIED, told_by_relation
from qidguard.undoing.sample import draw, draw_groups
from qidguard.undoing.scale import Scale
from qidguard.undoing.sums import MOST_COLUMNS as MOST_NUMBERS
from qidguard.undoing.sums import numbers_of, told_by_sums
from qidguard.undoing.target import Target
from qidguard.undoing.told import Told, undoing_of
from qidguard.undoing.undoing import MOST_NOTES, NOTED_TOLD, UNDONE_HALF, UNDONE_RELATION, LeftOut, Undoing

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCREENED = 50_000
"""Records on which single columns are tried; a table with no more is searched as a whole."""

SCREENED_PAIRS = 20_000
"""Records on which pairs of columns are tried."""

SCREENED_SMALL = 3_000
"""Records on which pairs of few values together are tried first."""

SAMPLES = (3_000, 10_000, SCREENED)
"""Records of the samples: columns of few values need fewer."""

REPEATED_IN_SAMPLE = 50
"""Records a value that make a sample large enough."""

RECORDS_A_VALUE = 2
"""Records that a value has in a sample at least; of columns with rarer values whole groups are drawn."""

MOST_VALUES = 0.9 * RECORDS_A_VALUE
"""Values a record, times the above, from which a column hardly repeats any."""

RARE = 50
"""Records a value from which arithmetic tells no more than values do."""

REPEATED = 200
"""Records a value from which the order of a column tells no more than its values."""


@dataclass(frozen=True, kw_only=True)
class QidSearch:
    """The search for what tells one quasi-identifier.

    Args:
        target: The quasi-identifier over the published records.
        qid: Its original column.
        columns: The other published columns.
        generator: Draws samples, and shuffles.
        most_notes: How many notes are wanted beside all that undoes it; None is all.
        left_out: The columns that ``found`` leaves out of pairs stand here afterward.
    """

    target: Target = field(repr=False)
    qid: Scale = field(repr=False)
    columns: Sequence[Scale] = field(repr=False)
    generator: np.random.Generator = field(repr=False)
    most_notes: int | None = MOST_NOTES
    left_out: list[LeftOut] = field(default_factory=list, repr=False)

    def found(self) -> list[Undoing]:
        """Return what undoes the quasi-identifier, and the strongest notes, the strongest first."""
        singles = self._singles()
        alone = [max((u.told for u in singles if u.columns == (c.name,)), default=0.0) for c in self.columns]
        found = [*singles, *self._by_sums(alone), *self._pairs(alone)]
        found.sort(key=lambda undoing: (undoing.is_undone, undoing.told), reverse=True)
        undone = [undoing for undoing in found if undoing.is_undone]
        return undone + [undoing for undoing in found if not undoing.is_undone][: self.most_notes]

    def _is_enough(self, share: float, place: int) -> bool:
        """Return whether what tells so much at a place is left to those before it, which tell more."""
        return share < 0.8 * UNDONE_HALF and self.most_notes is not None and place >= self.most_notes

    def _leave_out(self, way: Literal["values", "relation"], tried: int, columns: Iterable[Scale]) -> None:
        names = {column.name for column in columns}
        if names:
            ordered = tuple(column.name for column in self.columns if column.name in names)
            self.left_out.append(LeftOut(qid=self.target.qid, way=way, tried=tried, columns=ordered))

    @cached_property
    def _is_whole(self) -> bool:
        return len(self.target.values) <= SCREENED

    @cached_property
    def _people(self) -> "NDArray[np.int64]":
        """A record of each person."""
        return one_a_person(self.target, self.generator)

    @cached_property
    def _samples(self) -> "dict[int, tuple[NDArray[np.int64], Target]]":
        """Number of records → a sample of so many; the smaller ones are part of the larger."""
        places = draw(self.target, self._people, SCREENED, self.generator)
        return {most: (places[:most], self.target.at(places[:most])) for most in SAMPLES}

    def _sample(self, values: int) -> "tuple[NDArray[np.int64], Target]":
        """Return the smallest sample in which columns of so many values repeat them often enough."""
        enough = (most for most in SAMPLES if most >= REPEATED_IN_SAMPLE * values)
        return self._samples[next(enough, SAMPLES[-1])]

    @cached_property
    def _tried(self) -> "NDArray[np.int64]":
        """Open records on which relations are looked for."""
        open_ones = self._people[self.target.is_open[self._people]]
        return self.generator.choice(open_ones, min(TRIED, len(open_ones)), replace=False, shuffle=False)

    def _singles(self) -> list[Undoing]:
        found = []
        for column, ways in self._promising():
            best = max(ways, key=lambda told: told.right, default=None)
            right = best.right if best else 0.0
            if right < self.target.hidden - 0.5 and column.size * RARE > len(self.target.values):
                by_relation = told_by_relation(self.target, self.qid, column, self._tried)
                least = max(right, UNDONE_RELATION * self.target.hidden)
                best = by_relation if by_relation and by_relation.right >= least else best
            if best is not None and best.right >= NOTED_TOLD * self.target.hidden:
                found.append(undoing_of(self.target, (column.name,), best))
        return found

    def _promising(self) -> Iterator[tuple[Scale, list[Told]]]:
        """Yield each column with what it tells, over all records where a sample says that it may."""
        if self._is_whole:
            for column in self.columns:
                yield column, self._told(self.target, column, column.codes)
            return
        screened = [(self._screened(column), column) for column in self.columns]
        ranked = sorted(screened, key=lambda pair: -max(pair[0]))
        for place, ((by_values, by_order), column) in enumerate(ranked):
            best = max(by_values, by_order)
            if best < LEAST or self._is_enough(best, place):
                yield column, []
            elif by_values >= by_order:
                yield column, [told for told in [told_by_values(self.target, column.codes)] if told]
            else:
                ranks = column.ranks[column.codes]
                yield column, [t for t in [told_by_order(self.target, ranks, self.generator)] if t]

    def _screened(self, column: Scale) -> tuple[float, float]:
        """Return T by values and by order in a sample."""
        places, target = self._sample(column.size)
        told = self._told(target, column, column.codes[places])
        shares = {one.way: self._share(target, one) for one in told}
        if SCREENED < RECORDS_A_VALUE * column.size <= MOST_VALUES * len(self.target.values):
            places = draw_groups(self.target, self._people, column.codes, SCREENED, self.generator)
            target = self.target.at(places)
            shares["values"] = self._share(target, self._by_values(target, column, column.codes[places]))
        return shares.get("values", 0.0), shares.get("order", 0.0)

    @staticmethod
    def _share(target: Target, told: Told | None) -> float:
        return told.right / target.hidden if told and target.hidden else 0.0

    @staticmethod
    def _by_values(target: Target, column: Scale, codes: "NDArray[np.integer]") -> Told | None:
        groups = Groups(target=target, codes=codes.astype(np.int64), size=column.size)
        if target.persons is not None or groups.may_tell(LEAST * target.hidden):
            return groups.told()
        return None

    def _told(self, target: Target, column: Scale, codes: "NDArray[np.integer]") -> list[Told]:
        """Return what a column tells by values and by order."""
        found = [self._by_values(target, column, codes)]
        if column.size * REPEATED > len(codes):
            found.append(told_by_order(target, column.ranks[codes], self.generator))
        return [told for told in found if told]

    def _by_sums(self, alone: Sequence[float]) -> Iterator[Undoing]:
        others = [c for c, told in zip(self.columns, alone, strict=True) if told < UNDONE_RELATION]
        numbers = numbers_of(self.qid, others)
        self._leave_out("relation", MOST_NUMBERS, numbers[MOST_NUMBERS:])
        for (first, second), told in told_by_sums(self.target, self.qid, numbers[:MOST_NUMBERS], self._tried):
            if told.right >= UNDONE_RELATION * self.target.hidden:
                yield undoing_of(self.target, (first.name, second.name), told)

    def _pairs(self, alone: Sequence[float]) -> Iterator[Undoing]:
        places = draw(self.target, self._people, SCREENED_PAIRS, self.generator)
        sample = self.target.at(places)
        small = self.target.at(places[:SCREENED_SMALL])
        partners = partners_of(sample, [column.codes[places] for column in self.columns], alone)
        self._leave_out("values", MOST_COLUMNS, (self.columns[p.at] for p in partners[MOST_COLUMNS:]))
        found = pairs_that_tell(sample, small, partners[:MOST_COLUMNS], self.generator)
        pairs = sorted(found, key=lambda pair: -pair[0])
        for place, (share, one, other) in enumerate(pairs):
            if self._is_enough(share, place):
                return
            first, second = sorted((one.at, other.at))
            columns = self.columns[first], self.columns[second]
            joint = columns[0].codes.astype(np.int64) * columns[1].size + columns[1].codes
            told = told_by_values(self.target, joint)
            better = max(alone[first], alone[second])
            if told and told.right >= max(NOTED_TOLD, better) * self.target.hidden:
                yield undoing_of(self.target, tuple(column.name for column in columns), told)

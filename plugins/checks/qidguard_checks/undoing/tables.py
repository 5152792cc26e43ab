"""The original and the published table as they are searched: some records of different persons, then all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ORDER_OF_RECORDS, ColumnSource, ColumnValues, LeakTask, ValueType
from qidguard_checks.undoing.reading import Part, RecordReading, Scale
from qidguard_checks.undoing.tally import dense, persons_of, tally_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int64]
    Flags = NDArray[np.bool_]

PRECISION = 0.95
"""The share of the told that must be right, and the certainty from which a record counts as told."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A generalized quasi-identifier over records of different persons.

    Args:
        original: The original column.
        values: Shape (records,), the code of the original value in it, ≥ 0.
        published: Shape (records,), the code of the published value, ≥ 0.
        classes: Shape (records,), the number of the published class over all quasi-identifiers, ≥ 0.
        is_open: Shape (records,), whose published value stands for another one somewhere. Whether it does
            here only the original shows, so guesses are judged on all of these.
        is_changed: Shape (records,), whose published value is another one.
        places: Shape (records,), where they stand in the table.
    """

    original: Scale
    values: "Codes" = field(repr=False)
    published: "Codes" = field(repr=False)
    classes: "Codes" = field(repr=False)
    is_open: "Flags" = field(repr=False)
    is_changed: "Flags" = field(repr=False)
    places: "Codes" = field(repr=False)

    @cached_property
    def is_hidden(self) -> "Flags":
        """Shape (records,), which were generalized and are not told by the published value."""
        itself = tally_of(self.published, self.values)
        is_told: Flags = (itself.certainty >= PRECISION) & (itself.guess == self.values)
        return self.is_changed & ~is_told

    @cached_property
    def kinds(self) -> int:
        """One more than the largest code of an original value."""
        return int(self.values.max(initial=0)) + 1

    @cached_property
    def hidden(self) -> int:
        """|E|, of how many persons the value is hidden."""
        return int(self.is_hidden.sum())

    def unguessed(self, at: "Codes", guesses: "Codes") -> "NDArray[np.float64]":
        """Return 1 − the share of a guess among the others of a record's published value, or of its class.

        The larger share counts. That in the whole table counts as one more of the others: a class of one has
        none.
        """
        everywhere = np.bincount(self.values, minlength=self.kinds) / max(1, len(self.values))
        best = np.zeros(len(at))
        for group, pairs, counts in self._counts:
            keys = group[at] * self.kinds + guesses
            places = np.minimum(np.searchsorted(pairs, keys), len(pairs) - 1)
            held = np.where(pairs[places] == keys, counts[places], 0) - (self.values[at] == guesses)
            best = np.maximum(best, (held + everywhere[guesses]) / np.bincount(group)[group[at]])
        return 1.0 - np.clip(best, 0.0, 1.0)

    @cached_property
    def _counts(self) -> "list[tuple[Codes, Codes, Codes]]":
        """By published value and by class: the group of each record, its pairs with values, and counts."""
        groups = [dense(codes)[0] for codes in (self.published, self.classes)]
        return [(g, *np.unique(g * self.kinds + self.values, return_counts=True)) for g in groups]


SAMPLED = 10_000
"""Records that are searched first; a smaller table is searched as a whole."""

RARE, MOST_RARE = 0.05, 1_000
"""Where fewer than this share of the records were generalized, some of them are in the sample first."""


@dataclass(frozen=True)
class Tables:
    """The two tables, records paired, columns being read where they are asked for.

    Args:
        task: What would be published.
    """

    task: LeakTask
    _changed: "dict[str, Flags]" = field(default_factory=dict, repr=False)
    _scales: dict[tuple[str, int | None, bool], Scale] = field(default_factory=dict, repr=False)
    _targets: dict[tuple[str, int | None], Target] = field(default_factory=dict, repr=False)

    @property
    def outside(self) -> tuple[str, ...]:
        """The published columns that are no quasi-identifiers."""
        return tuple(name for name in self.task.published if name not in self.task.qids)

    def scale(self, name: str, most: int | None = None, *, is_original: bool = False) -> Scale:
        """Return a column over the first ``most`` persons of the sample; None is all records."""
        if name == ORDER_OF_RECORDS:
            records = np.arange(self.task.changes.after.records)
            return _order(records if most is None else self._samples[0][self._chosen[:most]])
        key = (name, most, is_original)
        if key not in self._scales:
            column = self._column(name, most, is_original=is_original)
            self._scales[key] = Scale(column=column, mark=self.task.changes.suppression_mark)
        return self._scales[key]

    def original(self, qid: str, most: int | None = None) -> Scale:
        """Return a quasi-identifier as it was, over the same records."""
        return self.scale(qid, most, is_original=True)

    def _column(self, name: str, most: int | None, *, is_original: bool) -> ColumnValues:
        if most is not None:
            return self._samples[1][name, is_original].at(self._chosen[:most])
        column = (self.task.changes.before if is_original else self.task.changes.after).column(name)
        return column if not is_original or self._kept.all() else column.at(np.flatnonzero(self._kept))

    @property
    def _kept(self) -> "Flags":
        kept = self.task.changes.kept
        assert kept is not None  # noqa: S101 - records are paired
        return kept

    def reading(self, part: Part, most: int | None = None) -> RecordReading:
        """Return what is read over the first records of the sample, None over all."""
        return part.read(lambda name: self.scale(name, most))

    def is_changed(self, qid: str) -> "Flags":
        """Return shape (records,), whether another value of a QID is published than the original one."""
        if qid not in self._changed:
            before, after = self.original(qid).column, self.scale(qid).column
            self._changed[qid] = _is_changed(before, after)
        return self._changed[qid]

    def is_generalized(self, qid: str) -> bool:
        """Return whether another value is published of any record."""
        if self.task.changes.before is self.task.changes.after:
            return False
        some = self._samples[1]
        return bool(_is_changed(some[qid, True], some[qid, False]).any()) or bool(self.is_changed(qid).any())

    @cached_property
    def _samples(self) -> "tuple[Codes, Mapping[tuple[str, bool], ColumnValues]]":
        """Records in no order, some of rare generalized ones first, and the columns over them."""
        records = self.task.changes.after.records
        order = np.random.default_rng([self.task.changes.seed, 0]).permutation(records)
        places = order[:SAMPLED]
        columns = self._columns_at(places)
        if records <= SAMPLED:
            return places, columns
        rare = [
            order[self.is_changed(qid)[order]][:MOST_RARE]
            for qid in self.task.qids
            if _is_changed(columns[qid, True], columns[qid, False]).mean() < RARE
        ]
        # a record that stands twice would tell itself
        every = np.concatenate([*rare, places])
        more = every[np.sort(np.unique(every, return_index=True)[1])]
        return (places, columns) if len(more) == len(places) else (more, self._columns_at(more))

    def _columns_at(self, places: "Codes") -> Mapping[tuple[str, bool], ColumnValues]:
        """Return some records of the columns: QIDs as they were, and what is published."""
        before = columns_at(self.task.changes.before, self.task.qids, np.flatnonzero(self._kept)[places])
        after = columns_at(self.task.changes.after, self.task.published, places)
        return {(one.name, True): one for one in before} | {(one.name, False): one for one in after}

    @cached_property
    def _chosen(self) -> "Codes":
        """The places in the sample of one record of each person."""
        places, columns = self._samples
        if self.task.persons is not None:
            who = np.asarray(self.task.persons)[places]
        else:
            # rows that were equal may be published with different values
            rows = [(qid, True) for qid in self.task.qids] + [(name, False) for name in self.outside]
            who = persons_of(None, (columns[row].codes for row in rows))
        return np.sort(np.unique(who, return_index=True)[1])

    @cached_property
    def everyone(self) -> "Codes":
        """Shape (records,), the number of each record's person."""
        rows = (self.original(qid).column.codes for qid in self.task.qids)
        rest = (self.scale(name).column.codes for name in self.outside)
        return persons_of(self.task.persons, (codes for some in (rows, rest) for codes in some))

    @cached_property
    def places(self) -> "Codes":
        """One record of each person, a generalized one where there is one, in the table's order."""
        everyone = self.everyone
        if int(everyone.max(initial=-1)) + 1 == len(everyone):
            return np.arange(len(everyone))
        changed = sum(map(self.is_changed, self.task.qids), np.zeros(len(everyone), dtype=np.int64))
        order = np.argsort(-np.minimum(changed, 1), kind="stable")
        return np.sort(order[np.unique(everyone[order], return_index=True)[1]])

    def target(self, qid: str, most: int | None = None) -> Target:
        """Return a quasi-identifier over the first ``most`` records of different persons, None for all."""
        if (qid, most) not in self._targets:
            self._targets[qid, most] = self._target(qid, most)
        return self._targets[qid, most]

    def _target(self, qid: str, most: int | None) -> Target:
        if most is None:
            at = places = self.places
            original = self.original(qid)
            columns = {name: self.scale(name).column for name in self.task.qids}
        else:
            at, places = self._chosen[:most], self._samples[0][self._chosen[:most]]
            own = self._samples[1]
            original = Scale(column=own[qid, True], mark=self.task.changes.suppression_mark)
            columns = {name: own[name, False] for name in self.task.qids}
        classes = np.zeros(len(at), dtype=np.int64)
        for column in columns.values():
            classes = dense(classes * len(column.texts) + column.codes[at])[0]
        after = columns[qid]
        is_changed = _is_changed(original.column, after)
        is_open = np.bincount(after.codes, weights=is_changed, minlength=1)[after.codes] > 0
        return Target(
            original=original,
            values=original.column.codes[at].astype(np.int64),
            published=after.codes[at].astype(np.int64),
            classes=classes,
            is_open=is_open[at],
            is_changed=is_changed[at],
            places=places,
        )

    def count(self, chosen: "Flags") -> int:
        """Return how many persons some records are of; records where nobody says who is whom."""
        return int(chosen.sum()) if self.task.persons is None else len(np.unique(self.everyone[chosen]))


def columns_at(source: ColumnSource, names: tuple[str, ...], places: "Codes") -> tuple[ColumnValues, ...]:
    """Return columns of some records, read without the others where the table can do that."""
    at = getattr(source, "columns_at", None)
    if at is not None:
        found: tuple[ColumnValues, ...] = at(names, places)
        return found
    return tuple(source.column(name).at(places) for name in names)


def _order(places: "Codes") -> Scale:
    """Return where records stand as a column, whose codes are all that is asked of it."""
    codes = (places + 1).astype(np.int32)
    return Scale(
        column=ColumnValues(name=ORDER_OF_RECORDS, value_type=ValueType.INTEGER, codes=codes, texts=())
    )


def _is_changed(before: ColumnValues, after: ColumnValues) -> "Flags":
    is_changed: NDArray[np.bool_] = after.codes_in(before)[after.codes] != before.codes
    return is_changed

"""The original and the published table as they are searched: some records of different persons, then all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.hierarchy import SUPPRESSED
from qidguard.core.versions import ORDER_OF_RECORDS, Changes, ColumnSource
from qidguard.undoing.persons import dense, persons_of
from qidguard.undoing.scale import Scale
from qidguard.undoing.target import Target, same_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

SAMPLED = 10_000
"""Records that are searched first; a smaller table is searched as a whole."""

RARE, MOST_RARE = 0.05, 1_000
"""Where fewer than this share of the records were generalized, some of them are in the sample first."""


@dataclass(frozen=True, kw_only=True)
class Tables:
    """The two tables, columns being read where they are asked for.

    Args:
        changes: The original beside the published table, records paired.
        qids: The quasi-identifiers.
        published: The columns that are published, quasi-identifiers among them.
        persons: Shape (records of the published table,), a code of each record's person; None where nobody
            says who is whom.
        seed: Draws the sample.
    """

    changes: Changes
    qids: tuple[str, ...]
    published: tuple[str, ...]
    persons: "NDArray[np.integer] | None" = None
    seed: int = 0
    _changed: "dict[str, NDArray[np.bool_]]" = field(default_factory=dict, repr=False, compare=False)
    _read: dict[tuple[str, bool, int | None], Scale] = field(default_factory=dict, repr=False, compare=False)

    @property
    def outside(self) -> tuple[str, ...]:
        """The published columns that are no quasi-identifiers."""
        return tuple(name for name in self.published if name not in self.qids)

    def every(self, name: str, *, is_original: bool = False) -> Scale:
        """Return a column over all published records."""
        if name == ORDER_OF_RECORDS:
            return _order(np.arange(self.changes.after.records))
        key = (name, is_original, None)
        if key not in self._read:
            source, kept = self.changes.before if is_original else self.changes.after, self.changes.kept
            own = Scale(column=source.column(name), marks=self._marks)
            is_whole = not is_original or kept is None or kept.all()
            self._read[key] = own if kept is None or is_whole else own.at(np.flatnonzero(kept))
        return self._read[key]

    def some(self, name: str, most: int, *, is_original: bool = False) -> Scale:
        """Return a column over the first ``most`` records of the sample, each of another person."""
        if name == ORDER_OF_RECORDS:
            return _order(self._samples[0][self._chosen[:most]])
        key = (name, is_original, most)
        if key not in self._read:
            column = self._samples[1][name, is_original]
            self._read[key] = Scale(column=column, marks=self._marks).at(self._chosen[:most])
        return self._read[key]

    @property
    def _marks(self) -> tuple[str, ...]:
        return (SUPPRESSED, self.changes.suppression_mark or SUPPRESSED)

    def is_changed(self, qid: str) -> "NDArray[np.bool_]":
        """Return shape (records,), whether another value of a QID is published than the original one."""
        if qid not in self._changed:
            before, after = self.every(qid, is_original=True).column, self.every(qid).column
            self._changed[qid] = _is_changed(before, after)
        return self._changed[qid]

    def is_generalized(self, qid: str) -> bool:
        """Return whether another value is published of any record."""
        if self.changes.before is self.changes.after:
            return False
        some = self._samples[1]
        return bool(_is_changed(some[qid, True], some[qid, False]).any()) or bool(self.is_changed(qid).any())

    @cached_property
    def _samples(self) -> "tuple[Places, Mapping[tuple[str, bool], ColumnValues]]":
        """Records in no order, some of rare generalized ones first, and the columns over them."""
        records = self.changes.after.records
        order = np.random.default_rng([self.seed, 0]).permutation(records)
        places = order[:SAMPLED]
        columns = self._columns_at(places)
        if records <= SAMPLED:
            return places, columns
        rare = [
            order[self.is_changed(qid)[order]][:MOST_RARE]
            for qid in self.qids
            if _is_changed(columns[qid, True], columns[qid, False]).mean() < RARE
        ]
        # a record that stands twice would tell itself
        every = np.concatenate([*rare, places])
        more = every[np.sort(np.unique(every, return_index=True)[1])]
        return (places, columns) if len(more) == len(places) else (more, self._columns_at(more))

    def _columns_at(self, places: "Places") -> Mapping[tuple[str, bool], ColumnValues]:
        """Return some records of the columns: QIDs as they were, and what is published."""
        kept = self.changes.kept
        assert kept is not None  # noqa: S101 - records are paired
        before = columns_at(self.changes.before, self.qids, np.flatnonzero(kept)[places])
        after = columns_at(self.changes.after, self.published, places)
        return {(one.name, True): one for one in before} | {(one.name, False): one for one in after}

    @cached_property
    def _chosen(self) -> "Places":
        """The places in the sample of one record of each person."""
        places, columns = self._samples
        if self.persons is not None:
            who = np.asarray(self.persons)[places]
        else:
            # rows that were equal may be published with different values
            rows = [(qid, True) for qid in self.qids] + [(name, False) for name in self.outside]
            who = persons_of(None, (columns[row].codes for row in rows))
        return np.sort(np.unique(who, return_index=True)[1])

    @cached_property
    def everyone(self) -> "Places":
        """Shape (records,), the number of each record's person."""
        rows = (self.every(qid, is_original=True).column.codes for qid in self.qids)
        rest = (self.every(name).column.codes for name in self.outside)
        return persons_of(self.persons, (codes for some in (rows, rest) for codes in some))

    @cached_property
    def places(self) -> "Places":
        """One record of each person, a generalized one where there is one, in the table's order."""
        everyone = self.everyone
        if int(everyone.max(initial=-1)) + 1 == len(everyone):
            return np.arange(len(everyone))
        changed = sum(map(self.is_changed, self.qids), np.zeros(len(everyone), dtype=np.int64))
        order = np.argsort(-np.minimum(changed, 1), kind="stable")
        return np.sort(order[np.unique(everyone[order], return_index=True)[1]])

    def target(self, qid: str, most: int | None = None) -> Target:
        """Return a quasi-identifier over the first ``most`` records of different persons, None for all."""
        places, columns = self._samples
        at = self.places if most is None else self._chosen[:most]
        if most is None:
            columns = {(name, False): self.every(name).column for name in self.qids}
        drawn = self._samples[1][qid, True]
        original = (
            self.every(qid, is_original=True) if most is None else Scale(column=drawn, marks=self._marks)
        )
        before = original.column
        classes = np.zeros(len(at), dtype=np.int64)
        for name in self.qids:
            own = columns[name, False]
            classes = dense(classes * len(own.texts) + own.codes[at])[0]
        after = columns[qid, False]
        is_changed = _is_changed(before, after)
        is_open = np.bincount(after.codes, weights=is_changed, minlength=1)[after.codes] > 0
        return Target.of(
            original,
            values=before.codes[at].astype(np.int64),
            published=after.codes[at].astype(np.int64),
            classes=classes,
            is_open=is_open[at],
            is_changed=is_changed[at],
            places=at if most is None else places[at],
        )

    def count(self, chosen: "NDArray[np.bool_]") -> int:
        """Return how many persons some records are of; records where nobody says who is whom."""
        return int(chosen.sum()) if self.persons is None else len(np.unique(self.everyone[chosen]))


def columns_at(source: ColumnSource, names: tuple[str, ...], places: "Places") -> tuple[ColumnValues, ...]:
    """Return columns of some records, read without the others where the table can do that."""
    at = getattr(source, "columns_at", None)
    if at is not None:
        found: tuple[ColumnValues, ...] = at(names, places)
        return found
    return tuple(source.column(name).at(places) for name in names)


def _order(places: "Places") -> Scale:
    """Return where records stand as a column, whose codes are all that is asked of it."""
    codes = (places + 1).astype(np.int32)
    return Scale(
        column=ColumnValues(name=ORDER_OF_RECORDS, value_type=ValueType.INTEGER, codes=codes, texts=())
    )


def _is_changed(before: ColumnValues, after: ColumnValues) -> "NDArray[np.bool_]":
    is_changed: NDArray[np.bool_] = same_code(before, after)[after.codes] != before.codes
    return is_changed

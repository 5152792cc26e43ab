"""The table that an attacker holds, row by row."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Attacked, Changes, NotMeasurable, read_coverage
from qidguard_standard.attacks.column_match import ColumnMatch, SourceColumn
from qidguard_standard.attacks.persons import Persons, RecordSource


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Distinct combinations of codes, each with the records that have it.

    Args:
        codes: Shape (columns, rows), the codes of each distinct combination.
        order: Shape (records,), the records, those of row 0 first.
        start: Shape (rows + 1,), where each row's records begin in ``order``.
    """

    codes: NDArray[np.int32]
    order: NDArray[np.int64]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, columns: list[NDArray[np.int32]], records: int) -> "Rows":
        """Return the rows of columns of codes; one row where there is no column."""
        number = np.zeros(records, dtype=np.int64)
        for codes in columns:
            # numbered anew after each column, so that a key never outgrows 64 bits
            key = number * (int(codes.max(initial=0)) + 1) + codes
            number = np.unique(key, return_inverse=True)[1].astype(np.int64)
        order = np.argsort(number, kind="stable")
        sizes = np.bincount(number, minlength=1 if not records else 0)
        start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        first = order[start[:-1]] if records else np.zeros(0, dtype=np.int64)
        codes_of = np.array([codes[first] for codes in columns], dtype=np.int32)
        return cls(codes=codes_of.reshape(len(columns), len(first)), order=order, start=start)

    def where(self, masks: Mapping[int, NDArray[np.bool_]]) -> NDArray[np.int64]:
        """Return the rows whose code is in the mask of each asked column, ascending."""
        rows: NDArray[np.int64] | None = None
        # the mask of the fewest codes first: it leaves the least to look at
        for column in sorted(masks, key=lambda c: int(masks[c].sum())):
            codes = self.codes[column] if rows is None else self.codes[column, rows]
            is_in = masks[column][codes]
            rows = np.flatnonzero(is_in) if rows is None else rows[is_in]
        return np.arange(self.codes.shape[1]) if rows is None else rows

    def records_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the records of some rows, row after row."""
        begin, sizes = self.start[rows], self.start[rows + 1] - self.start[rows]
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        within = np.arange(total) - np.repeat(ends - sizes, sizes)
        records: NDArray[np.int64] = self.order[np.repeat(begin, sizes) + within]
        return records


@dataclass(frozen=True, kw_only=True)
class AttackedTable:
    """The published table beside the original.

    Args:
        qids: The published QIDs; one that is not published tells an attacker nothing.
        columns: How each of them is matched.
        persons: The persons of the original.
        published: The person of each published record, numbered as in ``persons`` where ``is_aligned``.
        is_aligned: Whether it is known which record became which.
        rows: The distinct combinations of the published QIDs.
    """

    qids: tuple[str, ...]
    columns: tuple[ColumnMatch, ...]
    persons: Persons
    published: NDArray[np.int64]
    is_aligned: bool
    rows: Rows

    @classmethod
    def of(cls, attacked: Attacked) -> "AttackedTable":
        """Return the table of an attack; NotMeasurable without records or QIDs, or with unreadable cells."""
        changes, task = attacked.changes, attacked.task
        if not changes.before.records:
            raise NotMeasurable("The table has no records, so nobody can be attacked.")
        if not task.quasi_identifiers:
            raise NotMeasurable("An attacker knows quasi-identifiers, and the policy names none; name some.")
        persons = Persons.of(changes.before, task.entity)
        if changes.kept is not None:
            published = persons.of_record[changes.kept]
        else:
            entity = task.entity if task.entity in changes.after.names else None
            published = Persons.of(changes.after, entity).of_record
        qids = tuple(name for name in task.quasi_identifiers if name in changes.after.names)
        columns = tuple(column_match(changes, name) for name in qids)
        return cls(
            qids=qids,
            columns=columns,
            persons=persons,
            published=published,
            is_aligned=changes.kept is not None,
            rows=Rows.of([column.after.codes for column in columns], changes.after.records),
        )

    def original(self) -> tuple[SourceColumn, ...]:
        """Return the QIDs of the original."""
        return tuple(SourceColumn.original(column.before) for column in self.columns)

    def withheld(self, source: RecordSource) -> tuple[SourceColumn, ...]:
        """Return the QIDs of withheld records."""
        return tuple(
            SourceColumn.withheld(source.column(name), column.before)
            for name, column in zip(self.qids, self.columns, strict=True)
        )

    def agreeing(
        self, source: tuple[SourceColumn, ...], record: int, known: tuple[int, ...]
    ) -> NDArray[np.int64]:
        """Return the published records that agree with what is known of one record.

        They cover its values in the truthful columns among those known. Where other columns are known, too,
        they are the nearest of these by the sum of distances (distance-based record linkage, Domingo-Ferrer &
        Torra 2001).
        """
        values = {c: int(source[c].codes[record]) for c in known}
        rows = self.rows.where(
            {
                c: self.columns[c].covering(v, source[c])
                for c, v in values.items()
                if self.columns[c].is_truthful
            }
        )
        other = [c for c in known if not self.columns[c].is_truthful]
        if other and len(rows):
            distance = np.zeros(len(rows))
            for c in other:
                distance += self.columns[c].distances(values[c], source[c])[self.rows.codes[c, rows]]
            # equal but for rounding
            rows = rows[distance <= distance.min() + _ROUNDING]
        return self.rows.records_of(rows)

    def count_persons(self, records: NDArray[np.int64]) -> int:
        """Count the distinct persons of some published records."""
        if not self.persons.has_entities:
            return len(records)
        is_there = np.zeros(int(self.published.max(initial=0)) + 1, dtype=np.bool_)
        is_there[self.published[records]] = True
        return int(is_there.sum())

    def has_person(self, records: NDArray[np.int64], person: int) -> bool:
        """Whether any of some published records is a person's."""
        return bool((self.published[records] == person).any())


def column_match(changes: Changes, name: str) -> ColumnMatch:
    """Return how a published column is matched; NotMeasurable where some of its values cannot be read."""
    before, after = changes.before.column(name), changes.after.column(name)
    coverage = read_coverage(before, after, changes.hierarchies.get(name), changes.suppression_mark)
    if coverage.unreadable:
        raise NotMeasurable(
            f"{coverage.unreadable:,} of the published values of {name!r} cannot be read as values, "
            "intervals or sets of the original; publish them as one of these or give the policy a hierarchy."
        )
    if changes.kept is None:
        is_truthful = not bool(np.any(coverage.is_point))
    else:
        is_truthful = bool(np.all(coverage.covers(after.codes, before.codes[changes.kept])))
    return ColumnMatch(before=before, after=after, coverage=coverage, is_truthful=is_truthful)


_ROUNDING = 1e-9

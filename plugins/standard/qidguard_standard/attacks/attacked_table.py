"""The table that an attacker holds, row by row: whose its records are, and which of its values match."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Attacked, Changes, ColumnSource, ColumnValues, Coverage, NotMeasurable, read_coverage


@dataclass(frozen=True, kw_only=True)
class Persons:
    """Whose record each one is.

    Args:
        of_record: Shape (records,), the person's number, 0..count−1.
        count: Number of persons.
        has_entities: Whether a person may have several records.
    """

    of_record: NDArray[np.int64]
    count: int
    has_entities: bool

    @classmethod
    def of(cls, source: ColumnSource, entity: str | None) -> "Persons":
        """Return the persons of a source: its distinct entities, all NULL being one, else its records."""
        if entity is None:
            return cls(of_record=np.arange(source.records), count=source.records, has_entities=False)
        distinct, number = np.unique(source.column(entity).codes, return_inverse=True)
        return cls(of_record=number.astype(np.int64), count=len(distinct), has_entities=True)

    def one_record_each(self, generator: np.random.Generator) -> NDArray[np.int64]:
        """Return for each person one of their records, drawn at random; shape (count,)."""
        if not self.has_entities:
            return np.arange(self.count)
        order = generator.permutation(len(self.of_record))
        _, first = np.unique(self.of_record[order], return_index=True)
        drawn: NDArray[np.int64] = order[first]
        return drawn


@dataclass(frozen=True, kw_only=True)
class SourceColumn:
    """A column of the original or of withheld records.

    A withheld person may have a value that the original lacks. A number between two of the original's is
    covered where both are, for what covers it reaches from one to the other. Any other new value is
    *foreign*: nothing covers it but what covers every value.

    Args:
        codes: Shape (records,), the code of each record's value.
        low: Shape (codes,), the original's code of each value, or of the next lower one; −1 for a foreign
            value.
        high: Shape (codes,), the original's code of each value, or of the next higher one; −1 likewise.
        numbers: Shape (codes,), the values as numbers, NaN for NULL; None where they are none.
    """

    codes: NDArray[np.int32] = field(repr=False)
    low: NDArray[np.int64] = field(repr=False)
    high: NDArray[np.int64] = field(repr=False)
    numbers: NDArray[np.float64] | None = field(repr=False)

    @classmethod
    def original(cls, column: ColumnValues) -> "SourceColumn":
        """Return a column of the original itself."""
        same = np.arange(len(column.texts))
        numbers = column.numbers if column.is_numeric else None
        return cls(codes=column.codes, low=same, high=same, numbers=numbers)

    @classmethod
    def withheld(cls, column: ColumnValues, original: ColumnValues) -> "SourceColumn":
        """Return a column of withheld records in terms of the original's column of the same name."""
        numbers = column.numbers if column.is_numeric and original.is_numeric else None
        low = same_values(column, original)
        high = low.copy()
        if numbers is not None and original.numbers is not None:
            is_there = np.isfinite(original.numbers)
            codes = np.flatnonzero(is_there)
            is_new = (low < 0) & np.isfinite(numbers)
            place = np.searchsorted(original.numbers[codes], numbers[is_new])
            is_between = (place > 0) & (place < len(codes))
            new = np.flatnonzero(is_new)[is_between]
            low[new], high[new] = codes[place[is_between] - 1], codes[place[is_between]]
        return cls(codes=column.codes, low=low, high=high, numbers=numbers)


def same_values(column: ColumnValues, original: ColumnValues) -> NDArray[np.int64]:
    """Return for each code of a column the original's code of the same value, −1 where it has none.

    Numbers are compared as numbers where both columns hold them, so that 5 and 5.0 are one; else texts.
    """
    if column.is_numeric and original.is_numeric and column.numbers is not None:
        known = {} if original.numbers is None else _places(original.numbers)
        codes = [known.get(number, -1) for number in column.numbers.tolist()]
        codes[0] = 0
    else:
        texts = {text: code for code, text in enumerate(original.texts)}
        codes = [texts.get(text, -1) for text in column.texts]
    return np.array(codes, dtype=np.int64)


def _places(numbers: NDArray[np.float64]) -> dict[float, int]:
    # NaN, of NULL and of the suppression mark, equals nothing and is found by nobody
    return {number: code for code, number in enumerate(numbers.tolist()) if number == number}  # noqa: PLR0124


@dataclass(frozen=True, kw_only=True)
class ColumnMatch:
    """A published column against the original's values.

    It is *truthful* where every published cell covers the original value of its own record, as
    generalization and suppression make it; noise, swapping and centroids do not. In a truthful column a
    person's value agrees with the cells that cover it. In any other it has a distance from each cell: of
    numbers, by the range of the original, 0..1; else 0 where the cell covers it and 1 where it does not.

    Args:
        before: The original column.
        after: The published column.
        coverage: What the published values stand for.
        is_truthful: Whether every cell covers its own record's value.
    """

    before: ColumnValues
    after: ColumnValues
    coverage: Coverage
    is_truthful: bool
    _masks: dict[tuple[int, int], NDArray[np.bool_]] = field(default_factory=dict, repr=False)

    def covering(self, value: int, source: SourceColumn) -> NDArray[np.bool_]:
        """Return which published codes cover one of the source's codes; shape (published codes,)."""
        low, high = int(source.low[value]), int(source.high[value])
        if (low, high) not in self._masks:
            if len(self._masks) >= _MOST_MASKS:
                self._masks.clear()
            self._masks[low, high] = self._covering(low, high)
        return self._masks[low, high]

    def covered(self, published: int, source: SourceColumn) -> NDArray[np.bool_]:
        """Return which of the source's codes one published code covers; shape (codes of the source,)."""
        is_covered = self.coverage.covers(published, np.arange(len(self.before.texts)))
        is_match: NDArray[np.bool_] = is_covered[source.low] & is_covered[source.high]
        is_match[source.low < 0] = self._covers_all[published]
        return is_match

    def distances(self, value: int, source: SourceColumn) -> NDArray[np.float64]:
        """Return the distance of each published code from one of the source's, 0..1."""
        apart = np.where(self.covering(value, source), 0.0, 1.0)
        if source.numbers is None or not np.isfinite(source.numbers[value]) or not self._range:
            return apart
        away = np.abs(self.coverage.centers - source.numbers[value]) / self._range
        # NULL and what has no center are as far as can be; a cell that covers the value is at no distance
        return np.where(apart > 0, np.minimum(np.where(np.isfinite(away), away, 1.0), 1.0), 0.0)

    @cached_property
    def median(self) -> float:
        """The median of the published cells' middles, NaN where none has one."""
        centers = self.coverage.centers[self.after.codes]
        centers = centers[np.isfinite(centers)]
        return float(np.median(centers)) if len(centers) else float("nan")

    @cached_property
    def _covers_all(self) -> NDArray[np.bool_]:
        # NULL apart, of which a new value is none; a single value stands for no other, even where it is all
        known = self.coverage.counts - self.coverage.covers(np.arange(len(self.after.texts)), 0)
        everything: NDArray[np.bool_] = self.coverage.is_suppressed | (known >= max(2, self.before.distinct))
        return everything

    @cached_property
    def _range(self) -> float:
        numbers = self.before.numbers
        known = np.zeros(0) if numbers is None else numbers[np.isfinite(numbers)]
        return float(np.ptp(known)) if len(known) else 0.0

    def _covering(self, low: int, high: int) -> NDArray[np.bool_]:
        codes = np.arange(len(self.after.texts))
        if low < 0:
            return self._covers_all
        is_match: NDArray[np.bool_] = self.coverage.covers(codes, low)
        return is_match if low == high else is_match & self.coverage.covers(codes, high)


_MOST_MASKS = 1000
"""Masks that are kept of one column: of a column of 100,000 numbers they take 100 MB."""


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

    def withheld(self, source: ColumnSource) -> tuple[SourceColumn, ...]:
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

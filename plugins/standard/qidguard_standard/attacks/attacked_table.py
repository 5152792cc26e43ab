"""The published table as an attacker sees it, ready to be asked which records agree with what is known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard import Attacked, Changes, NotMeasurable, read_coverage
from qidguard_standard.attacks.column_match import ColumnMatch
from qidguard_standard.attacks.persons import Persons, Source
from qidguard_standard.attacks.rows import Rows
from qidguard_standard.attacks.source_column import SourceColumn


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

    def withheld(self, source: Source) -> tuple[SourceColumn, ...]:
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

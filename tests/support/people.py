"""People in small tables, counted record by record."""

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True)
class People:
    """A table of records; ``entity`` says whether persons are the values of column w."""

    columns: tuple[str, ...]
    records: tuple[tuple[str | None, ...], ...]
    entity: bool = False

    def column(self, name, records=None):
        """Return one column of all or some records."""
        place = self.columns.index(name)
        return [record[place] for record in (self.records if records is None else records)]

    def classes(self, qids="ab"):
        """Return the classes: QID values → records."""
        found = {}
        for record in self.records:
            key = tuple(record[self.columns.index(qid)] for qid in qids)
            found.setdefault(key, []).append(record)
        return found

    def size(self, records=None):
        """Count the persons among some records."""
        some = self.records if records is None else records
        return len(set(self.column("w", some))) if self.entity else len(some)

    def counts(self, records=None):
        """Count the persons of each sensitive value among some records."""
        some = self.records if records is None else records
        if not self.entity:
            return Counter(self.column("s", some))
        return Counter(
            value for value, _ in set(zip(self.column("s", some), self.column("w", some), strict=True))
        )

    def shares(self, records=None):
        """Return each sensitive value's share of the summed counts among some records."""
        counts = self.counts(records)
        return {value: n / counts.total() for value, n in counts.items()}

    def smallest(self, qids="ab"):
        """Return for each person the size of the smallest class that they appear in."""
        classes = self.classes(qids).values()
        if not self.entity:
            return [len(members) for members in classes for _ in members]
        return [
            min(self.size(members) for members in classes if who in self.column("w", members))
            for who in set(self.column("w"))
        ]


def from_line(line):
    """Return the table of a line: its columns, then its records, one letter a value, ``-`` for NULL.

    ``3*xu`` are three alike; where the column w is written as W, persons are counted.
    """
    columns, *records = line.split()
    counted = [record.rpartition("*") for record in records]
    rows = [letters for times, _, letters in counted for _ in range(int(times or 1))]
    return People(
        tuple(columns.lower()),
        tuple(tuple(None if letter == "-" else letter for letter in row) for row in rows),
        "W" in columns,
    )

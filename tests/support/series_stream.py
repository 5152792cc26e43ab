"""A series of releases in memory: persons come, leave, return, change and are erased, and all is followed."""

from dataclasses import dataclass, field

import numpy as np

from qidguard.core.parameter import bind
from qidguard.sdk import NEVER_SHOWN, UNKNOWN, AnonymizationTask, ColumnValues, EarlierPersons, ValueType

ABSENT = ("absent",)


def column_of(name, values):
    """Return whole numbers, or texts, as a column of a table."""
    values = np.asarray(values)
    known, codes = np.unique(values, return_inverse=True)
    is_number = values.dtype.kind in "iu"
    return ColumnValues(
        name=name,
        value_type=ValueType.INTEGER if is_number else ValueType.TEXT,
        codes=(codes.reshape(-1) + 1).astype(np.int32),
        texts=(None, *map(str, known.tolist())),
        numbers=np.append(np.nan, known.astype(float)) if is_number else None,
    )


class StreamRecords:
    """Columns in memory, as an anonymizer sees them."""

    def __init__(self, columns):
        self._columns = {name: column_of(name, values) for name, values in columns.items()}
        self.names = tuple(columns)
        self.records = len(next(iter(columns.values())))

    def column(self, name):
        """Return one column."""
        return self._columns[name]

    def codes(self, columns):
        """Return the codes of some columns."""
        found = [self._columns[name].codes for name in columns]
        return np.stack(found, axis=1) if found else np.empty((self.records, 0), dtype=np.int32)


@dataclass(kw_only=True)
class Stream:
    """A series of releases of one anonymizer.

    Args:
        anonymizer: What makes each release.
        arguments: As a policy gives them.
        qids: The quasi-identifiers.
        sensitive: The sensitive attributes.
        held: The quasi-identifiers that stand for records of other tables.
        trajectory: Person → the classes of all releases so far.
        last: Who the last release showed.
    """

    anonymizer: object
    arguments: dict
    qids: tuple
    sensitive: tuple = ()
    entity: str | None = None
    held: tuple = ()
    releases: int = 0
    trajectory: dict = field(default_factory=dict)
    last: set = field(default_factory=set)

    def earlier(self, who, gone, waited, exits):
        """Return what the releases so far say of the persons of a table."""
        numbers = {}
        for one in self.trajectory.values():
            numbers.setdefault(one, len(numbers))
        known = set(who)
        missing = [person for person in self.trajectory if person not in known]
        return EarlierPersons(
            releases=self.releases,
            trajectory=np.array(
                [numbers[self.trajectory[p]] if p in self.trajectory else NEVER_SHOWN for p in who],
                dtype=np.int64,
            ),
            is_in_last=np.array([p in self.last for p in who], dtype=np.bool_),
            gone=np.asarray(gone, dtype=np.int64),
            waited=np.asarray(waited, dtype=np.int64),
            exit_wave=np.full(len(who), UNKNOWN) if exits is None else np.asarray(exits, dtype=np.int64),
            missing=np.array([numbers[self.trajectory[p]] for p in missing], dtype=np.int64),
            is_missing_in_last=np.array([p in self.last for p in missing], dtype=np.bool_),
        )

    def release(self, columns, who, gone, waited=None, exits=None):
        """Make one release of records of these persons; return what the anonymizer gave."""
        records = StreamRecords(columns)
        waited = np.zeros(len(who), dtype=np.int64) if waited is None else waited
        task = AnonymizationTask(
            combinations=(self.qids,),
            entity=self.entity,
            sensitive=self.sensitive,
            seed=0,
            earlier=self.earlier(who, gone, waited, exits),
            held=self.held,
        )
        bound = bind(self.anonymizer.parameters, self.arguments)
        done = self.anonymizer.anonymize(records, bound, task)
        self.follow(who, done, records)
        return done

    def follow(self, who, done, records):
        """Add a release to what is known of each person."""
        published = {name: records.column(name) for name in self.held} | done.columns
        codes = np.stack([published[name].codes for name in self.qids], axis=1)
        shown = {}
        for person, is_kept, cells in zip(who, done.kept, codes.tolist(), strict=True):
            if is_kept:
                shown.setdefault(person, set()).add(tuple(cells))
        for person in {*self.trajectory, *shown}:
            past = self.trajectory.get(person, hash((ABSENT,) * self.releases))
            now = tuple(sorted(shown[person])) if person in shown else ABSENT
            self.trajectory[person] = hash((past, now))
        self.last = set(shown)
        self.releases += 1

    @property
    def smallest(self):
        """Persons of the smallest trajectory."""
        return int(np.unique(list(self.trajectory.values()), return_counts=True)[1].min())

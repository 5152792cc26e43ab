"""The persons of a table as points, with what earlier releases showed of them; groups published as one."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    NEVER_SHOWN,
    AnonymizationTask,
    ColumnValues,
    EarlierPersons,
    NotMeasurable,
    Records,
)
from qidguard_standard.anonymizers.clustering.axis import Axis, axis
from qidguard_standard.anonymizers.clustering.classes import ClassRule, class_rule, members
from qidguard_standard.anonymizers.clustering.wanted import Wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class PersonRule(ClassRule):
    """The rule of a class, asked of persons who have several records.

    Args:
        records: Shape (records,), the records, person after person.
        sizes: Shape (persons,), how many records each person has, ≥ 1.
    """

    records: "NDArray[np.int64]" = field(repr=False)
    sizes: "NDArray[np.int64]" = field(repr=False)

    @property
    def counts_records(self) -> bool:
        """Whether k points suffice, whichever they are; a point is a person."""
        return self.wanted.is_k_alone

    def of(self, rows: "NDArray[np.int64]") -> "PersonRule":
        """Return the same rule for some of the persons, who are then the whole table for t."""
        at, sizes = self._of(rows), self.sizes[rows]
        entity = np.repeat(np.arange(len(rows)), sizes)
        return PersonRule(
            wanted=self.wanted,
            entity=entity,
            sensitive={name: codes[at] for name, codes in self.sensitive.items()},
            records=np.arange(len(at)),
            sizes=sizes,
        )

    def keeps(
        self, classes: "NDArray[np.int64]", count: int, rows: "NDArray[np.int64] | None" = None
    ) -> "NDArray[np.bool_]":
        """Return for each class of persons whether its records keep all that is wanted."""
        if self.wanted.is_k_alone:
            return np.bincount(classes, minlength=count) >= self.wanted.k
        who = np.arange(len(self.sizes)) if rows is None else rows
        return super().keeps(np.repeat(classes, self.sizes[who]), count, self._of(who))

    def _of(self, rows: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return the records of some persons, one person after the other."""
        sizes = self.sizes[rows]
        first = (np.cumsum(self.sizes) - self.sizes)[rows]
        before = np.cumsum(sizes) - sizes
        return self.records[np.repeat(first - before, sizes) + np.arange(int(sizes.sum()))]


@dataclass(frozen=True, kw_only=True)
class People:
    """The persons of a table.

    Args:
        person: Shape (records,), the number of each record's person.
        axes: The columns with one point a person: of several records the one in the middle.
        record_axes: The columns of the records.
        rule: What a class of persons has to keep.
        record_rule: The same, asked of records.
        earlier: What is known of the persons, one place each, and of those who are missing.
        held: Shape (persons,), a number for what is held of each person: quasi-identifiers that stand for
            records of other tables, which no class may show otherwise. All 0 where there are none.
    """

    person: "NDArray[np.int64]" = field(repr=False)
    axes: tuple[Axis, ...] = field(repr=False)
    record_axes: tuple[Axis, ...] = field(repr=False)
    rule: ClassRule = field(repr=False)
    record_rule: ClassRule = field(repr=False)
    earlier: EarlierPersons = field(repr=False)
    held: "NDArray[np.int64]" = field(repr=False)

    @property
    def count(self) -> int:
        """Number of persons."""
        return len(self.earlier.gone)

    @property
    def k(self) -> int:
        """Persons in the smallest class."""
        return self.rule.wanted.k

    @cached_property
    def is_present(self) -> "NDArray[np.bool_]":
        """Who is among the present, shape (persons,)."""
        present: NDArray[np.bool_] = self.earlier.gone == 0
        return present

    @cached_property
    def is_new(self) -> "NDArray[np.bool_]":
        """Whom no release showed, shape (persons,)."""
        new: NDArray[np.bool_] = self.earlier.trajectory == NEVER_SHOWN
        return new

    def divided(self, group: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return groups divided by what is held of their persons, numbered anew; −1 stays −1."""
        found = np.full(self.count, -1)
        rows = np.flatnonzero(group >= 0)
        pairs = np.stack([group[rows], self.held[rows]], axis=1)
        found[rows] = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
        return found

    def keep_parts(
        self, rows: "NDArray[np.int64]", side: "NDArray[np.int64]", count: int
    ) -> "NDArray[np.bool_]":
        """Return for each part of a divided group whether its persons keep l and t, shape (count,).

        For how many persons they are is counted elsewhere.
        """
        wanted = self.rule.wanted
        if wanted.is_k_alone:
            return np.ones(count, dtype=np.bool_)
        return replace(self.rule, wanted=replace(wanted, k=0)).keeps(side, count, rows)

    def ncp(self, group: "NDArray[np.int64]") -> float:
        """Return the mean NCP of a cell, 0..1, where persons with a group ≥ 0 are published; 0 of nobody."""
        sizes, loss = self.losses(group)
        return float((sizes * loss).sum() / sizes.sum()) if len(sizes) else 0.0

    def losses(self, group: "NDArray[np.int64]") -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
        """Return records and mean NCP of each group ≥ 0, in the order of their numbers."""
        of_record = group[self.person]
        at = np.flatnonzero(of_record >= 0)
        if not len(at):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        found = members(of_record[at])
        order = at[found.order]
        widths = [one.widths(one.ranks[order], found.starts) for one in self.record_axes]
        loss: NDArray[np.float64] = np.minimum(np.stack(widths), 1.0).mean(axis=0)
        return found.sizes, loss

    def places(self, rows: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """Return some persons as points, shape (columns, persons): numbers 0..1, of categories the rank."""
        return np.stack([_place(one, one.ranks[rows]) for one in self.axes])


def _place(one: Axis, ranks: "NDArray[np.integer]") -> "NDArray[np.float64]":
    return ranks.astype(np.float64) if one.places is None else one.places[ranks]


def people_of(
    records: Records, columns: tuple[ColumnValues, ...], wanted: Wanted, task: AnonymizationTask
) -> People:
    """Return the persons of a table in the order of their entity, or of their records."""
    earlier = EarlierPersons.of_first(records.records) if task.earlier is None else task.earlier
    rule = class_rule(records, wanted, task, wanted.sensitive)
    axes = tuple(axis(column, task.suppression_mark) for column in columns)
    held = _held(records, task)
    if rule.entity is None:
        person = np.arange(records.records)
        return People(
            person=person,
            axes=axes,
            record_axes=axes,
            rule=rule,
            record_rule=rule,
            earlier=earlier,
            held=held,
        )
    _, first, person, sizes = np.unique(
        rule.entity, return_index=True, return_inverse=True, return_counts=True
    )
    if (held != held[first][person.reshape(-1)]).any():
        raise NotMeasurable(
            "records of one person differ in a column that stands for records of another table; have one"
            " record a person"
        )
    order = np.argsort(person, kind="stable")
    of_persons = PersonRule(
        wanted=wanted, entity=rule.entity, sensitive=rule.sensitive, records=order, sizes=sizes
    )
    middle = np.cumsum(sizes) - sizes + (sizes - 1) // 2
    return People(
        person=person.reshape(-1),
        axes=tuple(_middle(one, person.reshape(-1), middle) for one in axes),
        record_axes=axes,
        rule=of_persons,
        record_rule=rule,
        held=held[first],
        earlier=EarlierPersons(
            releases=earlier.releases,
            trajectory=earlier.trajectory[first],
            is_in_last=earlier.is_in_last[first],
            gone=earlier.gone[first],
            waited=earlier.waited[first],
            exit_wave=earlier.exit_wave[first],
            missing=earlier.missing,
            is_missing_in_last=earlier.is_missing_in_last,
        ),
    )


def _held(records: Records, task: AnonymizationTask) -> "NDArray[np.int64]":
    """Return a number for what is held of each record, in the order of values; shape (records,)."""
    found = np.zeros((records.records, 1), dtype=np.int64)
    for name in task.quasi_identifiers:
        if name in task.held:
            column = records.column(name)
            by_text = sorted(range(len(column.texts)), key=lambda code: column.texts[code] or "")
            rank = np.argsort(np.array([0, *(code for code in by_text if code)]))
            found = np.concatenate([found, rank[column.codes][:, np.newaxis]], axis=1)
    return np.unique(found, axis=0, return_inverse=True)[1].reshape(-1)


def _middle(one: Axis, person: "NDArray[np.int64]", middle: "NDArray[np.int64]") -> Axis:
    """Return an axis of persons, each at the value in the middle of their own."""
    return one.at(np.lexsort((one.ranks, person))[middle])


def far(people: People, rows: "NDArray[np.int64]") -> "NDArray[np.float64]":
    """Return how far each of some persons is from their median, of categories the mode, in NCP."""
    places = people.places(rows)
    middle = [
        np.bincount(column.astype(np.int64)).argmax() if one.places is None else np.median(column)
        for one, column in zip(people.axes, places, strict=True)
    ]
    return distances(people, places, np.array(middle))


def merged(people: People, group: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return the class of each person, −1 where nobody is published, shape (persons,).

    A group that misses the rule is published with the nearest class of whom the same is held. To whoever
    follows its persons they stay a group of their own, so that it may stand alone in the next release.
    """
    rows = np.flatnonzero(group >= 0)
    classes = np.unique(group[rows], return_inverse=True)[1].reshape(-1)
    rule = people.rule.of(rows)
    places = people.places(rows)
    while True:
        count = int(classes.max(initial=-1)) + 1
        misses = ~rule.keeps(classes, count)
        if count <= 1 or not misses.any():
            break
        changed: set[int] = set()
        for one in np.flatnonzero(misses).tolist():
            inside = classes == one
            if one in changed or not inside.any() or inside.all():
                continue
            target = _nearest_class(people, places, classes, inside, people.held[rows])
            if target is None:
                continue
            classes[inside] = target
            changed.add(target)
        if not changed:
            break
        classes = np.unique(classes, return_inverse=True)[1].reshape(-1)
    result = np.full(people.count, -1)
    result[rows] = classes
    return result


def _nearest_class(
    people: People,
    places: "NDArray[np.float64]",
    classes: "NDArray[np.int64]",
    inside: "NDArray[np.bool_]",
    held: "NDArray[np.int64]",
) -> int | None:
    """Return the class whose persons are nearest to the middle of one, in the mean; None without any."""
    middle = np.sort(places[:, inside], axis=1)[:, (np.count_nonzero(inside) - 1) // 2]
    apart = distances(people, places, middle)
    sizes = np.bincount(classes)
    mean = np.bincount(classes, weights=apart) / np.maximum(sizes, 1)
    mean[(sizes == 0) | (np.arange(len(sizes)) == classes[inside][0])] = np.inf
    mean[classes[held != held[inside][0]]] = np.inf
    return int(mean.argmin()) if np.isfinite(mean).any() else None


def nearest(people: People, rows: "NDArray[np.int64]", others: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return for each of some persons which of the others is nearest, as a place among these."""
    mine, theirs = people.places(rows), people.places(others)
    return np.array([distances(people, theirs, point).argmin() for point in mine.T], dtype=np.int64)


def distances(
    people: People, places: "NDArray[np.float64]", point: "NDArray[np.float64]"
) -> "NDArray[np.float64]":
    """Return how far points are from one: shares of a range, and 1/(values − 1) for another category."""
    total = np.zeros(places.shape[1])
    for one, column, value in zip(people.axes, places, point, strict=True):
        if one.places is not None:
            total += np.abs(column - value)
        elif one.values > 1:
            total += (column != value) / (one.values - 1)
    return total

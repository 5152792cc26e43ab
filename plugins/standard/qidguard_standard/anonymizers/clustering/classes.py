"""What a class of records must keep, and the records of each class."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import AnonymizationTask, NotMeasurable, Records, class_numbers
from qidguard_standard.anonymizers.clustering.wanted import Wanted, as_they_are

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Members:
    """Records sorted by class.

    Args:
        order: Shape (records,), the records, class after class, in their own order within one.
        sizes: Shape (classes,), records of each class, ≥ 1.
    """

    order: "NDArray[np.int64]" = field(repr=False)
    sizes: "NDArray[np.int64]" = field(repr=False)

    @property
    def count(self) -> int:
        """Number of classes."""
        return len(self.sizes)

    @property
    def starts(self) -> "NDArray[np.int64]":
        """Where each class begins."""
        starts: NDArray[np.int64] = np.cumsum(self.sizes) - self.sizes
        return starts

    @property
    def owner(self) -> "NDArray[np.int64]":
        """The class of each record of ``order``."""
        return np.repeat(np.arange(self.count), self.sizes)

    def by_record(self, of_class: "NDArray[np.integer]") -> "NDArray[np.int32]":
        """Return what holds for each record's class, in the order of records.

        Shape (records,).

        Example:
            >>> members(np.array([7, 3, 7])).by_record(np.array([30, 70])).tolist()
            [70, 30, 70]
        """
        class_of = np.empty(len(self.order), dtype=np.int32)
        class_of[self.order] = np.repeat(of_class.astype(np.int32), self.sizes)
        return class_of


def members(classes: "NDArray[np.int64]") -> Members:
    """Return the records of each class that has any; ``classes`` are whole numbers ≥ 0, one a record."""
    # few bits sort by radix, in one pass for each sixteen
    order = np.argsort(classes.astype(np.min_scalar_type(int(classes.max(initial=0)))), kind="stable")
    sizes = np.bincount(classes)
    return Members(order=order, sizes=sizes[sizes > 0])


_SLACK = 1e-12
"""Sums of shares differ in their last digits; a distance this close to the limit equals it."""


@dataclass(frozen=True, kw_only=True)
class ClassRule:
    """What classes of one table have to keep, ready to be asked.

    Args:
        wanted: What is asked.
        entity: Shape (records,), the code of each record's person; None where each record is a person.
        sensitive: Attribute → its codes, shape (records,).
        shares: Attribute → share of each code in the table that t is measured from; empty takes the records.
        apart: The attributes that are QIDs, too, and published as they are, since a limit is on them. To a
            reader they part a class: k, and l and t of all others, hold in each of its parts.
        weight: Shape (records,), how many records each stands for that agree in all that counts; None for
            one each.
    """

    wanted: Wanted
    entity: "NDArray[np.int64] | None" = field(default=None, repr=False)
    sensitive: "dict[str, NDArray[np.int64]]" = field(default_factory=dict, repr=False)
    shares: "dict[str, NDArray[np.float64]]" = field(default_factory=dict, repr=False)
    apart: tuple[str, ...] = ()
    weight: "NDArray[np.int64] | None" = field(default=None, repr=False)

    @property
    def counts_records(self) -> bool:
        """Whether k records suffice, whichever they are."""
        return self.entity is None and self.wanted.is_k_alone and not self.apart

    def of(self, rows: "NDArray[np.int64]") -> "ClassRule":
        """Return the same rule for some of the records, which are then the whole table for t."""
        return ClassRule(
            wanted=self.wanted,
            entity=_at(self.entity, rows),
            sensitive={name: codes[rows] for name, codes in self.sensitive.items()},
            apart=self.apart,
            weight=_at(self.weight, rows),
        )

    def inside(self, rows: "NDArray[np.int64]") -> "ClassRule":
        """Return the rule of some records that agree in all attributes which part a class."""
        wanted = replace(
            self.wanted,
            l={name: least for name, least in self.wanted.l.items() if name not in self.apart},
            t={name: most for name, most in self.wanted.t.items() if name not in self.apart},
        )
        return replace(self.of(rows), wanted=wanted, apart=())

    def part(self, rows: "NDArray[np.int64]") -> "ClassRule":
        """Return the same rule for some of the records, with t measured from the table as before."""
        return replace(self.of(rows), shares={name: self._shares(name) for name in self.wanted.t})

    def keeps(
        self, classes: "NDArray[np.int64]", count: int, rows: "NDArray[np.int64] | None" = None
    ) -> "NDArray[np.bool_]":
        """Return for each class whether it keeps all that is wanted.

        Shape (count,); an empty class keeps nothing.

        Example:
            >>> rule = ClassRule(wanted=Wanted(k=2))
            >>> rule.keeps(np.array([0, 0, 1]), 2).tolist()
            [True, False]
        """
        entity, weight = _at(self.entity, rows), _at(self.weight, rows)
        fine: NDArray[np.bool_] = persons(classes, count, entity, weight) >= self.wanted.k
        of_all = self._parts(classes, count, rows)
        if self.apart:
            of_all.hold(persons(of_all.part, len(of_all.owner), entity, weight) >= self.wanted.k, fine)
        for name, codes in self.sensitive.items():
            values = codes if rows is None else codes[rows]
            least, most = self.wanted.l.get(name), self.wanted.t.get(name)
            if least is None and most is None:
                continue
            # what is to be learned is not known yet: the attribute parts nothing for itself
            seen = self._parts(classes, count, rows, name) if name in self.apart else of_all
            parts = len(seen.owner)
            if least is not None:
                seen.hold(_distinct(seen.part, parts, values) >= least, fine)
            if most is not None:
                owner, value, counted = _cells(seen.part, values, entity, weight)
                total = np.bincount(owner, weights=counted, minlength=parts)
                # Σ max(p − q, 0); a value that a class lacks has nothing too much there, so those suffice
                moved = np.maximum(counted / total[owner] - self._shares(name)[value], 0.0)
                distances = np.bincount(owner, weights=moved, minlength=parts)
                seen.hold(distances <= most + _SLACK, fine)
        return fine

    def _parts(
        self,
        classes: "NDArray[np.int64]",
        count: int,
        rows: "NDArray[np.int64] | None",
        learned: str | None = None,
    ) -> "_Parts":
        """Return the classes as a reader sees them, who knows what parts them, not what is ``learned``."""
        names = [name for name in self.apart if name != learned]
        if not names:
            return _Parts(part=classes, owner=np.arange(count))
        codes = [self.sensitive[name] if rows is None else self.sensitive[name][rows] for name in names]
        part = class_numbers(np.stack([classes, *codes], axis=1))
        owner = np.zeros(int(part.max(initial=-1)) + 1, dtype=np.int64)
        owner[part] = classes
        return _Parts(part=part, owner=owner)

    def _shares(self, name: str) -> "NDArray[np.float64]":
        if name in self.shares:
            return self.shares[name]
        codes = self.sensitive[name]
        _, value, counted = _cells(np.zeros(len(codes), dtype=np.int64), codes, self.entity, self.weight)
        shares = np.zeros(int(codes.max(initial=0)) + 1)
        shares[value] = counted / counted.sum()
        return shares


@dataclass(frozen=True, kw_only=True)
class _Parts:
    """What a reader can tell apart within classes: the part of each record, and the class of each part."""

    part: "NDArray[np.int64]" = field(repr=False)
    owner: "NDArray[np.int64]" = field(repr=False)

    def hold(self, is_fine: "NDArray[np.bool_]", fine: "NDArray[np.bool_]") -> None:
        """Take from the classes that are fine those of which a part is not."""
        fine[self.owner[~is_fine]] = False


def class_rule(
    records: Records, wanted: Wanted, task: AnonymizationTask, sensitive: tuple[str, ...]
) -> ClassRule:
    """Return the rule for a table; NotMeasurable where not even one class of all records keeps it.

    ``sensitive`` names the attributes whose codes it holds, those that are wanted among them.
    """
    entity = None if task.entity is None else records.codes((task.entity,))[:, 0].astype(np.int64)
    apart = as_they_are(wanted, task)
    sensitive = tuple(dict.fromkeys((*sensitive, *apart)))
    codes = records.codes(sensitive).astype(np.int64)
    everybody = records.records if entity is None else len(np.unique(entity))
    if everybody < wanted.k:
        raise NotMeasurable(
            f"k = {wanted.k} needs as many persons, and the table has {everybody:,}; lower k or add records"
        )
    for at, name in enumerate(sensitive):
        there = len(np.unique(codes[:, at]))
        if there < wanted.l.get(name, 0):
            raise NotMeasurable(
                f"l = {wanted.l[name]} needs as many values of {name!r}, and the table has {there}; lower l"
            )
    held = {name: codes[:, at] for at, name in enumerate(sensitive)}
    rule = ClassRule(wanted=wanted, entity=entity, sensitive=held, apart=apart)
    if apart and not rule.keeps(np.zeros(records.records, dtype=np.int64), 1)[0]:
        raise NotMeasurable(_never(rule))
    return rule


def _never(rule: ClassRule) -> str:
    """Return why not even one class of all records keeps a rule, and by which column."""
    why = "a limit is on the sensitive values of {}, a quasi-identifier that is published as it is then,"
    for name in rule.apart:
        counts = persons(class_numbers(rule.sensitive[name][:, None]), 0, rule.entity)
        few = int(np.count_nonzero(counts < rule.wanted.k))
        if few:
            return (
                f"{why.format(repr(name))} so each of its values needs k = {rule.wanted.k} persons, and"
                f" {few:,} of {len(counts):,} have fewer; put no limit on it, declare it no"
                " quasi-identifier, or put rare values together before"
            )
    return (
        f"{why.format(' and '.join(map(repr, rule.apart)))} and not even one class of all records keeps k, l"
        " and t within each value; put no limit on it, or declare it no quasi-identifier"
    )


def _at(
    of_record: "NDArray[np.int64] | None", rows: "NDArray[np.int64] | None"
) -> "NDArray[np.int64] | None":
    return of_record if of_record is None or rows is None else of_record[rows]


def persons(
    classes: "NDArray[np.int64]",
    count: int,
    entity: "NDArray[np.int64] | None",
    weight: "NDArray[np.int64] | None" = None,
) -> "NDArray[np.int64]":
    """Return the persons in each class: its records, or its distinct entities where there is an entity."""
    if entity is not None:
        return _distinct(classes, count, entity)
    return np.bincount(classes, weights=weight, minlength=count).astype(np.int64)


def _distinct(classes: "NDArray[np.int64]", count: int, codes: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return the distinct codes in each class."""
    span = int(codes.max(initial=0)) + 1
    pairs = _unique(classes * span + codes)
    return np.bincount(pairs // span, minlength=count)


def _cells(
    classes: "NDArray[np.int64]",
    values: "NDArray[np.int64]",
    entity: "NDArray[np.int64] | None",
    weight: "NDArray[np.int64] | None",
) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]":
    """Return the class, the value and the persons of each value that occurs in a class."""
    span = int(values.max(initial=0)) + 1
    keys = classes * span + values
    if entity is not None:
        people = int(entity.max(initial=0)) + 1
        keys, weight = _unique(keys * people + entity) // people, None
    if weight is None:
        cells, counted = np.unique(keys, return_counts=True)
    else:
        cells, place = np.unique(keys, return_inverse=True)
        counted = np.bincount(place, weights=weight).astype(np.int64)
    return cells // span, cells % span, counted


def _unique(keys: "NDArray[np.int64]") -> "NDArray[np.int64]":
    ordered = np.sort(keys)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered


def modes_by_class(of: "NDArray[np.int64]", codes: "NDArray[np.integer]") -> "NDArray[np.int64]":
    """Return the most frequent code of each class that occurs, the smallest of equally frequent ones."""
    span = int(codes.max(initial=0)) + 1
    keys, times = np.unique(of * span + codes, return_counts=True)
    best = np.lexsort((-times, keys // span))
    owner = keys[best] // span
    modes: NDArray[np.int64] = keys[best][np.append(True, owner[1:] != owner[:-1])] % span
    return modes

"""What a class of rows must keep, and what is claimed of the result."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import AnonymizationTask, Bound, Guarantee, Limit, NotMeasurable, Records, class_numbers
from qidguard_standard.anonymizers.clustering.wanted import Wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray


_SLACK = 1e-12
"""Sums of shares differ in their last digits; a distance this close to the limit equals it."""


@dataclass(frozen=True, kw_only=True)
class RowRule:
    """What classes of rows have to keep.

    Args:
        wanted: What is asked.
        row_of: Shape (records,), the row of each record.
        first: Shape (rows,), a record of each row.
        weight: Shape (rows,), the records of each row.
        entity: Shape (rows,), the code of each row's person; None where each record is one.
        sensitive: Attribute → its code in each row, shape (rows,).
        table: Attribute that t is asked of → each code's share of the table, shape (codes,).
    """

    wanted: Wanted
    row_of: "NDArray[np.int64]" = field(repr=False)
    first: "NDArray[np.int64]" = field(repr=False)
    weight: "NDArray[np.int64]" = field(repr=False)
    entity: "NDArray[np.int64] | None" = field(default=None, repr=False)
    sensitive: "dict[str, NDArray[np.int64]]" = field(default_factory=dict, repr=False)
    table: "dict[str, NDArray[np.float64]]" = field(default_factory=dict, repr=False)

    @property
    def counts_records(self) -> bool:
        """Whether k records suffice, whichever they are."""
        return self.entity is None and self.wanted.is_k_alone

    def keeps(
        self, number: "NDArray[np.int64]", count: int, rows: "NDArray[np.int64]"
    ) -> "NDArray[np.bool_]":
        """Return for each class whether it keeps what is asked.

        Shape (count,).

        Example:
            >>> three = np.arange(3)
            >>> rule = RowRule(wanted=Wanted(k=2), row_of=three, first=three, weight=np.ones(3, dtype=int))
            >>> rule.keeps(np.array([0, 0, 1]), 2, three).tolist()
            [True, False]
        """
        if self.entity is None:
            persons = np.bincount(number, weights=self.weight[rows], minlength=count).astype(np.int64)
        else:
            persons = _distinct(number, count, self.entity[rows])
        fine: NDArray[np.bool_] = persons >= self.wanted.k
        for name, codes in self.sensitive.items():
            values = codes[rows]
            if name in self.wanted.l:
                fine &= _distinct(number, count, values) >= self.wanted.l[name]
            if name in self.wanted.t:
                fine &= self._distance(number, count, rows, name) <= self.wanted.t[name] + _SLACK
        return fine

    def _distance(
        self, number: "NDArray[np.int64]", count: int, rows: "NDArray[np.int64]", name: str
    ) -> "NDArray[np.float64]":
        """Return Σ max(p − q, 0) of each class, over the values that occur in it."""
        table, values = self.table[name], self.sensitive[name][rows]
        cells, of_cell, weight = _cells(number, values, self.weight[rows], self._entity(rows))
        total = np.bincount(cells, weights=weight, minlength=count)
        excess = np.maximum(weight / total[cells] - table[of_cell], 0.0)
        return np.bincount(cells, weights=excess, minlength=count).astype(np.float64)

    def _entity(self, rows: "NDArray[np.int64]") -> "NDArray[np.int64] | None":
        return None if self.entity is None else self.entity[rows]


def row_rule(
    records: Records, codes: "NDArray[np.int32]", wanted: Wanted, task: AnonymizationTask
) -> RowRule:
    """Put equal records into rows; NotMeasurable where not even the whole table keeps what is asked."""
    names = wanted.sensitive
    shown = [name for name in names if name in task.quasi_identifiers]
    if shown:
        raise NotMeasurable(
            f"l or t is asked of {shown[0]!r}, a quasi-identifier, too, and each class would show one value"
            " of it; ask none of it, or use a method that leaves it as it is, such as mondrian"
        )
    who = None if task.entity is None else records.codes((task.entity,))
    attributes = records.codes(names)
    parts = [attributes] if who is None else [attributes, who]
    row_of = class_numbers(np.concatenate([codes, *parts], axis=1))
    weight = np.bincount(row_of)
    first = np.empty(len(weight), dtype=np.int64)
    first[row_of[::-1]] = np.arange(len(codes))[::-1]
    entity = None if who is None else who[first, 0].astype(np.int64)
    sensitive = {name: attributes[first, j].astype(np.int64) for j, name in enumerate(names)}
    _check(wanted, len(codes) if entity is None else len(np.unique(entity)), sensitive)
    table = {}
    for name in wanted.t:
        _, of_cell, n = _cells(np.zeros(len(first), dtype=np.int64), sensitive[name], weight, entity)
        table[name] = np.bincount(of_cell, weights=n) / n.sum()
    return RowRule(
        wanted=wanted,
        row_of=row_of,
        first=first,
        weight=weight,
        entity=entity,
        sensitive=sensitive,
        table=table,
    )


def _check(wanted: Wanted, persons: int, sensitive: "dict[str, NDArray[np.int64]]") -> None:
    """Raise NotMeasurable where the whole table as one class does not keep k and l."""
    if persons < wanted.k:
        raise NotMeasurable(f"k = {wanted.k} needs as many persons, and the table has {persons:,}; lower k")
    for name, codes in sensitive.items():
        there, least = len(np.unique(codes)), wanted.l.get(name, 0)
        if there < least:
            raise NotMeasurable(f"l = {least} needs as many values of {name!r}, which has {there:,}; lower l")


def _cells(
    number: "NDArray[np.int64]",
    values: "NDArray[np.int64]",
    weight: "NDArray[np.int64]",
    entity: "NDArray[np.int64] | None",
) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]":
    """Return the class, the value and the persons of each cell: what a class has of a value."""
    span = int(values.max(initial=0)) + 1
    pairs = number * span + values
    if entity is not None:
        people = int(entity.max(initial=0)) + 1
        distinct, persons = np.unique(np.unique(pairs * people + entity) // people, return_counts=True)
        return distinct // span, distinct % span, persons.astype(np.float64)
    distinct, place = np.unique(pairs, return_inverse=True)
    return distinct // span, distinct % span, np.bincount(place, weights=weight).astype(np.float64)


def _distinct(number: "NDArray[np.int64]", count: int, codes: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return the distinct codes in each class."""
    span = int(codes.max(initial=0)) + 1
    return np.bincount(np.unique(number * span + codes) // span, minlength=count)


MOST_CLAIMS = 200
"""Combinations that claims are made for: a receipt with twenty thousand sentences is read by nobody."""


def claims(asked: Wanted, task: AnonymizationTask) -> tuple[Guarantee, ...]:
    """Return the claim of what is wanted over each combination of a task.

    Example:
        >>> task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
        >>> claims(Wanted(k=5), task)[0].limit.value
        5
    """
    guarantees = []
    for qids in task.combinations[:MOST_CLAIMS]:
        guarantees.append(_claim("k_anonymity", Bound.AT_LEAST, asked.k, qids))
        guarantees += [
            _claim("distinct_l_diversity", Bound.AT_LEAST, least, qids, name)
            for name, least in sorted(asked.l.items())
        ]
        guarantees += [
            _claim("t_closeness", Bound.AT_MOST, most, qids, name) for name, most in sorted(asked.t.items())
        ]
    return tuple(guarantees)


def claims_note(task: AnonymizationTask) -> tuple[str, ...]:
    """Return a sentence where there are more combinations than claims; nothing elsewhere."""
    many = len(task.combinations)
    if many <= MOST_CLAIMS:
        return ()
    return (f"the same holds for all {many:,} combinations; the claims name the first {MOST_CLAIMS}",)


def _claim(
    metric: str, bound: Bound, value: float, qids: tuple[str, ...], sensitive: str | None = None
) -> Guarantee:
    limit = Limit(bound=bound, value=value)
    return Guarantee(metric=metric, limit=limit, qids=qids, sensitive=sensitive)

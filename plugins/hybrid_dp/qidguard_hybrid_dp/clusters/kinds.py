"""The distinct combinations of values: what clusters are made of, and how many persons each stands for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qidguard.sdk import Hierarchy

if TYPE_CHECKING:
    from numpy.typing import NDArray


WHOLE_LOSS = 1 << 20
"""The loss of a value that is suppressed; losses are whole numbers, so that every way of adding agrees."""


@dataclass(frozen=True, kw_only=True)
class Categorical:
    """A categorical quasi-identifier of the records that are clustered.

    Args:
        name: The column's name.
        codes: Shape (n,), the code of each record's value; NULL is 0, a value of its own.
        hierarchy: Its levels by code.
    """

    name: str
    codes: "NDArray[np.int32]" = field(repr=False)
    hierarchy: Hierarchy = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Numeric:
    """A numeric quasi-identifier, as plain k-member clusters it; the hybrid scheme never does.

    Args:
        name: The column's name.
        codes: Shape (n,), the code of each record's number; NULL is 0.
        numbers: Shape (codes,), the number of each code, NaN where it is none.
    """

    name: str
    codes: "NDArray[np.int32]" = field(repr=False)
    numbers: "NDArray[np.float64]" = field(repr=False)


def group_losses(column: Categorical) -> "NDArray[np.int64]":
    """Return what each code loses at each level, of ``WHOLE_LOSS``: (values of its group − 1) / (values − 1).

    NULL counts as a value where a record has it. At the top all is lost, at level 0 nothing; what another
    level labels as the top is lost there, too.

    Shape (levels, codes).
    """
    groups = column.hierarchy.groups
    counts = np.ones(groups.shape[1], dtype=np.int64)
    counts[0] = int((column.codes == 0).any())
    whole = max(int(counts.sum()) - 1, 1)
    top = column.hierarchy.labels[-1][0]
    losses = np.zeros(groups.shape, dtype=np.int64)
    for level in range(1, len(groups)):
        of_group = np.bincount(groups[level], weights=counts).astype(np.int64)
        losses[level] = np.maximum(of_group[groups[level]] - 1, 0) * WHOLE_LOSS // whole
        is_top = np.array([name == top for name in column.hierarchy.labels[level]])
        losses[level][is_top[groups[level]] & (of_group[groups[level]] > 1)] = WHOLE_LOSS
    losses[-1] = WHOLE_LOSS
    return losses


class Lists(NamedTuple):
    """A list of whole numbers for each kind; in each they rise and are distinct."""

    starts: "NDArray[np.int64]"  # (kinds + 1,), where each list starts in ``items``
    items: "NDArray[np.int64]"  # all lists, one after the other

    def of(self, kind: int) -> "NDArray[np.int64]":
        """Return the list of a kind."""
        return self.items[self.starts[kind] : self.starts[kind + 1]]

    def at(self, kinds: "NDArray[np.int64]") -> "Lists":
        """Return the lists of some kinds."""
        sizes = np.diff(self.starts)[kinds]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.starts[kinds] - starts[:-1], sizes) + np.arange(starts[-1])
        return Lists(starts=starts, items=self.items[places])


def lists_of(kind: "NDArray[np.int64]", item: "NDArray[np.int64]", kinds: int) -> Lists:
    """Return the distinct items of each kind, given one of each for some records."""
    span = int(item.max(initial=0)) + 1
    keys = np.unique(kind.astype(np.int64) * span + item)
    sizes = np.bincount(keys // span, minlength=kinds)
    return Lists(starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), items=keys % span)


class KindValues(NamedTuple):
    """The values of all columns in one row, column after column, and where each kind stands in it.

    A hierarchy lower than others repeats its top. Numbers are scaled to 0..``WHOLE_LOSS``, −1 for NULL.
    """

    codes: "NDArray[np.int32]"  # (columns, kinds), the place of each kind's value
    starts: "NDArray[np.int64]"  # (columns + 1,), where each column's values start
    groups: "NDArray[np.int32]"  # (levels, values)
    losses: "NDArray[np.int64]"  # (levels, values), what a value loses at each level
    numbers: "NDArray[np.int64]"  # (values,), 0 for categories
    is_numeric: "NDArray[np.bool_]"  # (columns,)


class KindPeople(NamedTuple):
    """Who stands in each kind, and with what sensitive values, numbered over all attributes."""

    records: "NDArray[np.int64]"  # (kinds,)
    persons: "NDArray[np.int64]"  # (kinds,), distinct ones
    who: Lists  # without items where each record is a person
    sensitive: Lists
    attribute: "NDArray[np.int64]"  # (sensitive values,), the attribute of each


@dataclass(frozen=True, kw_only=True)
class CombinationKinds:
    """Distinct combinations, in the order of their values.

    Args:
        values: What they are.
        people: Who they are.
        attributes: How many sensitive attributes there are.
    """

    values: KindValues = field(repr=False)
    people: KindPeople = field(repr=False)
    attributes: int = 0

    @property
    def count(self) -> int:
        """Number of kinds."""
        return len(self.people.records)

    def persons_of(self, kinds: "NDArray[np.int64]") -> int:
        """Return how many distinct persons some kinds have."""
        if not len(self.people.who.items):
            return int(self.people.persons[kinds].sum())
        return len(np.unique(self.people.who.at(kinds).items))

    def diversity_of(self, kinds: "NDArray[np.int64]") -> int:
        """Return the fewest distinct values that some kinds have of a sensitive attribute; there is one."""
        found = self.people.attribute[np.unique(self.people.sensitive.at(kinds).items)]
        fewest: int = np.bincount(found, minlength=self.attributes).min().item()
        return fewest

    def is_enough(self, kinds: "NDArray[np.int64]", k: int, l: int) -> bool:  # noqa: E741 - the field's name
        """Whether some kinds are k persons at least, with l values at least of each sensitive attribute."""
        if self.persons_of(kinds) < k:
            return False
        return l <= 1 or not self.attributes or self.diversity_of(kinds) >= l

    def at(self, kinds: "NDArray[np.int64]") -> "CombinationKinds":
        """Return some of the kinds, with the values that they have."""
        codes, starts, kept = [], [0], []
        for row in self.values.codes[:, kinds]:
            used, place = np.unique(row, return_inverse=True)
            codes.append(place.reshape(-1) + starts[-1])
            starts.append(starts[-1] + len(used))
            kept.append(used)
        places = np.concatenate(kept)
        return CombinationKinds(
            values=KindValues(
                codes=np.array(codes, dtype=np.int32),
                starts=np.array(starts, dtype=np.int64),
                groups=np.ascontiguousarray(self.values.groups[:, places]),
                losses=np.ascontiguousarray(self.values.losses[:, places]),
                numbers=self.values.numbers[places],
                is_numeric=self.values.is_numeric,
            ),
            people=KindPeople(
                records=self.people.records[kinds],
                persons=self.people.persons[kinds],
                who=self.people.who.at(kinds),
                sensitive=self.people.sensitive.at(kinds),
                attribute=self.people.attribute,
            ),
            attributes=self.attributes,
        )


def kinds_of(
    columns: Sequence[Categorical | Numeric],
    persons: "NDArray[np.int64] | None",
    sensitive: "Sequence[NDArray[np.integer]]",
) -> "tuple[CombinationKinds, NDArray[np.int64]]":
    """Return the distinct combinations of at least one record, and which of them each record has."""
    kind = combinations([column.codes for column in columns])
    count = int(kind.max()) + 1
    first = np.zeros(count, dtype=np.int64)
    first[kind[::-1]] = np.arange(len(kind))[::-1]
    depth = max((column.hierarchy.levels for column in columns if isinstance(column, Categorical)), default=1)
    parts = [_values_of(column, depth) for column in columns]
    starts = np.concatenate([[0], np.cumsum([len(numbers) for _, _, numbers in parts])]).astype(np.int64)
    codes = np.array(
        [column.codes[first] + start for column, start in zip(columns, starts.tolist(), strict=False)],
        dtype=np.int32,
    )
    records = np.bincount(kind, minlength=count)
    nobody = Lists(starts=np.zeros(count + 1, dtype=np.int64), items=np.zeros(0, dtype=np.int64))
    who = nobody
    if persons is not None:
        who = lists_of(kind, np.unique(persons, return_inverse=True)[1].reshape(-1), count)
    values, attribute = _sensitive_values(sensitive)
    found = nobody
    if len(sensitive):
        known = np.concatenate([one > 0 for one in sensitive])
        found = lists_of(np.tile(kind, len(sensitive))[known], values[known], count)
    kinds = CombinationKinds(
        values=KindValues(
            codes=codes,
            starts=starts,
            groups=np.concatenate([groups for groups, _, _ in parts], axis=1),
            losses=np.concatenate([losses for _, losses, _ in parts], axis=1),
            numbers=np.concatenate([numbers for _, _, numbers in parts]),
            is_numeric=np.array([isinstance(column, Numeric) for column in columns]),
        ),
        people=KindPeople(
            records=records,
            persons=records if persons is None else np.diff(who.starts),
            who=who,
            sensitive=found,
            attribute=attribute,
        ),
        attributes=len(sensitive),
    )
    return kinds.at(np.arange(count)), kind


def combinations(codes: "Sequence[NDArray[np.integer]]") -> "NDArray[np.int64]":
    """Return the number of each record's combination; combinations are numbered in the order of their codes.

    Example:
        >>> combinations([np.array([2, 1, 2]), np.array([0, 5, 0])]).tolist()
        [1, 0, 1]
    """
    kind = np.zeros(len(codes[0]), dtype=np.int64)
    for column in codes:
        kind = kind * (int(column.max(initial=0)) + 1) + column
        kind = np.unique(kind, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return kind


def persons_of(classes: "NDArray[np.int64]", persons: "NDArray[np.int64] | None") -> "NDArray[np.int64]":
    """Return the persons of each class, the classes numbered from 0 on; records where each is a person.

    Example:
        >>> persons_of(np.array([0, 0, 1]), np.array([7, 7, 8])).tolist()
        [1, 1]
    """
    if persons is None:
        return np.bincount(classes)
    return np.diff(lists_of(classes, persons, int(classes.max(initial=-1)) + 1).starts)


def _values_of(
    column: Categorical | Numeric, depth: int
) -> "tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]":
    """Return groups and losses of a column's codes, padded to a depth, and its scaled numbers."""
    if isinstance(column, Numeric):
        codes, known = len(column.numbers), np.isfinite(column.numbers)
        low, high = column.numbers[known].min(initial=np.inf), column.numbers[known].max(initial=-np.inf)
        scaled = np.full(codes, -1, dtype=np.int64)
        scaled[known] = np.rint((column.numbers[known] - low) / max(high - low, 1e-300) * WHOLE_LOSS)
        return np.zeros((depth, codes), dtype=np.int32), np.zeros((depth, codes), dtype=np.int64), scaled
    groups, losses = column.hierarchy.groups, group_losses(column)
    missing = depth - len(groups)
    return (
        np.concatenate([groups, np.repeat(groups[-1:], missing, axis=0)]).astype(np.int32),
        np.concatenate([losses, np.repeat(losses[-1:], missing, axis=0)]),
        np.zeros(groups.shape[1], dtype=np.int64),
    )


def _sensitive_values(
    sensitive: "Sequence[NDArray[np.integer]]",
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the values of all attributes in one row, numbered over all, and the attribute of each number."""
    values, attribute, start = [], [], 0
    for at, codes in enumerate(sensitive):
        size = int(codes.max(initial=0)) + 1
        values.append(codes.astype(np.int64) + start)
        attribute.append(np.full(size, at, dtype=np.int64))
        start += size
    if not values:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.concatenate(values), np.concatenate(attribute)

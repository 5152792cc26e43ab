"""Which values and entities occur in which class, and how classes are numbered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST_KEY = 2**62
_DENSE, _DENSE_FREE = 8, 1 << 14
"""Keys a row up to which rows are counted in an array; beyond, sorting them costs less."""
_BITS = 63


def numbered(
    columns: "Sequence[tuple[NDArray[np.integer[Any]], int]]", rows: int
) -> "tuple[NDArray[np.int64], int]":
    """Number the classes of equal rows, in the order of the columns' numbers."""
    key, span = np.zeros(rows, dtype=np.int64), 1
    for numbers, width in columns:
        if span * width > _LARGEST_KEY:
            key, span = _dense(key, span)
        key = key * width + numbers
        span *= width
    return _dense(key, span)


def _dense(key: "NDArray[np.int64]", span: int) -> "tuple[NDArray[np.int64], int]":
    if span <= _DENSE * len(key) + _DENSE_FREE:
        place = np.cumsum(np.bincount(key, minlength=1) > 0)
        return place.take(key) - 1, int(place[-1]) if len(key) else 0
    bits = len(key).bit_length()
    if span.bit_length() + bits > _BITS:
        known, group = np.unique(key, return_inverse=True)
        return group.astype(np.int64), len(known)
    # a key and its row in one number: sorting those costs less than sorting rows by their keys
    both = (key << bits) | np.arange(len(key))
    both.sort()
    ranked = both >> bits
    is_new = np.ones(len(key), dtype=np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=is_new[1:])
    group = np.empty(len(key), dtype=np.int64)
    group[both & ((1 << bits) - 1)] = np.cumsum(is_new) - 1
    return group, int(is_new.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Occurrences:
    """Which attribute values occur in which class, and how often.

    Args:
        owner: The class of each row.
        value: The attribute's code in each row; all 0 where only persons are counted.
        times: How many records a row stands for.
        pair: The entity and value of each row, numbered together, or None where persons are records.
        values: Number of codes.
        entity_of: The entity of each pair; empty where persons are records.
        whole: Persons with each code in all classes together, where that is known.
    """

    owner: "NDArray[np.int64]"
    value: "NDArray[np.int64]"
    times: "NDArray[np.int64]"
    pair: "NDArray[np.int64] | None"
    values: int
    entity_of: "NDArray[np.int64]"
    whole: "NDArray[np.int64] | None" = None

    @property
    def entity(self) -> "NDArray[np.int64] | None":
        """The entity of each row, or None where persons are records."""
        return None if self.pair is None else self.entity_of.take(self.pair)

    def merged(self, group: "NDArray[np.int64]", groups: int) -> "Occurrences":
        """Return the occurrences in coarser classes, given for each class; those of class −1 are left out."""
        among = self.among(group)
        of = (among.value, self.values) if among.pair is None else (among.pair, len(self.entity_of))
        row, rows = numbered([(among.owner, max(1, groups)), of], len(among.owner))
        first = np.empty(rows, dtype=np.int64)
        first[row] = np.arange(len(row))
        return replace(
            among,
            owner=among.owner.take(first),
            value=among.value.take(first),
            times=np.bincount(row, weights=among.times, minlength=rows).astype(np.int64),
            pair=None if among.pair is None else among.pair.take(first),
        )

    def among(self, group: "NDArray[np.int64]") -> "Occurrences":
        """Return the occurrences in classes that are numbered anew, without those of class −1."""
        owner = group.take(self.owner)
        if not len(group) or int(group.min()) >= 0:
            return replace(self, owner=owner)
        is_in = owner >= 0
        return replace(
            self,
            owner=owner.compress(is_in),
            value=self.value.compress(is_in),
            times=self.times.compress(is_in),
            pair=None if self.pair is None else self.pair.compress(is_in),
            whole=None,
        )

    @cached_property
    def table_n(self) -> "NDArray[np.int64]":
        """Persons with each code in all classes together."""
        if self.whole is not None:
            return self.whole
        if self.pair is None:
            return np.bincount(self.value, weights=self.times, minlength=self.values).astype(np.int64)
        value = np.full(len(self.entity_of), -1, dtype=np.int64)
        value[self.pair] = self.value
        return np.bincount(value[value >= 0], minlength=self.values)


class Merged(Mapping[str, Occurrences]):
    """The attributes of classes, each merged when it is first looked at: most nodes fail without.

    Args:
        finer: The occurrences in some finer classes.
        group: For each of those its class, −1 where it is left out.
        groups: How many classes there are.
        is_apart: Whether no two of the finer classes become one, so that nothing has to be merged.
    """

    def __init__(
        self,
        finer: Mapping[str, Occurrences],
        group: "NDArray[np.int64]",
        groups: int,
        *,
        is_apart: bool = False,
    ) -> None:
        self.unread: dict[str, tuple[Occurrences, NDArray[np.int64]]] = {}
        self._found: dict[str, Occurrences] = {}
        self._groups = groups
        self._is_apart = is_apart
        for name in finer:
            if isinstance(finer, Merged) and name in finer.unread and not is_apart:
                source, within = finer.unread[name]
                # −1 stays −1
                self.unread[name] = (source, np.append(group, -1).take(within))
            else:
                self.unread[name] = (finer[name], group)
        self._names = tuple(finer)

    def __getitem__(self, name: str) -> Occurrences:
        """Return the occurrences of an attribute."""
        if name not in self._found:
            source, group = self.unread.pop(name)
            self._found[name] = source.among(group) if self._is_apart else source.merged(group, self._groups)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        """Return the attributes' names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return their number."""
        return len(self._names)

"""Whether persons of a table are among those of releases that are said to be of other people.

Persons are compared by their keyed hashes, which the ledger keeps of each release. An entity's hash is of its
value alone, so it is found again whatever the column, the policy or the data set is called; one in both is
enough. Without an entity a record is its content, and other people may agree in that. Then the number of
coincidences, Σ aᵢbᵢ over contents i that a records here and b there have, is held against what chance gives:
N_a·N_b·max(Σ aᵢ(aᵢ−1) / N_a(N_a−1), Σ bᵢ(bᵢ−1) / N_b(N_b−1)), the index of coincidence (Friedman 1922). What
lies beyond it estimates the persons in both. It has to be half of the smaller table and 4 standard deviations
above zero, or the tables agree in all records. Where it is less than half, nobody can tell, and that is said.

Row numbers, the values 1..n or 0..n-1, are in every table and tell of nobody. Of an entity that is no more
than that, the classes of persons with the same number are compared: equal in the share g of m, where chance
gives e = Σ pᵢqᵢ. They are the same persons where (g - e) / (1 - e) is at least half, and g - e at least 4
deviations √(e(1 - e) / m).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from qidguard.core.errors import DataError

if TYPE_CHECKING:
    from qidguard.engines.base import KeyedClasses, Snapshot

MOST_RELEASES: Final = 100
"""How many earlier releases of other data sets are looked at, the newest first."""
MOST_PERSONS: Final = 20_000_000
"""How many records these have together at most, but for the first one."""
_SHARE, _DEVIATIONS = 0.5, 4.0
_FURTHER_WAYS = 3
"""In how many ways of other releases a table's persons are hashed beside its own."""
_CONTENT = "content"
_LONGEST_NUMBER = 18


class Likeness(IntEnum):
    """What two tables have in common; the greater, the more it says."""

    NOTHING = 0
    NUMBERS = 1  # the same row numbers, and no more
    SOME = 2  # more records than chance makes agree, and fewer than half
    PERSONS = 3


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What the ledger keeps of a release that persons may be among.

    Args:
        data_set: Its data set.
        follows: The columns by which its persons are followed.
        records: Its records.
        load: Reads its keyed classes.
        qids: Combination's name → the columns of its classes.
    """

    data_set: str
    follows: tuple[str, ...]
    records: int
    load: "Callable[[], KeyedClasses]"
    qids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Persons:
    """The persons of a table, by their entity or by content, hashed when a release asks for it.

    Args:
        snapshot: What would be published.
        entity: The entity column; None where a record is its content.
        followed: The columns of that content.
        key: What persons are hashed with.
    """

    def __init__(
        self, snapshot: "Snapshot", *, entity: str | None, followed: Sequence[str], key: bytes
    ) -> None:
        self._snapshot = snapshot
        self._own = (entity,) if entity is not None else tuple(followed)
        self._is_entity = entity is not None
        self._key = key
        self._further: set[tuple[str, ...]] = set()
        self._hashed = cache(self._hash)
        self._is_numbering = cache(self._only_numbers)

    def are_among(self, kept: Kept) -> Likeness:
        """Return whether they are found in a release: as this table follows them, or as that one did."""
        theirs, most = kept.load(), Likeness.NOTHING
        for columns, is_entity in self._ways(kept):
            mine = self._hashed(columns, is_entity)
            if mine is None:
                continue
            is_there = _are_in(mine.persons, theirs.persons)
            if not is_entity:
                found = coincidence(mine.class_of[_CONTENT], is_there, len(theirs.persons))
            elif not is_there.any():
                found = Likeness.NOTHING
            elif not self._is_numbering(columns[0]) or self._agree(columns[0], kept, theirs):
                found = Likeness.PERSONS
            else:
                found = Likeness.NUMBERS
            most = max(most, found)
            if most is Likeness.PERSONS:
                break
        return most

    def _only_numbers(self, entity: str) -> bool:
        return is_numbering(self._snapshot.column(entity).texts[1:])

    def _agree(self, entity: str, kept: Kept, theirs: "KeyedClasses") -> bool:
        """Whether persons of the same number are in the same classes: those of most columns that are here."""
        here = set(self._snapshot.names)
        known = {name: columns for name, columns in kept.qids.items() if columns and set(columns) <= here}
        if not known:
            return False
        name = max(known, key=lambda name: len(known[name]))
        mine = self._snapshot.keyed_classes({_CONTENT: known[name]}, entity, self._key)
        left, right = _halves(mine.persons), _halves(theirs.persons)
        _, at, there = np.intersect1d(left[:, 0], right[:, 0], assume_unique=True, return_indices=True)
        ours = _halves(mine.classes[_CONTENT])[mine.class_of[_CONTENT][at], 0]
        others = _halves(theirs.classes[name])[theirs.class_of[name][there], 0]
        return are_alike(ours, others)

    def _ways(self, kept: Kept) -> Iterator[tuple[tuple[str, ...], bool]]:
        yield self._own, self._is_entity
        is_known = kept.follows in self._further or len(self._further) < _FURTHER_WAYS
        if kept.follows == self._own or not is_known or not set(kept.follows) <= set(self._snapshot.names):
            return
        self._further.add(kept.follows)
        yield kept.follows, len(kept.follows) == 1  # one column is an entity, or is a content that identifies

    def _hash(self, columns: tuple[str, ...], is_entity: bool) -> "KeyedClasses | None":  # noqa: FBT001 - it is cached
        entity = columns[0] if is_entity else None
        followed = None if is_entity else list(columns)
        try:
            return self._snapshot.keyed_classes({_CONTENT: columns}, entity, self._key, followed=followed)
        except DataError:  # records without an entity; whoever publishes them hears of it
            return None


def have_common(left: "KeyedClasses", right: "KeyedClasses") -> bool:
    """Whether a person, or a content that both have, is in two releases."""
    return bool(_are_in(left.persons, right.persons).any())


def is_numbering(texts: "Sequence[str | None]") -> bool:
    """Whether distinct values are the numbers 1..n or 0..n-1, as rows are counted.

    Example:
        >>> is_numbering(["3", "1", "2"]), is_numbering(["0.0", "1.0"]), is_numbering(["2", "3"])
        (True, True, False)
    """
    numbers = [str(text).removesuffix(".0") for text in texts]
    if not all(number.isascii() and number.isdecimal() for number in numbers):
        return False
    found = {int(number) for number in numbers if len(number) <= _LONGEST_NUMBER}
    n = len(numbers)
    return len(found) == n > 0 and (min(found), max(found)) in {(0, n - 1), (1, n)}


def are_alike(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> bool:
    """Whether classes of the same numbers are equal in more than chance makes those of other people equal.

    Example:
        >>> classes = np.arange(40, dtype=np.uint64) % 4
        >>> are_alike(classes, classes), are_alike(classes, np.roll(classes, 1))
        (True, False)
    """
    m = len(left)
    if not m:
        return False
    both = np.unique(np.concatenate([left, right]), return_inverse=True)[1]
    p, q = (np.bincount(half, minlength=both.max() + 1) / m for half in (both[:m], both[m:]))
    by_chance = float((p * q).sum())
    if by_chance >= 1:
        return False  # one class is all there is
    beyond = float((left == right).mean()) - by_chance
    deviation = float(np.sqrt(by_chance * (1 - by_chance) / m))
    return beyond >= max(_SHARE * (1 - by_chance), _DEVIATIONS * deviation)


def is_more_than_chance(contents: NDArray[np.int64], is_there: NDArray[np.bool_], records: int) -> bool:
    """Whether so many records agree with another table's that these are the same persons.

    Args:
        contents: As ``coincidence`` takes them.
        is_there: As ``coincidence`` takes them.
        records: The other table's records.

    Example:
        >>> ages = np.arange(100)
        >>> is_more_than_chance(ages, ages < 90, 95), is_more_than_chance(ages, ages < 40, 95)
        (True, False)
    """
    return coincidence(contents, is_there, records) is Likeness.PERSONS


def coincidence(contents: NDArray[np.int64], is_there: NDArray[np.bool_], records: int) -> Likeness:
    """Return whether records agree with another table's in more than chance makes other people's agree.

    Args:
        contents: The content of each record, numbered from 0.
        is_there: Whether the other table has the record: of equal ones as many as it has.
        records: The other table's records.

    Example:
        >>> ages = np.arange(10_000)
        >>> [coincidence(ages, ages < shared, 9_500).name for shared in (9_000, 2_000, 20)]
        ['PERSONS', 'SOME', 'NOTHING']
    """
    if not is_there.any():
        return Likeness.NOTHING
    if records == len(contents) and is_there.all():
        return Likeness.PERSONS
    a = np.bincount(contents).astype(float)
    b = np.bincount(contents[is_there], minlength=len(a)).astype(float)
    here, there = a.sum(), float(records)
    ratio = there / here
    by_chance = max(
        (a * (a - 1)).sum() / max(here * (here - 1), 1), (b * (b - 1)).sum() / max(there * (there - 1), 1)
    )
    shared = (a * b).sum() - here * there * by_chance
    within = 4 * ((a**3).sum() - (a**2).sum() ** 2 / here) + 2 * (a**2).sum()
    deviation = float(np.sqrt((a * a * b).sum() + ratio**2 * max(within, 0.0)))
    if shared < _DEVIATIONS * deviation:
        return Likeness.NOTHING
    return Likeness.PERSONS if shared >= _SHARE * min(here, there) else Likeness.SOME


def _are_in(mine: NDArray[np.uint8], theirs: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return for each of ascending hashes whether it is among others."""
    if not len(theirs):
        return np.zeros(len(mine), dtype=np.bool_)
    left, right = _halves(mine), _halves(theirs)
    # equal first halves of different persons are as rare as two in 2^64
    place = np.minimum(np.searchsorted(right[:, 0], left[:, 0]), len(right) - 1)
    found: NDArray[np.bool_] = (right[place] == left).all(axis=1)
    return found


def _halves(hashes: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the two halves of each hash; those of different persons agree in the first one in 2^64 times."""
    return np.ascontiguousarray(hashes).view(">u8").astype(np.uint64)

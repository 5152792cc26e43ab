"""Whether persons of a table are among those of releases that are said to be of other people.

Persons are compared by their keyed hashes, which the ledger keeps of each release. An entity's hash is of its
value alone, so it is found again whatever the column, the policy or the data set is called; one in both is
enough. Without an entity a record is its content, and other people may agree in that. Then the number of
coincidences, Σ aᵢbᵢ over contents i that a records here and b there have, is held against what chance gives:
N_a·N_b·max(Σ aᵢ(aᵢ−1) / N_a(N_a−1), Σ bᵢ(bᵢ−1) / N_b(N_b−1)), the index of coincidence (Friedman 1922). What
lies beyond it estimates the persons in both. It has to be half of the smaller table and 4 standard deviations
above zero, or the tables agree in all records.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What the ledger keeps of a release that persons may be among.

    Args:
        data_set: Its data set.
        follows: The columns by which its persons are followed.
        records: Its records.
        load: Reads its keyed classes.
    """

    data_set: str
    follows: tuple[str, ...]
    records: int
    load: "Callable[[], KeyedClasses]"


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

    def are_among(self, kept: Kept) -> bool:
        """Whether they are found among those of a release: as this table follows them, or as that one did."""
        theirs = kept.load()
        for columns, is_entity in self._ways(kept):
            mine = self._hashed(columns, is_entity)
            if mine is not None and _is_found(mine, theirs, is_entity=is_entity):
                return True
        return False

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


def _is_found(mine: "KeyedClasses", theirs: "KeyedClasses", *, is_entity: bool) -> bool:
    is_there = _are_in(mine.persons, theirs.persons)
    if is_entity:
        return bool(is_there.any())
    return is_more_than_chance(mine.class_of[_CONTENT], is_there, len(theirs.persons))


def is_more_than_chance(contents: NDArray[np.int64], is_there: NDArray[np.bool_], records: int) -> bool:
    """Whether records agree with another table's in more than chance makes records of other people agree.

    Args:
        contents: The content of each record, numbered from 0.
        is_there: Whether the other table has the record: of equal ones as many as it has.
        records: The other table's records.

    Example:
        >>> ages = np.arange(100)
        >>> is_more_than_chance(ages, ages < 90, 95), is_more_than_chance(ages, ages < 40, 95)
        (True, False)
    """
    if not is_there.any():
        return False
    if records == len(contents) and is_there.all():
        return True
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
    return bool(shared >= max(_SHARE * min(here, there), _DEVIATIONS * deviation))


def _are_in(mine: NDArray[np.uint8], theirs: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return for each of ascending hashes whether it is among others."""
    if not len(theirs):
        return np.zeros(len(mine), dtype=np.bool_)
    left, right = (np.ascontiguousarray(rows).view(">u8").astype(np.uint64) for rows in (mine, theirs))
    # equal first halves of different persons are as rare as two in 2^64
    place = np.minimum(np.searchsorted(right[:, 0], left[:, 0]), len(right) - 1)
    found: NDArray[np.bool_] = (right[place] == left).all(axis=1)
    return found

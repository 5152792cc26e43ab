"""In which releases of other data sets, or of those said to be of other people, persons of a table are found.

Persons are compared by their keyed hashes, which the ledger keeps of each release. An entity's hash is of its
value alone, so it is found again whatever the column, the policy or the data set is called; one in both is
enough. Without an entity a record is its content, and other people may agree in that: then ``same_counts``
tells, first by the quasi-identifiers with the sensitive values that were published, then by the
quasi-identifiers alone, whose classes betray the same persons though all values are re-worded.

Row numbers, the values 1..n or 0..n-1, are in every table and tell of nobody. Of an entity that is no more
than that, the classes of persons with the same number are compared: equal in the share g of m, where chance
gives e = Σ pᵢqᵢ. They are the same persons where (g - e) / (1 - e) is at least half, and g - e at least 4
deviations √(e(1 - e) / m).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from qidguard.auditing.original import mark_of
from qidguard.core.errors import DataError
from qidguard.core.naming import folded
from qidguard.core.spelling import Normalized, Spelling
from qidguard.releasing.context import UNKNOWN_DIGEST
from qidguard.releasing.history.earlier import values_name
from qidguard.releasing.history.keyed_bytes import classes_from
from qidguard.releasing.history.past import follows, history_key_id, of_persons
from qidguard.releasing.history.same_counts import counts_of, is_half, shared_persons

if TYPE_CHECKING:
    from qidguard.engines.base import KeyedClasses, Snapshot
    from qidguard.ledger import Reader, TypedEntry
    from qidguard.ledger.payloads import Releasing
    from qidguard.releasing.context import ReleaseContext

MOST_RELEASES: Final = 100
"""How many earlier releases of other data sets are looked at, the newest first."""
MOST_PERSONS: Final = 20_000_000
"""How many records these have together at most, but for the first one."""
_SHARE, _DEVIATIONS = 0.5, 4.0
_WAYS = 2
"""How many ways of counting a table's records are kept at once; each holds every record."""
_CONTENT = "content"
_LONGEST_NUMBER = 18


class Likeness(IntEnum):
    """What two tables have in common; the greater, the more it says."""

    NOTHING = 0
    NUMBERS = 1  # the same row numbers, and no more
    CLASSES = 2  # classes of sizes that chance does not make, whatever values they have
    SOME = 3  # more records than chance makes agree, and fewer than half
    PERSONS = 4


FOUND = (Likeness.CLASSES, Likeness.SOME, Likeness.PERSONS)
"""What makes another data set's releases count."""


@dataclass(frozen=True, kw_only=True)
class FoundPersons:
    """In which data sets the persons of a table are found, and what could not be looked at.

    Args:
        likeness: Folded name of a data set → what its releases have in common with the table at most.
        names: Folded name → the name as it was written.
        unread: Releases beyond the bounds of the comparison.
        foreign: Releases that were recorded under another history key.
    """

    likeness: Mapping[str, Likeness] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    unread: int = 0
    foreign: int = 0

    def among(self, *likeness: Likeness) -> tuple[str, ...]:
        """Return the names of the data sets with such a likeness, sorted."""
        return tuple(sorted(self.names[one] for one, found in self.likeness.items() if found in likeness))

    def beside(self, other: "FoundPersons") -> "FoundPersons":
        """Return what was found of either of two tables."""
        both = {**self.names, **other.names}
        nothing = Likeness.NOTHING
        return FoundPersons(
            likeness={
                one: max(self.likeness.get(one, nothing), other.likeness.get(one, nothing)) for one in both
            },
            names=both,
            unread=max(self.unread, other.unread),
            foreign=max(self.foreign, other.foreign),
        )


class TablePersons:
    """The persons of a table, by their entity or by content, hashed when a release asks for it.

    Args:
        snapshot: What would be published.
        entity: The entity column; None where a record is its content.
        followed: The columns of that content.
        key: What persons are hashed with.
        mark: The text of a suppressed value.
    """

    def __init__(
        self, snapshot: "Snapshot", *, entity: str | None, followed: Sequence[str], key: bytes, mark: str
    ) -> None:
        self._snapshot = snapshot
        self._own = (entity,) if entity is not None else tuple(followed)
        self._is_entity = entity is not None
        self._key, self._mark = key, mark
        self._of_entity = cache(self._hash)
        self._counted = lru_cache(maxsize=_WAYS)(self._hash_records)
        self._is_numbering = cache(self._only_numbers)

    def are_among(self, kept: "Releasing", theirs: "KeyedClasses") -> Likeness:
        """Return whether they are found in a release: as this table follows them, or as that one did."""
        most = Likeness.NOTHING
        entities = [self._own[0]] if self._is_entity else []
        if len(kept.follows) == 1 and kept.follows[0] in self._snapshot.names:
            entities.append(kept.follows[0])  # one column is an entity, or is a content that identifies
        for entity in dict.fromkeys(entities):
            most = max(most, self._by_entity(entity, kept, theirs))
        if self._is_entity and len(kept.follows) == 1:
            return most  # other entities are other persons
        return most if most is Likeness.PERSONS else max(most, self._by_counts(kept, theirs))

    def _by_entity(self, entity: str, kept: "Releasing", theirs: "KeyedClasses") -> Likeness:
        mine = self._of_entity(entity)
        if mine is None or not _are_in(mine.persons, theirs.persons).any():
            return Likeness.NOTHING
        is_sure = not self._is_numbering(entity) or self._agree(entity, kept, theirs)
        return Likeness.PERSONS if is_sure else Likeness.NUMBERS

    def _by_counts(self, kept: "Releasing", theirs: "KeyedClasses") -> Likeness:
        name = self._finest(kept)
        if name is None:
            return Likeness.NOTHING
        qids = kept.qids[name]
        here = self._snapshot.names
        values = tuple(c for c in here if values_name(c) in theirs.classes and c not in qids)
        normalized = tuple(
            Normalized(column=column, spellings=tuple(map(Spelling, ways)))
            for column, ways in (kept.normalized or {}).items()
        )
        mine = self._counted(qids, values, normalized)
        followed = {*qids, *values}
        is_whole = followed >= set(kept.follows) or (not self._is_entity and followed >= set(self._own))
        return by_counts(mine, theirs, [(_CONTENT, name)], values, is_whole=is_whole)

    def _only_numbers(self, entity: str) -> bool:
        return is_numbering(self._snapshot.column(entity).texts[1:])

    def _agree(self, entity: str, kept: "Releasing", theirs: "KeyedClasses") -> bool:
        """Whether persons of the same number are in the same classes: those of most columns that are here."""
        name = self._finest(kept)
        if name is None:
            return False
        mine = self._snapshot.keyed_classes({_CONTENT: kept.qids[name]}, entity, self._key)
        left, right = _halves(mine.persons), _halves(theirs.persons)
        _, at, there = np.intersect1d(left[:, 0], right[:, 0], assume_unique=True, return_indices=True)
        ours = _halves(mine.classes[_CONTENT])[mine.class_of[_CONTENT][at], 0]
        others = _halves(theirs.classes[name])[theirs.class_of[name][there], 0]
        return are_alike(ours, others)

    def _finest(self, kept: "Releasing") -> str | None:
        """Return the combination with the most columns whose columns are all here."""
        here = set(self._snapshot.names)
        known = [name for name, columns in kept.qids.items() if columns and set(columns) <= here]
        return max(known, key=lambda name: len(kept.qids[name]), default=None)

    def _hash(self, entity: str) -> "KeyedClasses | None":
        try:
            return self._snapshot.keyed_classes({_CONTENT: (entity,)}, entity, self._key)
        except DataError:  # records without an entity; whoever publishes them hears of it
            return None

    def _hash_records(
        self, qids: tuple[str, ...], values: tuple[str, ...], normalized: tuple[Normalized, ...]
    ) -> "KeyedClasses":
        classes = {_CONTENT: qids} | {values_name(column): (column,) for column in values}
        return self._snapshot.keyed_classes(
            classes,
            None,
            self._key,
            followed=[*qids, *values],
            normalized=normalized,
            mark=self._mark,
        )


def by_counts(
    mine: "KeyedClasses",
    theirs: "KeyedClasses",
    names: list[tuple[str, str]],
    values: Sequence[str],
    *,
    is_whole: bool,
) -> Likeness:
    """Return what the counts of two tables tell: with the values of these columns, else without them.

    ``names`` are combinations of the same columns in both; ``is_whole`` where these and the values are all by
    which records are followed.
    """
    with_values = [*names, *((values_name(column),) * 2 for column in values)]
    left, right = counts_of(mine, theirs, with_values)
    if is_whole and (left == right).all():
        return Likeness.PERSONS
    shared = shared_persons(left, right)
    if shared is not None and is_whole:
        return Likeness.PERSONS if is_half(shared) else Likeness.SOME
    if shared is None and values:
        shared = shared_persons(*counts_of(mine, theirs, names))
    return Likeness.NOTHING if shared is None else Likeness.CLASSES


def are_of_same(
    left: "KeyedClasses",
    left_qids: Mapping[str, tuple[str, ...]],
    right: "KeyedClasses",
    right_qids: Mapping[str, tuple[str, ...]],
    *,
    is_entity: bool,
) -> bool:
    """Whether two releases are of the same persons: by entities, or without one by their counts."""
    if is_entity and _are_in(left.persons, right.persons).any():
        return True
    pairs = [(a, b) for a, mine in left_qids.items() for b, theirs in right_qids.items() if mine == theirs]
    if is_entity or not pairs:
        return False
    names = [max(pairs, key=lambda pair: len(left_qids[pair[0]]))]
    values = [c.removeprefix(values_name("")) for c in left.classes if c.startswith(values_name(""))]
    values = [column for column in values if values_name(column) in right.classes]
    return by_counts(left, right, names, values, is_whole=True) is not Likeness.NOTHING


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


def search(
    context: "ReleaseContext",
    snapshot: "Snapshot",
    releases: "Iterable[TypedEntry[Releasing]]",
    source_sha256: str,
) -> FoundPersons:
    """Look for the persons of a table among those of releases, the newest first, within stated bounds."""
    releases = of_persons(releases)
    if not releases:
        return FoundPersons()
    entity, followed = context.policy.roles.entity, follows(context, snapshot)
    mark = mark_of(context.policy)
    persons = TablePersons(snapshot, entity=entity, followed=followed, key=context.history_key, mark=mark)
    mine = history_key_id(context.history_key)
    known = [entry for entry in releases if entry.payload.history_key == mine]
    likeness: dict[str, Likeness] = {}
    names: dict[str, str] = {}
    read = records = unread = 0
    for entry in sorted(known, key=lambda e: e.sequence, reverse=True):
        series, promised = folded(entry.data_set), entry.payload
        most = likeness.get(series, Likeness.NOTHING)
        if most is Likeness.PERSONS:
            continue
        if promised.source_sha256 == source_sha256 != UNKNOWN_DIGEST:
            most = Likeness.PERSONS
        elif read and (read >= MOST_RELEASES or records + promised.records > MOST_PERSONS):
            unread += 1
            continue
        else:
            read, records = read + 1, records + promised.records
            theirs = classes_from(context.ledger.attachment(promised.classes))
            most = max(most, persons.are_among(promised, theirs))
        if most is not Likeness.NOTHING:
            likeness[series], names[series] = most, entry.data_set
    return FoundPersons(likeness=likeness, names=names, unread=unread, foreign=len(releases) - len(known))


def meet(
    reader: "Reader",
    kept: "KeyedClasses",
    qids: Mapping[str, Iterable[str]],
    releases: "Iterable[TypedEntry[Releasing]]",
    *,
    is_entity: bool,
) -> bool:
    """Whether persons of a release are in others.

    Args:
        reader: What reads the ledger.
        kept: The release's keyed classes.
        qids: Combination's name → the columns of its classes.
        releases: The others.
        is_entity: Whether it follows persons by an entity.
    """
    combinations = {name: tuple(columns) for name, columns in qids.items()}
    return any(
        are_of_same(
            kept,
            combinations,
            classes_from(reader.attachment(one.payload.classes)),
            one.payload.qids,
            is_entity=is_entity and len(one.payload.follows) == 1,
        )
        for one in of_persons(releases)
    )

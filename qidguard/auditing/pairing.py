"""A published table whose records nobody paired with their original ones, paired by what did not change."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard.auditing.linked.joining import Joined
from qidguard.core.versions import Changes, ColumnSource

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

SEED = 20_261_122
"""Draws the numbers by which the values of a record are mixed into one key."""


def paired(changes: Changes, changed: Sequence[str]) -> Changes:
    """Return the table beside its original with records paired, as what did not change tells.

    Records of the same unchanged values are paired in the table's order where that is the original's, else
    in the order of the ``changed`` columns: what such a column tells of another is the same for all of them.

    Args:
        changes: The table beside its original; where records are paired already, so it comes back.
        changed: The columns that may hold other values than the original.
    """
    if changes.kept is not None:
        return changes
    unchanged = [name for name in changes.after.names if _is_unchanged(changes, name)]
    if not unchanged:
        return changes
    before, after = _keys(changes, unchanged)
    places = _in_order(before, after)
    if places is None:
        others = [name for name in changed if name not in unchanged]
        places = _by_rank((before, changes.before), (after, changes.after), others)
    if places is None:
        return changes
    return replace(
        changes,
        before=Joined(persons=changes.before, places=places, own={}),
        kept=np.ones(len(places), dtype=np.bool_),
    )


def _original_codes(changes: Changes, name: str) -> "Places":
    """Return the original's code of each published value, −1 for one that the original does not have."""
    before, after = changes.before.column(name), changes.after.column(name)
    return after.codes_in(before)[after.codes]


def _is_unchanged(changes: Changes, name: str) -> bool:
    """Return whether no value stands in more records than it did."""
    codes = _original_codes(changes, name)
    if len(codes) and codes.min() < 0:
        return False
    was = changes.before.column(name)
    kinds = len(was.texts)
    return bool((np.bincount(codes, minlength=kinds) <= np.bincount(was.codes, minlength=kinds)).all())


def _keys(changes: Changes, names: Sequence[str]) -> "tuple[NDArray[np.uint64], NDArray[np.uint64]]":
    """Return a key of each record of both tables: equal values have the same, others hardly ever."""
    generator = np.random.default_rng(SEED)
    before = np.zeros(changes.before.records, dtype=np.uint64)
    after = np.zeros(changes.after.records, dtype=np.uint64)
    for name in names:
        kinds = len(changes.before.column(name).texts)
        mixed = generator.integers(0, 2**64, kinds, dtype=np.uint64)
        before += mixed[changes.before.column(name).codes]
        after += mixed[_original_codes(changes, name)]
    return before, after


def _in_order(before: "NDArray[np.uint64]", after: "NDArray[np.uint64]") -> "Places | None":
    """Return where the records stood, if the table is the original with some records left out."""
    if len(before) == len(after):
        return np.arange(len(before)) if bool((before == after).all()) else None
    places = np.empty(len(after), dtype=np.int64)
    keys, at, end = before.tolist(), -1, len(before)
    for position, key in enumerate(after.tolist()):
        at += 1
        while at < end and keys[at] != key:
            at += 1
        if at >= end:
            return None
        places[position] = at
    return places


def _by_rank(
    before: "tuple[NDArray[np.uint64], ColumnSource]",
    after: "tuple[NDArray[np.uint64], ColumnSource]",
    changed: Sequence[str],
) -> "Places | None":
    """Return where records stood that have a partner of the same key each; None where one has none."""
    was, now = (_ranked(*table, changed) for table in (before, after))
    keys, ranks, order = was
    both = np.concatenate([np.stack([keys, ranks]), np.stack(now[:2])], axis=1)
    numbers = np.unique(both, axis=1, return_inverse=True)[1].reshape(-1)
    place_of = np.full(int(numbers.max(initial=0)) + 1, -1, dtype=np.int64)
    place_of[numbers[: len(order)]] = order
    found = place_of[numbers[len(order) :]]
    if bool((found < 0).any()):
        return None
    places = np.empty(len(found), dtype=np.int64)
    places[now[2]] = found
    return places


def _ranked(
    keys: "NDArray[np.uint64]", table: ColumnSource, changed: Sequence[str]
) -> "tuple[NDArray[np.uint64], NDArray[np.uint64], Places]":
    """Return keys in order, the rank of each record among those of its key, and where these records stand."""
    by: list[NDArray[Any]] = [table.column(name).codes for name in reversed(changed)]
    order = np.lexsort([*by, keys])
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(order) else order
    sizes = np.diff(np.append(starts, len(order)))
    ranks = np.arange(len(order)) - np.repeat(starts, sizes)
    return ordered, ranks.astype(np.uint64), order

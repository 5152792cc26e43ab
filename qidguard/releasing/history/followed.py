"""Persons followed over releases: their hashes, and the classes that they had in each together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard.core.errors import InternalError
from qidguard.engines.base import KeyedClasses
from qidguard.releasing.history.keyed_bytes import fault_of


@dataclass(frozen=True, kw_only=True)
class Followed:
    """Persons followed over some releases: hashes, ascending, and joint classes.

    ``is_in_first`` and ``is_in_last`` say which of the two that were merged last a person is in: all releases
    before, and the last one.
    """

    releases: int
    persons: NDArray[np.bytes_]
    joint: NDArray[np.int64]
    is_absent: NDArray[np.bool_]
    is_in_first: NDArray[np.bool_]
    is_in_last: NDArray[np.bool_]


_NO = np.zeros(0, dtype=np.bool_)
NOBODY = Followed(
    releases=0,
    persons=np.zeros(0, dtype="S16"),
    joint=np.zeros(0, dtype=np.int64),
    is_absent=_NO,
    is_in_first=_NO,
    is_in_last=_NO,
)


def with_release(past: Followed, classes: KeyedClasses, name: str, whose: str) -> Followed:
    """Return the persons followed over one more release."""
    if fault := fault_of(classes):
        raise InternalError(f"The keyed classes of {whose} are wrong: {fault}.")
    if name not in classes.classes:
        raise InternalError(f"The keyed classes of {whose} lack the combination {name!r}.")
    # S16 compares texts without their trailing zero bytes; of two that differ in 16 bytes it says the same
    added = np.ascontiguousarray(classes.persons).view("S16").ravel()
    persons, was, is_now = _union(past.persons, added)
    before, after = np.full(len(persons), -1), np.full(len(persons), -1)
    before[was], after[is_now] = past.joint, classes.class_of[name]
    # who shares both numbers shares the joint class; −1, which is absence, is a class like any other
    pairs = (before + 1) * (len(classes.classes[name]) + 1) + after + 1
    is_absent = (after < 0) | ((before < 0) & (past.releases > 0))
    is_absent[was] |= past.is_absent
    return Followed(
        releases=past.releases + 1,
        persons=persons,
        joint=np.unique(pairs, return_inverse=True)[1],
        is_absent=is_absent,
        is_in_first=before >= 0,
        is_in_last=after >= 0,
    )


def _union(
    left: NDArray[np.bytes_], right: NDArray[np.bytes_]
) -> tuple[NDArray[np.bytes_], NDArray[np.int64], NDArray[np.int64]]:
    """Return the union of two ascending arrays, ascending, and the place of each one's rows in it."""
    if np.array_equal(left, right):
        same = np.arange(len(left))
        return left, same, same
    both = np.concatenate([left, right])
    order = np.argsort(both, kind="stable")  # of two ascending runs, which takes one pass
    ranked = both[order]
    is_first = np.ones(len(ranked), dtype=np.bool_)
    is_first[1:] = ranked[1:] != ranked[:-1]
    place = np.empty(len(both), dtype=np.int64)
    place[order] = np.cumsum(is_first) - 1
    return ranked[is_first], place[: len(left)], place[len(left) :]

"""Whether two tables are of the same persons by their counts: how many records each has in every cell.

Given the records t of both tables in a cell, those of one are binomial with its share π of all records, if
the tables are two samples of one population, whatever the cells' probabilities are; of two populations they
differ more. Persons in both take from the differences: Σ d² / (tπ(1-π)) with d = a - πt comes to about the
number of cells times the share of persons who are in one table alone. So a sum that is less than chance makes
once in 100,000 times tells of the same persons; so does a sum of max(a - b, 0), the records of a table that
the other lacks, where one has all persons of the other. That probability is bounded by
exp(θs)·Π E(exp(-θX)), the least over θ (Chernoff 1952). Of the persons in both,
(Nπ(1-π) - Σ d²) / (2π(1-π)) is an estimate.
"""

from collections.abc import Sequence
from math import lgamma, log
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from qidguard.engines.base import KeyedClasses

_BY_CHANCE: Final = 1e-5
_SHARE: Final = 0.5
_EXACT: Final = 60
"""Records of a cell up to which its probabilities are summed; beyond, they are those of a normal number."""
_THETAS: Final = 2.0 ** np.arange(-8, 13)


def counts_of(
    left: "KeyedClasses", right: "KeyedClasses", names: Sequence[tuple[str, str]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many persons either table has in each cell; a cell is a class of every combination.

    Args:
        left: One table.
        right: The other one.
        names: Combinations of either, of the same columns each.
    """
    parts = []
    for mine, theirs in names:
        both = np.concatenate([left.classes[mine], right.classes[theirs]])
        place = np.unique(_numbers(both), return_inverse=True)[1].reshape(-1)
        first, then = np.split(place, [len(left.classes[mine])])
        parts.append(np.concatenate([first[left.class_of[mine]], then[right.class_of[theirs]]]))
    cell = parts[0]
    for part in parts[1:]:
        pairs = cell * (int(part.max(initial=0)) + 1) + part
        cell = np.unique(pairs, return_inverse=True)[1].reshape(-1)
    cells = int(cell.max(initial=-1)) + 1
    here, there = np.split(cell, [len(left.persons)])
    return np.bincount(here, minlength=cells), np.bincount(there, minlength=cells)


def size_changes(then: "KeyedClasses", name: str, now: "KeyedClasses", name_now: str) -> NDArray[np.int64]:
    """Return by how many persons classes differ in size, without those that do not."""
    before, after = counts_of(then, now, [(name, name_now)])
    changes: NDArray[np.int64] = np.abs(after - before)
    return changes[changes > 0]


def shared_persons(left: NDArray[np.int64], right: NDArray[np.int64]) -> float | None:
    """Return the share of the smaller table that is in both, estimated; None where chance may do it.

    Args:
        left: The records of one table in each cell.
        right: Those of the other.

    Example:
        >>> sizes = np.arange(3, 40)
        >>> shared_persons(sizes, sizes), shared_persons(sizes, sizes[::-1])
        (1.0, None)
    """
    here, there = int(left.sum()), int(right.sum())
    total = left + right
    left, right, total = left[total > 0], right[total > 0], total[total > 0]
    if not here or not there:
        return None
    share = here / (here + there)
    if max(_unlikely(left, total, share)) < -log(_BY_CHANCE):
        return None
    within = share * (1 - share)
    squares = (left - share * total) ** 2
    plain = ((here + there) * within - squares.sum()) / (2 * within * min(here, there))
    weighted = 1 - (squares / (total * within)).mean()
    return float(min(max(plain, weighted, 0.0), 1.0))


def is_half(share: float) -> bool:
    """Whether at least half of the smaller table's persons are in both."""
    return share >= _SHARE


def _scores(a: NDArray[np.int64], t: NDArray[np.int64], share: float) -> list[NDArray[np.float64]]:
    """Return what is small where persons are the same: differences, and what either table has alone."""
    scale = t * share * (1 - share)
    alone = (2 * a - t) / np.sqrt(scale)
    return [(a - share * t) ** 2 / scale, np.maximum(alone, 0), np.maximum(-alone, 0)]


def _unlikely(left: NDArray[np.int64], total: NDArray[np.int64], share: float) -> list[float]:
    """Return -ln of a bound of the probability that chance makes scores so small."""
    is_small = total <= _EXACT
    found = [score.sum() for score in _scores(left[is_small], total[is_small], share)]
    log_means = [np.zeros_like(_THETAS) for _ in found]
    sizes, times = np.unique(total[is_small], return_counts=True)
    for t, n in zip(sizes.tolist(), times.tolist(), strict=True):
        a = np.arange(t + 1)
        ways = np.array([lgamma(t + 1) - lgamma(i + 1) - lgamma(t - i + 1) for i in range(t + 1)])
        chance = ways + a * log(share) + (t - a) * log(1 - share)
        for place, score in enumerate(_scores(a, np.full(t + 1, t), share)):
            terms = chance[:, None] - score[:, None] * _THETAS
            most = terms.max(axis=0)
            log_means[place] += n * (most + np.log(np.exp(terms - most).sum(axis=0)))
    # of larger cells the difference is a normal number, which is no closer to 0 than its steps are
    large, scale = total[~is_small], np.sqrt(2 * np.pi * share * (1 - share) * total[~is_small])
    found[0] += _scores(left[~is_small], large, share)[0].sum()
    for place, theta in enumerate(_THETAS):
        log_means[0][place] += np.log(np.maximum((1 + 2 * theta) ** -0.5, 1 / scale)).sum()
    return [float(-(_THETAS * s + mean).min()) for s, mean in zip(found, log_means, strict=True)]


def _numbers(hashes: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the first halves of hashes; those of different classes agree once in 2^64 times."""
    return np.ascontiguousarray(hashes).view(">u8")[:, 0].astype(np.uint64)

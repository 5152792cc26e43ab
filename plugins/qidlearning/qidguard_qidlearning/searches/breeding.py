"""Breeding: how one generation comes from another, how often by crossover and mutation, and who ranks first.

The ranks by several terms at once are those of NSGA-II (Deb, Pratap, Agarwal & Meyarivan 2002).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard_qidlearning.searches.space import Columns, SetSpace

STEP = 1.1
"""What a rate is multiplied or divided by after each generation."""


@dataclass(kw_only=True)
class Rates:
    """How often parents are crossed and bits flipped: two probabilities.

    The rule of success (after Rechenberg 1973: many successes lengthen the steps, few shorten them): a
    generation that found a better set raises mutation by 10 %, one that found none lowers it by 10 %, so that
    the search looks ever closer. Crossover goes the other way and makes more of what is there. Crossover
    stays in 0.1..0.9, mutation in 1/n..5/n of n candidates, 0.5 at most: one to five flips in a set, however
    many columns there are. Rates that do not adapt stay as they were asked for.
    """

    crossover: float
    mutation: float
    candidates: int
    is_adaptive: bool = True

    def __post_init__(self) -> None:
        if self.is_adaptive:
            self._set(self.crossover, self.mutation)

    def adapt(self, *, is_better: bool) -> None:
        """Adapt the rates to whether a generation found a better set."""
        if self.is_adaptive:
            by = STEP if is_better else 1 / STEP
            self._set(self.crossover / by, self.mutation * by)

    def _set(self, crossover: float, mutation: float) -> None:
        self.crossover = min(max(crossover, 0.1), 0.9)
        self.mutation = min(max(mutation, 1 / self.candidates), 5 / self.candidates, 0.5)


_TRIES = 20
"""How often another set is looked for in place of one that is there already; a small space has no other."""


def crossed(
    one: NDArray[np.bool_], other: NDArray[np.bool_], rate: float, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return two children by one-point crossover (section 5.2), with p = rate: heads kept, tails swapped."""
    if one.size < 2 or not rng.random() < rate:  # noqa: PLR2004 - a single bit has no tail
        return one.copy(), other.copy()
    point = int(rng.integers(1, one.size))
    return np.concatenate([one[:point], other[point:]]), np.concatenate([other[:point], one[point:]])


def mutated(bits: NDArray[np.bool_], rate: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return bits of which each was flipped with p = rate (section 5.2)."""
    flipped: NDArray[np.bool_] = bits ^ (rng.random(bits.size) < rate)
    return flipped


def tournament(ranks: Sequence[int], size: int, rng: np.random.Generator) -> int:
    """Return who has the lowest rank of ``size`` randomly drawn ones; of equals the one drawn first."""
    drawn = rng.integers(0, len(ranks), size)
    return int(min(drawn, key=lambda i: ranks[i]))


def first_generation(space: SetSpace, size: int, rng: np.random.Generator) -> list[Columns]:
    """Return random sets, all different as long as the space has others."""
    found: list[Columns] = []
    while len(found) < size:
        found.append(_another(space, found, rng))
    return found


def children(
    space: SetSpace,
    parents: Sequence[Columns],
    choose: Callable[[], int],
    rates: Rates,
    kept: Sequence[Columns],
    immigrants: int,
    rng: np.random.Generator,
) -> list[Columns]:
    """Return the next generation: those kept, then children, then random immigrants; as many as parents.

    A child that is there already would tell nothing new, so that a column of it is flipped until it is new.
    """
    found = list(kept)
    while len(found) < len(parents) - immigrants:
        pair = crossed(space.bits(parents[choose()]), space.bits(parents[choose()]), rates.crossover, rng)
        for bits in pair:
            child = space.mended(mutated(bits, rates.mutation, rng), rng)
            found.append(_changed(space, child, found, rng))
    del found[max(len(kept), len(parents) - immigrants) :]
    while len(found) < len(parents):
        found.append(_another(space, found, rng))
    return found


def _changed(space: SetSpace, child: Columns, found: Sequence[Columns], rng: np.random.Generator) -> Columns:
    """Return a set with random columns flipped, one after the other, until it is not among those found."""
    for _ in range(_TRIES):
        if child not in found:
            break
        bits = space.bits(child)
        bits[rng.integers(bits.size)] ^= True
        child = space.mended(bits, rng)
    return child


def _another(space: SetSpace, found: Sequence[Columns], rng: np.random.Generator) -> Columns:
    """Return a random set that is not among those found, if one turns up."""
    for _ in range(_TRIES):
        drawn = space.random(rng)
        if drawn not in found:
            break
    return drawn


def places(values: NDArray[np.float64]) -> list[int]:
    """Return each row's place, 0 the first: by non-dominated rank, then by crowding, the lonely first.

    Values have shape (rows, terms), each to be maximized. A row with NaN is dominated by all others; rows
    that are equal in both keep their order.
    """
    ranks = fronts(values)
    crowding = np.empty(len(values))
    for rank in np.unique(ranks):
        crowding[ranks == rank] = distances(values[ranks == rank])
    order = np.lexsort((np.arange(len(values)), -crowding, ranks))
    found = np.empty(len(values), np.int64)
    found[order] = np.arange(len(values))
    return [int(place) for place in found]


def fronts(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return each row's rank: 0 for those that nobody dominates, 1 for those next without them, and so on."""
    has_values = ~np.isnan(values).any(axis=1)
    ranks = np.full(len(values), len(values), np.int64)
    left, rank = np.flatnonzero(has_values), 0
    while left.size:
        some = values[left]
        at_least = (some[:, None, :] >= some[None, :, :]).all(axis=2)
        beats = at_least & ~at_least.T
        is_first = ~beats.any(axis=0)
        ranks[left[is_first]] = rank
        left, rank = left[~is_first], rank + 1
    return ranks


def distances(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the crowding distances in one front: the box between neighbors; infinite at the ends."""
    found = np.zeros(len(values))
    for column in values.T:
        order = np.argsort(column, kind="stable")
        low, high = column[order[0]], column[order[-1]]
        if not low < high or not np.isfinite(high - low):
            continue
        found[order[[0, -1]]] = np.inf
        found[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / (high - low)
    return found

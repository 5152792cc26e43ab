"""What the moves keep beside the state: random numbers, least entropies, clusters that are closed."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qidguard_mo_obam.moves.compiled import compiled_within
from qidguard_mo_obam.moves.state import BITS, LACK, LOSS, UNITS, State

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Rule(NamedTuple):
    """What a state is worth, and which moves there are.

    Worth is Σ loss + price · Σ lack − gain · Σ over SAs of the least entropy.
    """

    price: float
    gain: float
    is_free: bool  # whether clusters may be closed and opened, else their number stays
    swaps: float  # share of the moves
    rebuilds: float  # share of the moves
    wide: float = 0.0  # share of the moves that go anywhere, not only to what is near
    # whether clusters that miss limits are closed whatever it costs, and nothing else is done
    is_closing: bool = False


class MoveWork(NamedTuple):
    """What the moves keep beside the state."""

    random: "NDArray[np.int64]"  # (2,), both ≥ 1
    idle: "NDArray[np.int64]"  # (clusters + 1,), closed ones; how many stands last
    moved: "NDArray[np.int64]"  # (2 · units, 2), a unit and where it came from
    planned: "NDArray[np.int64]"  # (units,), those that are to move
    low: "NDArray[np.float64]"  # (SAs, 4), the least entropy and its cluster; both as they were


def begun(state: State, seed: int, attributes: int) -> MoveWork:
    """Return what the moves keep, for a seed; the entropies of so many limits count, the first ones."""
    first, second = np.random.SeedSequence(seed).generate_state(2)
    return MoveWork(
        random=np.array([1 + int(first) % 2147483562, 1 + int(second) % 2147483398], dtype=np.int64),
        idle=np.zeros(len(state.sizes) + 1, dtype=np.int64),
        moved=np.zeros((2 * len(state.links), 2), dtype=np.int64),
        planned=np.zeros(len(state.links), dtype=np.int64),
        low=np.zeros((attributes, 4)),
    )


@compiled_within
def draw(random: "NDArray[np.int64]") -> float:
    """Return a number in (0, 1), by L'Ecuyer's combined generator (1988): its products fit 64 bits."""
    random[0] = 40014 * random[0] % 2147483563
    random[1] = 40692 * random[1] % 2147483399
    apart = random[0] - random[1]
    if apart < 1:
        apart += 2147483562
    return float(apart / 2147483563.0)


@compiled_within
def below(random: "NDArray[np.int64]", n: int) -> int:
    """Return a whole number in 0..n − 1."""
    return min(n - 1, int(draw(random) * n))


@compiled_within
def refresh(state: State, work: MoveWork) -> None:
    """Find the closed clusters and the least entropy of each SA."""
    idle = 0
    for c in range(len(state.sizes) - 1, -1, -1):
        if state.sizes[c, UNITS] == 0:
            work.idle[idle] = c
            idle += 1
    work.idle[len(state.sizes)] = idle
    for s in range(len(work.low)):
        find_low(state, work, s)


@compiled_within
def find_low(state: State, work: MoveWork, s: int) -> None:
    """Find the least entropy of an SA."""
    least, at = np.inf, -1
    for c in range(len(state.sizes)):
        if state.sizes[c, UNITS] > 0 and state.worth[c, BITS + s] < least:
            least, at = state.worth[c, BITS + s], c
    work.low[s, 0], work.low[s, 1] = least, at


@compiled_within
def low_after(state: State, work: MoveWork, c: int, d: int) -> float:
    """Bring the least entropies up to date after two clusters changed; return by how much their sum grew."""
    grown = 0.0
    for s in range(len(work.low)):
        was, at = work.low[s, 0], work.low[s, 1]
        work.low[s, 2], work.low[s, 3] = was, at
        if at in (c, d):
            find_low(state, work, s)
        for e in (c, d):
            if state.sizes[e, UNITS] > 0 and state.worth[e, BITS + s] < work.low[s, 0]:
                work.low[s, 0], work.low[s, 1] = state.worth[e, BITS + s], e
        grown += work.low[s, 0] - was
    return grown


@compiled_within
def cost(state: State, price: float, c: int, d: int) -> float:
    """Return the worth of two clusters, entropies left out."""
    return float(
        state.worth[c, LOSS] + state.worth[d, LOSS] + price * (state.worth[c, LACK] + state.worth[d, LACK])
    )


@compiled_within
def close(work: MoveWork, c: int) -> None:
    """Note that a cluster is closed."""
    last = len(work.idle) - 1
    work.idle[work.idle[last]] = c
    work.idle[last] += 1

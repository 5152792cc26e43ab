"""A test of ε: what a mechanism is seen to lose, beside what is claimed of it.

Half of the draws choose the event that tells two inputs apart best; the other half bound how much more
probable it is for the one than for the other. So who keeps the claim fails one time in ten thousand at most.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale
from qidguard_hybrid_dp.noise.guarantee import claimed_epsilon, reach_of, scale_in_steps

DRAWS = 100_000
LEVEL = 1e-4
"""How often a mechanism that keeps its claim may fail."""

_MOST_EVENTS = 400
_FEWEST_NOISED = 30
Mechanism = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Published numbers in place of true ones, of the same shape."""


@dataclass(frozen=True, kw_only=True)
class EpsilonBound:
    """What the draws prove of two inputs, at the level 1 − 10⁻⁴.

    Args:
        epsilon: ln of how much more probable the event is for one input than for the other, at least; ≥ 0.
        event: The event, in words.
    """

    epsilon: float
    event: str


@dataclass(frozen=True, kw_only=True)
class NoiseTest:
    """One column's noise, tested.

    Args:
        claim: ε of two values one reach apart.
        bound: What the draws prove.
        z: Standard errors by which the scale seems too large, too small where negative; None where noise is
            so rare that draws tell nothing of its scale.
        draws: Draws for each of the two values.
    """

    claim: float
    bound: EpsilonBound
    z: float | None
    draws: int

    @property
    def is_claim_kept(self) -> bool:
        """Whether the draws do not prove more than the claim."""
        return self.bound.epsilon <= self.claim

    @property
    def is_scale_right(self) -> bool:
        """Whether the scale may be the claimed one."""
        return self.z is None or abs(self.z) <= float(stats.norm.isf(LEVEL / 2))


def examine_noise(
    mechanism: Mechanism,
    column: NoisedColumn,
    *,
    epsilon: Fraction,
    scale: NoiseScale,
    draws: int = DRAWS,
) -> NoiseTest:
    """Test what is claimed of the noise on one column, from both bounds; at unit scale one unit apart.

    With 100,000 draws the bound reaches 0.85 of a true claim from ε = 0.5 to 3: below, what happens is too
    alike, which takes 10,000/ε² draws, and above, it is too rare. The scale is tested by the score of the
    clamped distribution, which takes each deviation and how many values end at a bound.

    Args:
        mechanism: Takes true numbers, shape (draws,), and returns published ones, between the bounds.
        column: Its bounds and step.
        epsilon: ε, as of ``noised_part``.
        scale: What the scale is said to be made for.
        draws: How often each of the two values is published, ≥ 2.

    Returns:
        The bound and the standard errors of the scale.

    Example:
        >>> from qidguard_hybrid_dp.noise.laplace import SeededLaplace
        >>> from qidguard_hybrid_dp.noise.noised import noised
        >>> age = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))
        >>> asked = {"epsilon": Fraction(2), "scale": NoiseScale.RANGE}
        >>> source = SeededLaplace(1, "age", "")
        >>> found = examine_noise(lambda x: noised(x, age, source=source, **asked).numbers, age, **asked)
        >>> 1.7 < found.bound.epsilon <= 2, found.is_scale_right
        (True, True)
    """
    low, reach = column.bounds[0], reach_of(column, scale)
    first, second = (mechanism(np.full(draws, float(value))) for value in (low, low + reach))
    away = [column.grid(first)]
    if reach == column.width:
        away.append(column.steps - column.grid(second))
    return NoiseTest(
        claim=float(claimed_epsilon(column, epsilon, scale)),
        bound=epsilon_bound(first, second),
        z=scale_z(np.concatenate(away), column.steps, scale_in_steps(column, epsilon, scale)),
        draws=draws,
    )


def pair_bound(
    mechanism: Mechanism, columns: tuple[NoisedColumn, NoisedColumn], *, draws: int = DRAWS
) -> EpsilonBound:
    """Return what the draws prove of two values together, from pairs of opposite corners.

    Both values change at once, the same way and against each other, so that the claim is the sum of both ε.
    Noise that is shared cancels in the difference.

    Args:
        mechanism: Takes true numbers, shape (draws, 2), and returns published ones.
        columns: The two columns, or one twice for two releases.
        draws: How often each corner is published, ≥ 2.
    """
    (a, b), (c, d) = (tuple(map(float, column.bounds)) for column in columns)
    widths = np.array([b - a, d - c])

    def published(corner: tuple[float, float]) -> NDArray[np.float64]:
        return np.asarray((mechanism(np.tile(corner, (draws, 1))) - [a, c]) / widths)

    bounds = (
        epsilon_bound(published(one), published(other)) for one, other in (((a, c), (b, d)), ((a, d), (b, c)))
    )
    return max(bounds, key=lambda bound: bound.epsilon)


def epsilon_bound(
    first: NDArray[np.float64], second: NDArray[np.float64], *, level: float = LEVEL
) -> EpsilonBound:
    """Return what outputs for two inputs prove of ε: Clopper and Pearson's bounds on the best event.

    Events are "at most t" and "above t", of each published number, and of sums and differences of two.

    Args:
        first: Shape (draws,) or (draws, numbers), what was published for the one input.
        second: The same for the other input.
        level: How often the bound may lie above the truth.

    Example:
        >>> both = np.arange(1000) % 2.0
        >>> epsilon_bound(both, both).epsilon
        0.0
        >>> round(epsilon_bound(both, 1 + both).epsilon, 1), epsilon_bound(both, 1 + both).event
        (3.0, 'number 1 at most 0')
    """
    one, other = _features(first), _features(second)
    chosen: tuple[float, str, NDArray[np.bool_], NDArray[np.bool_]] | None = None
    for (name, x), (_, y) in zip(one, other, strict=True):
        for likely, rare in ((x, y), (y, x)):
            half, other_half = likely[: len(likely) // 2], rare[: len(rare) // 2]
            cuts = _cuts(np.concatenate([half, other_half]))
            bounds = np.stack(
                [
                    _log_ratio(hits, others, len(half), len(other_half), level)
                    for hits, others in _hits(np.sort(half), np.sort(other_half), cuts)
                ]
            )
            side, at = np.unravel_index(int(bounds.argmax()), bounds.shape)
            if chosen is None or bounds[side, at] > chosen[0]:
                words = f"{name} {'above' if side else 'at most'} {cuts[at]:.6g}"
                picked = [(values[len(values) // 2 :] > cuts[at]) == bool(side) for values in (likely, rare)]
                chosen = float(bounds[side, at]), words, picked[0], picked[1]
    if chosen is None:
        raise ValueError("a bound needs at least one published number")
    _, words, often, seldom = chosen
    proven = _log_ratio(np.array([often.sum()]), np.array([seldom.sum()]), len(often), len(seldom), level)
    return EpsilonBound(epsilon=max(0.0, float(proven[0])), event=words)


def scale_z(away: NDArray[np.int64], steps: int, scale: float) -> float | None:
    """Return by how many standard errors the scale seems too large, from values that stood at a bound.

    The score of ln scale, with p = e^(−1/scale) and the distance D from the bound after clamping, is
    D/scale − p/(scale·(1 + p)), less p/(scale·(1 − p)) where D lies between the bounds. Its mean is 0.

    Args:
        away: Shape (draws,), how far the published values lie from the bound, 0..steps.
        steps: The distance of the bounds.
        scale: The claimed scale, in steps.

    Returns:
        Standard errors; None where fewer than 30 draws would leave the bound.
    """
    p, stop = np.exp(-1 / scale), -np.expm1(-1 / scale)
    if len(away) * p / (1 + p) < _FEWEST_NOISED:
        return None
    is_between = (away > 0) & (away < steps)
    score = away / scale - p / (scale * (1 + p)) - np.where(is_between, p / (scale * stop), 0.0)
    return float(score.sum() / np.sqrt((score**2).sum()))


def _features(published: NDArray[np.float64]) -> list[tuple[str, NDArray[np.float64]]]:
    """Return each published number, and the sums and differences of two."""
    numbers = published.reshape(len(published), -1).T
    each = [(f"number {at}", values) for at, values in enumerate(numbers, 1)]
    for (at, x), (beside, y) in combinations(enumerate(numbers, 1), 2):
        each += [(f"number {at} − number {beside}", x - y), (f"number {at} + number {beside}", x + y)]
    return each


def _cuts(values: NDArray[np.float64]) -> NDArray[np.float64]:
    distinct = np.unique(values)
    if len(distinct) <= _MOST_EVENTS:
        return distinct
    return np.unique(np.quantile(values, np.linspace(0, 1, _MOST_EVENTS), method="lower"))


def _hits(
    likely: NDArray[np.float64], rare: NDArray[np.float64], cuts: NDArray[np.float64]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return how many of each are at most each cut, and how many above it."""
    below = [np.searchsorted(values, cuts, side="right") for values in (likely, rare)]
    return [(below[0], below[1]), (len(likely) - below[0], len(rare) - below[1])]


def _log_ratio(
    hits: NDArray[np.int64], others: NDArray[np.int64], draws: int, other_draws: int, level: float
) -> NDArray[np.float64]:
    """Return ln(lower bound of the one share / upper bound of the other), each at half the level."""
    at_least = np.where(hits > 0, stats.beta.ppf(level / 2, np.maximum(hits, 1), draws - hits + 1), 0.0)
    at_most = np.where(
        others < other_draws, stats.beta.isf(level / 2, others + 1, np.maximum(other_draws - others, 1)), 1.0
    )
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(at_least / at_most))

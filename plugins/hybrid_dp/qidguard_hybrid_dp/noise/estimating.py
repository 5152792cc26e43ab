"""A tighter range, privately estimated where a policy declares only an outer one; never read off the data."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import AnonymizationTask, DeclarationError, NoisedPart
from qidguard_hybrid_dp.noise.column import NoisedColumn
from qidguard_hybrid_dp.noise.guarantee import MECHANISM, float_above, float_below
from qidguard_hybrid_dp.noise.laplace import generator_of
from qidguard_hybrid_dp.noise.receipt import written

if TYPE_CHECKING:
    from opendp.mod import Measurement

QUANTILES = "private_quantiles"
"""The mechanism's name in guarantees."""

_SHARES = Fraction(1, 10), Fraction(9, 10)
"""The quantiles that are sought; more extreme ones are found badly."""
_MARGIN = Fraction(1, 3)
"""How much wider the range becomes at either side, in distances of the two quantiles."""
_ENDS = 2
_SENSITIVITY = 2
"""A changed value moves each candidate's score by 1 record at most; a choice costs 2 / scale."""
_MOST = 2**40


@dataclass(frozen=True, kw_only=True)
class RangeEstimate:
    """How the range of a column is estimated: two private quantiles among declared candidates.

    Args:
        outer: The column with its declared outer bounds.
        epsilon: ε of both ends together, > 0; each end has half of it.
        candidates: How many points of the grid a quantile may be, evenly between the outer bounds and these
            included, ≥ 2. All that lie beyond the data look alike, so they should be close beside the spread
            of values.

    Raises:
        DeclarationError: When ε is not above 0, or of a size that cannot be drawn.

    Example:
        >>> ages = NoisedColumn(name="age", bounds=(Fraction(0), Fraction(120)), step=Fraction(1))
        >>> RangeEstimate(outer=ages, epsilon=Fraction(1), candidates=5).points
        [0, 30, 60, 90, 120]
    """

    outer: NoisedColumn
    epsilon: Fraction
    candidates: int = 1025

    def __post_init__(self) -> None:
        if not 0 < self.epsilon <= _MOST or self.epsilon < Fraction(1, _MOST):
            raise DeclarationError(
                f"ε of the estimated range of {self.outer.name!r} must be above 0 and of a size that can be"
                " drawn; ask for another one"
            )

    @property
    def points(self) -> list[int]:
        """The candidates as grid points of the outer range, rising."""
        last = self.candidates - 1
        return sorted({self.outer.steps * at // last for at in range(self.candidates)})

    @property
    def scale(self) -> float:
        """The scale of the noise on a candidate's score, in records: 2 / (ε/2), rounded up."""
        return float_above(_SENSITIVITY / Fraction(float_below(self.epsilon / _ENDS)))

    def part(self) -> NoisedPart:
        """Return what the estimate costs every record, before anything is drawn."""
        return NoisedPart(
            columns=(self.outer.name,),
            mechanism=QUANTILES,
            scale=Fraction(self.scale),
            reach=Fraction(_ENDS),
            epsilon=self.epsilon,
        )

    def noised_part(self, *, epsilon: Fraction, partition: str = "") -> NoisedPart:
        """Return what range-scale noise guarantees: in widths of a range that nobody knows before.

        Args:
            epsilon: ε of the value wherever it lies, > 0.
            partition: The part of the table; empty for all records.
        """
        return NoisedPart(
            columns=(self.outer.name,),
            mechanism=MECHANISM,
            scale=1 / epsilon,
            reach=Fraction(1),
            epsilon=epsilon,
            partition=partition,
        )

    @property
    def words(self) -> str:
        """What is estimated and what that costs, as receipts print it."""
        low, high = map(written, _SHARES)
        return (
            f"{self.outer.name!r}: the range is estimated from all records, between their {low} and {high}"
            f" quantiles and {written(_MARGIN)} of that at either side, by two private choices among"
            f" {len(self.points)} declared candidates, with noise of scale {self.scale:.4g} records on ranks."
            f" Both cost every record ε = {written(self.epsilon)} beside its own noise, which is told in"
            " widths of that range. One value may move what is published of others through the range"
            " alone, and this ε covers it."
        )


class QuantileSource(Protocol):
    """Chooses a quantile privately: the candidate whose rank is nearest to it after exponential noise."""

    def quantile(self, grid: NDArray[np.int64], candidates: list[int], share: float, scale: float) -> int:
        """Return the chosen candidate. The noise on scores is of a scale in records."""


class OpenDPQuantiles:
    """OpenDP's private quantile, for a known number of values."""

    def quantile(self, grid: NDArray[np.int64], candidates: list[int], share: float, scale: float) -> int:
        """Return the chosen candidate."""
        return int(_choosing(len(grid), tuple(candidates), share, scale)(grid.tolist()))

    def loss(self, records: int, candidates: list[int], share: float, scale: float) -> Fraction:
        """Return the measurement's own map for one changed value, which is one removed and one added."""
        loss: float = _choosing(records, tuple(candidates), share, scale).map(2)  # type: ignore[no-untyped-call]  # OpenDP has no types
        return Fraction(loss)


OPENDP_QUANTILES = OpenDPQuantiles()


class RehearsedQuantiles:
    """The same distribution by a seed, for what is only tried: it protects nobody."""

    def __init__(self, seed: int, column: str) -> None:
        self._generator = generator_of(seed, column, QUANTILES)

    def quantile(self, grid: NDArray[np.int64], candidates: list[int], share: float, scale: float) -> int:
        """Return the chosen candidate: the least of |(1 − share) · below − share · above| less noise."""
        values = np.sort(grid)
        below = np.searchsorted(values, candidates, side="left")
        above = len(values) - np.searchsorted(values, candidates, side="right")
        score = np.abs((1 - share) * below - share * above)
        return candidates[int(np.argmin(score - self._generator.exponential(scale, len(candidates))))]


def quantiles_of(task: AnonymizationTask, column: str) -> QuantileSource:
    """Return what chooses quantiles of a column: OpenDP, or the seed in a rehearsal."""
    return RehearsedQuantiles(task.seed, column) if task.is_rehearsal else OPENDP_QUANTILES


def estimated(numbers: NDArray[np.float64], estimate: RangeEstimate, source: QuantileSource) -> NoisedColumn:
    """Return the column with its estimated range.

    Values are clamped to the outer bounds and put on the grid first. Where the two choices are not in order,
    or there is no value, the range is the outer one. Some 1,000/ε values are needed to find a good one.

    Args:
        numbers: Shape (n,), NaN where missing. How many are missing is public.
        estimate: What is declared.
        source: Chooses the quantiles.

    Example:
        >>> ages = NoisedColumn(name="age", bounds=(Fraction(0), Fraction(1000)), step=Fraction(1))
        >>> asked = RangeEstimate(outer=ages, epsilon=Fraction(1))
        >>> values = np.random.default_rng(1).uniform(17, 90, 10_000)
        >>> [int(bound) for bound in estimated(values, asked, RehearsedQuantiles(1, "age")).bounds]
        [6, 102]
    """
    outer = estimate.outer
    grid = outer.grid(numbers[~np.isnan(numbers)])
    if not len(grid):
        return outer
    points, low, step = estimate.points, outer.bounds[0], outer.step
    first, last = (
        source.quantile(grid, points, float(share), _checked(source, len(grid), estimate, float(share)))
        for share in _SHARES
    )
    if first >= last:
        return outer
    beside = int(_MARGIN * (last - first))
    first, last = max(0, first - beside), min(outer.steps, last + beside)
    return NoisedColumn(name=outer.name, bounds=(low + first * step, low + last * step), step=step)


def _checked(source: QuantileSource, records: int, estimate: RangeEstimate, share: float) -> float:
    """Return the scale; larger by some last digits where OpenDP's map would exceed half of ε."""
    scale = estimate.scale
    if isinstance(source, OpenDPQuantiles):
        while source.loss(records, estimate.points, share, scale) > estimate.epsilon / _ENDS:
            scale = math.nextafter(scale, math.inf)
    return scale


@lru_cache(maxsize=16)
def _choosing(records: int, candidates: tuple[int, ...], share: float, scale: float) -> "Measurement":
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"), size=records)
    return dp.m.make_private_quantile(
        domain, dp.symmetric_distance(), dp.max_divergence(), list(candidates), share, scale
    )

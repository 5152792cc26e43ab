"""What draws the noise: OpenDP; in a rehearsal a seeded draw of the same distributions."""

from fractions import Fraction
from functools import cache
from math import expm1, inf, nextafter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

MAX_THRESHOLD = 1 << 40


class Mechanisms(Protocol):
    """Counts, frequent categories and a choice, each with noise of a scale in records."""

    def counts(self, codes: "NDArray[np.int64]", cells: int, scale: float) -> "NDArray[np.int64]":
        """Return the noisy number of records of each cell, shape (cells,); may be negative."""

    def frequent(self, codes: "NDArray[np.int64]", scale: float, threshold: int) -> "Mapping[int, int]":
        """Return code → noisy number of records, where it is above the threshold; of codes that occur."""

    def highest(self, scores: "NDArray[np.int64]", scale: float) -> int:
        """Return the position of a score that is about the highest."""


class OpenDPMechanisms:
    """OpenDP's discrete Laplace noise, its Laplace threshold, and its noisy maximum (permute and flip)."""

    def counts(self, codes: "NDArray[np.int64]", cells: int, scale: float) -> "NDArray[np.int64]":
        """Return noisy counts, by OpenDP's own counting and noise."""
        return np.array(_counting(cells, scale)(codes.tolist()), dtype=np.int64)

    def frequent(self, codes: "NDArray[np.int64]", scale: float, threshold: int) -> "Mapping[int, int]":
        """Return the codes whose noisy count is above the threshold.

        OpenDP 0.16 also releases a count that equals the threshold, which its δ does not cover (its issue
        2922); such are dropped here.
        """
        found: dict[int, int] = _thresholding(scale, threshold)(codes.tolist())
        return {code: count for code, count in sorted(found.items()) if count > threshold}

    def highest(self, scores: "NDArray[np.int64]", scale: float) -> int:
        """Return the position that OpenDP's noisy maximum chooses."""
        return int(_choosing(scale)(scores.tolist()))


class SeededMechanisms:
    """The same distributions drawn from a seed; whoever knows it takes the noise away."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def counts(self, codes: "NDArray[np.int64]", cells: int, scale: float) -> "NDArray[np.int64]":
        """Return noisy counts: a discrete Laplace variable is the difference of two geometric ones."""
        return self._laplace(cells, scale) + np.bincount(codes, minlength=cells)

    def frequent(self, codes: "NDArray[np.int64]", scale: float, threshold: int) -> "Mapping[int, int]":
        """Return the codes whose noisy count is above the threshold."""
        present, counts = np.unique(codes, return_counts=True)
        noisy = counts + self._laplace(len(counts), scale)
        return {
            int(code): int(count)
            for code, count in zip(present.tolist(), noisy.tolist(), strict=True)
            if count > threshold
        }

    def highest(self, scores: "NDArray[np.int64]", scale: float) -> int:
        """Return the position of the highest score after exponential noise, which is permute and flip."""
        return int(np.argmax(scores + self._random.exponential(scale, len(scores))))

    def _laplace(self, number: int, scale: float) -> "NDArray[np.int64]":
        stop = -expm1(-1 / scale)
        up, down = self._random.geometric(stop, (2, number)).astype(np.int64)
        noise: NDArray[np.int64] = up - down
        return noise


def laplace_scale(epsilon: Fraction) -> float:
    """Return the scale of discrete Laplace noise on counts that OpenDP's map holds ε for one record with.

    The map in floats oversteps 1/ε half the time, so the scale goes up until it does not, and until
    ε · scale ≥ 1 in exact numbers.
    """
    return _scale(epsilon, 1, counts_map)


def choice_scale(epsilon: Fraction) -> float:
    """Return the scale of the noisy maximum of scores that one record changes by at most 1: about 2/ε."""
    return _scale(epsilon, 2, choice_map)


def smallest_threshold(scale: float, delta: Fraction) -> int:
    """Return the smallest threshold that OpenDP's map holds δ for one record with; the scale stays.

    Raises:
        OverflowError: When there is none below 2**40.
    """
    low, high = 0, 1
    while Fraction(threshold_map(scale, high)[1]) > delta:
        low, high = high, high * 2
        if high > MAX_THRESHOLD:
            raise OverflowError("no threshold below 2**40 holds this delta")
    while high - low > 1:
        middle = (low + high) // 2
        if Fraction(threshold_map(scale, middle)[1]) > delta:
            low = middle
        else:
            high = middle
    return high


def counts_map(scale: float) -> float:
    """Return ε of noisy counts for one record added or removed, as OpenDP's map says."""
    return float(_counting(1, scale).map(1))


def threshold_map(scale: float, threshold: int) -> tuple[float, float]:
    """Return ε and δ of frequent categories for one record added or removed, as OpenDP's map says."""
    epsilon, delta = _thresholding(scale, threshold).map(1)
    return float(epsilon), float(delta)


def choice_map(scale: float) -> float:
    """Return ε of a choice among scores that one record changes by at most 1, as OpenDP's map says."""
    return float(_choosing(scale).map(1))


def _scale(epsilon: Fraction, times: int, mapped: "Callable[[float], float]") -> float:
    scale = float(times / epsilon)
    while Fraction(scale) * epsilon < times or mapped(scale) > epsilon:
        scale = nextafter(scale, inf)
    return scale


def _opendp() -> Any:
    # it takes seconds to import
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp


@cache
def _counting(cells: int, scale: float) -> Any:
    dp = _opendp()
    records = dp.vector_domain(dp.atom_domain(T="i64")), dp.symmetric_distance()
    counted = dp.t.then_count_by_categories(
        list(range(cells)), null_category=False, MO="L1Distance<i64>", TOA="i64"
    )
    return records >> counted >> dp.m.then_laplace(scale=scale)


@cache
def _thresholding(scale: float, threshold: int) -> Any:
    dp = _opendp()
    records = dp.vector_domain(dp.atom_domain(T="i64")), dp.symmetric_distance()
    kept = dp.m.then_laplace_threshold(scale=scale, threshold=threshold)
    return records >> dp.t.then_count_by(TV="i64") >> kept


@cache
def _choosing(scale: float) -> Any:
    dp = _opendp()
    scores = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    return scores >> dp.m.then_noisy_max(dp.max_divergence(), scale=scale)

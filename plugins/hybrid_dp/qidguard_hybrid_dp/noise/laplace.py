"""Where noise comes from: OpenDP, or a seed in a rehearsal."""

import hashlib
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import AnonymizationTask, InternalError

if TYPE_CHECKING:
    from opendp.mod import Measurement

_FAR = 2**62
"""No sum with a grid point overflows below it."""


class NoiseSource(Protocol):
    """Draws discrete Laplace noise: P(N = n) = (1 − p) / (1 + p) · p^|n| with p = e^(−1/scale)."""

    def draw(self, grid: NDArray[np.int64], scale: float) -> NDArray[np.int64]:
        """Return grid points plus noise, drawn for each of them alone. The scale is in steps."""


class OpenDPLaplace:
    """OpenDP's Laplace mechanism on whole numbers. It takes no seed: nobody can repeat what it draws."""

    def draw(self, grid: NDArray[np.int64], scale: float) -> NDArray[np.int64]:
        """Return grid points plus noise; what leaves 64 bits stays at their end."""
        mechanism = _laplace(scale)
        points = grid.tolist()
        if not mechanism.input_domain.member(points):  # calling it does not check
            raise InternalError("values outside the domain of the mechanism would get noise; report this")
        return np.asarray(mechanism(points), dtype=np.int64)

    def loss(self, reach: int, scale: float) -> Fraction:
        """Return the measurement's own map: the ε of two values this many steps apart, rounded up."""
        loss: float = _laplace(scale).map(reach)  # type: ignore[no-untyped-call]  # OpenDP has no types
        return Fraction(loss)


OPENDP = OpenDPLaplace()


class SeededLaplace:
    """The same distribution by a seed, for what is only tried: it protects nobody and is never published.

    Args:
        seed: The task's seed, ≥ 0.
        column: The column, and ``partition`` its part of the table: each has noise of its own.
        partition: The part.

    Example:
        >>> first, again = (SeededLaplace(7, "age", "other") for _ in range(2))
        >>> zeros = np.zeros(1000, dtype=np.int64)
        >>> bool((first.draw(zeros, 24.3) == again.draw(zeros, 24.3)).all())
        True
    """

    def __init__(self, seed: int, column: str, partition: str) -> None:
        self._generator = generator_of(seed, column, partition)

    def draw(self, grid: NDArray[np.int64], scale: float) -> NDArray[np.int64]:
        """Return grid points plus noise: the difference of two geometric numbers has the distribution."""
        stop = -np.expm1(-1 / scale)
        up, down = (self._generator.geometric(stop, size=grid.shape) for _ in range(2))
        noise: NDArray[np.int64] = np.clip(up - down, -_FAR, _FAR)
        return grid + noise


def source_of(task: AnonymizationTask, column: str, partition: str) -> NoiseSource:
    """Return what draws the noise of one column in one partition: OpenDP, or the seed in a rehearsal."""
    return SeededLaplace(task.seed, column, partition) if task.is_rehearsal else OPENDP


def generator_of(seed: int, column: str, purpose: str) -> np.random.Generator:
    """Return random numbers of a seed that no other column and no other purpose has."""
    words = hashlib.sha256(f"{column}\0{purpose}".encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(words, dtype="<u4").tolist()])


@lru_cache(maxsize=64)
def _laplace(scale: float) -> "Measurement":
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=scale)

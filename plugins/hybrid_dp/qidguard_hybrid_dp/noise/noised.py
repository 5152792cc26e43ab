"""Numbers with noise: clamped, put on the grid, drawn for one by one, clamped again."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import InternalError
from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale
from qidguard_hybrid_dp.noise.guarantee import claimed_epsilon, reach_of, scale_in_steps
from qidguard_hybrid_dp.noise.laplace import NoiseSource, OpenDPLaplace

CHUNK = 2**15
"""Values that are drawn in one call: some tenths of a second, after which Ctrl-C is heard."""


@dataclass(frozen=True, kw_only=True)
class Noised:
    """Numbers with noise.

    Args:
        numbers: Shape (n,), in the column's unit, within its bounds; NaN where the value is missing.
        clamped: How many values lay outside the bounds before noise, infinities among them.
        missing: How many values are missing.
    """

    numbers: NDArray[np.float64] = field(repr=False)
    clamped: int
    missing: int


def noised(
    numbers: NDArray[np.float64],
    column: NoisedColumn,
    *,
    epsilon: Fraction,
    scale: NoiseScale,
    source: NoiseSource,
    tell: Callable[[int, int], None] | None = None,
) -> Noised:
    """Return numbers with noise.

    What lies outside the bounds is moved to them, counted, and gets noise as if it had been there.
    Values move to the nearest multiple of the step before noise, and to the bounds after it, which costs
    nothing.

    Args:
        numbers: Shape (n,), in the column's unit; NaN is missing and stays so, an infinity lies outside.
        column: Its bounds and its step.
        epsilon: ε, > 0, as of ``noised_part``.
        scale: What the scale is made for.
        source: Draws the noise, anew for each call.
        tell: Hears how many of how many values are done.

    Raises:
        NotMeasurable: As of ``scale_in_steps``.

    Example:
        >>> from qidguard_hybrid_dp.noise.laplace import SeededLaplace
        >>> age = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))
        >>> given = {"epsilon": Fraction(3), "scale": NoiseScale.UNIT, "source": SeededLaplace(1, "age", "")}
        >>> done = noised(np.array([16.0, 30.0, np.nan]), age, **given)
        >>> done.clamped, done.missing, bool(np.isnan(done.numbers[2]))
        (1, 1, True)
    """
    drawn_scale = scale_in_steps(column, epsilon, scale)
    _check_loss(source, column, epsilon, scale)
    present = np.flatnonzero(~np.isnan(numbers))
    values = numbers[present]
    low, high = map(float, column.bounds)
    points = column.grid(values)
    drawn = np.empty_like(points)
    done = 0
    for part in _draws(source, points, drawn_scale):
        drawn[done : done + len(part)] = np.clip(part, 0, column.steps)
        done += len(part)
        if tell is not None:
            tell(done, len(points))
    published = np.full(len(numbers), np.nan)
    published[present] = column.numbers(drawn)
    return Noised(
        numbers=published,
        clamped=int(((values < low) | (values > high)).sum()),
        missing=len(numbers) - len(present),
    )


def _draws(source: NoiseSource, points: NDArray[np.int64], scale: float) -> Iterator[NDArray[np.int64]]:
    """Yield points with noise, a chunk at a time; OpenDP, which keeps no state, draws on all processors."""
    chunks = [points[first : first + CHUNK] for first in range(0, len(points), CHUNK)]
    workers = min(os.cpu_count() or 1, len(chunks))
    if workers <= 1 or not isinstance(source, OpenDPLaplace):
        yield from (source.draw(chunk, scale) for chunk in chunks)
        return
    pool = ThreadPoolExecutor(workers)
    try:
        yield from pool.map(lambda chunk: source.draw(chunk, scale), chunks)
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C only what is being drawn is awaited


def _check_loss(source: NoiseSource, column: NoisedColumn, epsilon: Fraction, scale: NoiseScale) -> None:
    """Hold OpenDP's own map against the claim before it draws."""
    if isinstance(source, OpenDPLaplace):
        reach = int(reach_of(column, scale) / column.step)
        if source.loss(reach, scale_in_steps(column, epsilon, scale)) > claimed_epsilon(
            column, epsilon, scale
        ):
            raise InternalError("the mechanism's map is above the ε that is claimed; report this")

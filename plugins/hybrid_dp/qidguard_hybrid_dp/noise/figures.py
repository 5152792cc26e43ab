"""Both scales side by side for one column: what noise does to values, and its test of ε."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Cell, NotMeasurable, ResultTable
from qidguard_hybrid_dp.noise.checking import NoiseTest, examine_noise
from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale
from qidguard_hybrid_dp.noise.guarantee import noised_part
from qidguard_hybrid_dp.noise.laplace import OPENDP
from qidguard_hybrid_dp.noise.noised import noised
from qidguard_hybrid_dp.noise.receipt import deviation_of, loss_of, staying_of, written

_NOTE = (
    "What stays and deviates is reckoned before values are clamped to the bounds. 100,000 draws prove at"
    " least 0.85 of a true ε from 0.5 to 3; below, that takes 10,000/ε² draws."
)


@dataclass(frozen=True, kw_only=True)
class ScaleFigures:
    """What one scale comes to.

    Args:
        scale: The scale.
        cells: Heading of a row → its figure; nothing where it is refused.
        test: The test of ε; None where nothing was drawn.
        refused: Why there is no such noise, or nothing.
    """

    scale: NoiseScale
    cells: Mapping[str, Cell] = field(default_factory=dict)
    test: NoiseTest | None = None
    refused: str = ""


def figures_of(
    column: NoisedColumn,
    epsilon: Fraction,
    scale: NoiseScale,
    *,
    draws: int,
    tell: Callable[[int, int], None] | None = None,
) -> ScaleFigures:
    """Return what one scale comes to, tested on OpenDP.

    Args:
        column: The column.
        epsilon: ε, > 0.
        scale: The scale.
        draws: Draws for each of two values; 0 tests nothing.
        tell: Hears how many of how many draws are done.
    """
    try:
        part = noised_part(column, epsilon=epsilon, scale=scale)
    except NotMeasurable as reason:
        return ScaleFigures(scale=scale, refused=str(reason))
    test = _tested(column, epsilon, scale, draws, tell) if draws else None
    return ScaleFigures(
        scale=scale,
        cells={
            "noise": "discrete Laplace",
            "scale, in the column's unit": float(part.scale),
            "standard deviation, in the column's unit": deviation_of(part, column),
            "share that stays, off the bounds": staying_of(part, column),
            "values apart of which ε tells": written(part.reach),
            "OpenDP's map for them": float(loss_of(part, column)),
            "ε over the whole range, which is charged": written(part.cost.epsilon),
            "draws for each of two values": draws,
            "ε that the draws prove": None if test is None else test.bound.epsilon,
            "z of the scale": None if test is None else test.z,
            "test": None if test is None else _verdict(test),
        },
        test=test,
    )


def figures_table(figures: Iterable[ScaleFigures]) -> ResultTable:
    """Return the figures with a column for each scale."""
    each = tuple(figures)
    headings = next((one.cells for one in each if one.cells), {})
    refused = [f"{one.scale.value}: {one.refused}." for one in each if one.refused]
    return ResultTable(
        name="noise",
        title="Noise on one column",
        columns=("", *(one.scale.value for one in each)),
        rows=tuple((heading, *(one.cells.get(heading) for one in each)) for heading in headings),
        note=" ".join([_NOTE, *refused]),
    )


def _tested(
    column: NoisedColumn,
    epsilon: Fraction,
    scale: NoiseScale,
    draws: int,
    tell: Callable[[int, int], None] | None,
) -> NoiseTest:
    done = 0

    def published(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        nonlocal done

        def told(now: int, _: int, before: int = done) -> None:
            if tell is not None:
                tell(before + now, 2 * draws)

        found = noised(numbers, column, epsilon=epsilon, scale=scale, source=OPENDP, tell=told)
        done += len(numbers)
        return found.numbers

    return examine_noise(published, column, epsilon=epsilon, scale=scale, draws=draws)


def _verdict(test: NoiseTest) -> str:
    if not test.is_claim_kept:
        return "proves more than is claimed"
    return "passed" if test.is_scale_right else "the scale is another one"

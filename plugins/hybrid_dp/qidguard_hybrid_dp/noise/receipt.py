"""Guarantees of noise in words and numbers, as receipts print them."""

import math
from fractions import Fraction

from qidguard.sdk import NoisedPart
from qidguard_hybrid_dp.noise.column import NoisedColumn
from qidguard_hybrid_dp.noise.laplace import OPENDP

NOT_COVERED = (
    "How many records there are, their order, and which cells are missing are published as they are.",
    "Whether all values of a column are whole is told by its grid, where no step is declared.",
    "Columns without noise are published as they are, or generalized without noise.",
    "Who is generalized or suppressed depends on columns without noise, and can be read off the table.",
    "How many values lay outside the bounds is counted without noise, for the record of the run.",
)
"""What noise on numbers covers in no case: for ``PrivacyGuarantee.not_covered``."""

BY_DISTANCE = (
    "Noise of the unit scale protects by distance only: of two values far apart it tells which one it was."
)
"""For ``PrivacyGuarantee.not_covered`` where a part is by distance."""

_SHORT = 10**6
_LARGEST_POWER = 700


def describe(part: NoisedPart, column: NoisedColumn, *, is_rehearsal: bool = False) -> str:
    """Return what one noised part guarantees: mechanism, scale, bounds, OpenDP's map, and what these mean.

    Args:
        part: The part, of ``noised_part``.
        column: Its column.
        is_rehearsal: Whether the seed draws, which guarantees nothing.

    Example:
        >>> from qidguard_hybrid_dp.noise.column import NoiseScale
        >>> from qidguard_hybrid_dp.noise.guarantee import noised_part
        >>> age = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))
        >>> describe(noised_part(age, epsilon=Fraction(3), scale=NoiseScale.RANGE), age)
        "'age': discrete Laplace noise of scale 24.33 (standard deviation 34.41) in steps of 1, ..."
    """
    low, high = map(written, column.bounds)
    where = f" in partition {part.partition!r}" if part.partition else ""
    drawn = (
        f"{column.name!r}{where}: discrete Laplace noise of scale {float(part.scale):.4g} (standard deviation"
        f" {deviation_of(part, column):.4g}) in steps of {written(column.step)}, clamped to {low}..{high}"
        " before and after."
    )
    if is_rehearsal:
        return (
            f"{drawn} This rehearsal draws it by the seed and protects nobody. In a release {_meaning(part)}"
        )
    loss, apart = written(loss_of(part, column)), written(part.reach)
    return f"{drawn} OpenDP's map for values {apart} apart is {loss}: {_meaning(part)}"


def loss_of(part: NoisedPart, column: NoisedColumn) -> Fraction:
    """Return OpenDP's ``map`` of a part: ε of two values one reach apart, rounded up to a float."""
    return OPENDP.loss(int(part.reach / column.step), float(part.scale / column.step))


def deviation_of(part: NoisedPart, column: NoisedColumn) -> float:
    """Return the standard deviation of noise before it is clamped: step · √(2p) / (1 − p), in the unit."""
    scale = float(part.scale / column.step)
    return float(column.step) * math.sqrt(2 * math.exp(-1 / scale)) / -math.expm1(-1 / scale)


def staying_of(part: NoisedPart, column: NoisedColumn) -> float:
    """Return the probability that noise leaves a value between the bounds as it is: (1 − p) / (1 + p)."""
    return math.tanh(float(column.step / part.scale) / 2)


def written(number: Fraction) -> str:
    """Return a number as people write it: ``3``, ``0.1``, ``1/3``, or as a float where it is long.

    Example:
        >>> written(Fraction(1, 10)), written(Fraction(1, 3)), written(Fraction(0.1))
        ('0.1', '1/3', '0.1')
    """
    digits = repr(float(number))
    is_decimal = number.denominator > 1 and Fraction(digits) == number
    return digits if is_decimal or number.denominator > _SHORT else str(number)


def _meaning(part: NoisedPart) -> str:
    epsilon = written(part.epsilon)
    if part.is_by_distance:
        return (
            f"two values {written(part.reach)} apart cost ε = {epsilon}, and more the further apart they are;"
            f" over the whole range it is {written(part.cost.epsilon)}, and that is charged."
        )
    power = f"{math.exp(part.epsilon):.4g}" if part.epsilon < _LARGEST_POWER else "∞"
    return (
        f"ε = {epsilon} wherever the value lies between the bounds. Nothing published is more than"
        f" e^ε = {power} times as probable for one true value as for another."
    )

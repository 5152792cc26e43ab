"""What noise on a column guarantees, in exact numbers, before anything is drawn."""

import math
from fractions import Fraction

from qidguard.sdk import DeclarationError, NoisedPart
from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale

MECHANISM = "discrete_laplace"
_LEAST, _MOST = Fraction(1, 2**40), Fraction(2**60)
"""Scales that are drawn, in steps."""


def reach_of(column: NoisedColumn, scale: NoiseScale) -> Fraction:
    """Return how far apart values may be that ε tells of, in the column's unit: the range or one unit."""
    return column.width if scale is NoiseScale.RANGE else min(Fraction(1), column.width)


def scale_in_steps(column: NoisedColumn, epsilon: Fraction, scale: NoiseScale) -> float:
    """Return the least scale whose loss over the reach, rounded up to a float, is at most ε.

    A quotient of floats overshoots half the time. So ε is rounded down and the scale up; the loss that
    OpenDP's ``map`` gives for it is then at most ε exactly.

    Args:
        column: The column.
        epsilon: ε of values that lie one reach apart, > 0.
        scale: What the scale is made for.

    Returns:
        The scale of discrete Laplace noise, in steps of the column's grid.

    Raises:
        DeclarationError: When ε is not above 0 or gives a scale that cannot be drawn, or one unit is no whole
            number of steps.

    Example:
        >>> age = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))
        >>> scale_in_steps(age, Fraction(1, 10), NoiseScale.RANGE), 73 / 0.1
        (730.0000000000001, 730.0)
    """
    if epsilon <= 0:
        raise DeclarationError(f"ε of {column.name!r} must be above 0, not {epsilon}; ask for a positive one")
    reach = reach_of(column, scale)
    steps = reach / column.step
    if steps.denominator != 1:
        raise DeclarationError(
            f"the unit scale is made for values of {column.name!r} that are 1 apart, and its step is"
            f" {column.step}; declare a step that divides 1, or ask for the range scale"
        )
    claimed = claimed_epsilon(column, epsilon, scale)
    if not _LEAST <= steps / claimed <= _MOST:
        raise DeclarationError(
            f"this ε on {column.name!r} asks for noise of 10^{_power_of_ten(steps / claimed)} steps, and"
            f" only {float(_LEAST):.0e} to {float(_MOST):.0e} can be drawn; ask for another ε or step"
        )
    return float_above(steps / Fraction(float_below(claimed)))


def claimed_epsilon(column: NoisedColumn, epsilon: Fraction, scale: NoiseScale) -> Fraction:
    """Return ε over the reach: less than is asked for where the bounds are less than one unit apart."""
    return epsilon if scale is NoiseScale.RANGE else epsilon * reach_of(column, scale)


def noised_part(
    column: NoisedColumn, *, epsilon: Fraction, scale: NoiseScale, partition: str = ""
) -> NoisedPart:
    """Return what noise on one column in one partition guarantees.

    Args:
        column: The column.
        epsilon: ε, > 0: of the value wherever it lies, at range scale; of two values one unit apart, at unit
            scale.
        scale: ``range`` for the scale (U − L)/ε, ``unit`` for 1/ε.
        partition: The part of the table; empty for all records.

    Raises:
        DeclarationError: As of ``scale_in_steps``.

    Example:
        >>> age = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))
        >>> unit = noised_part(age, epsilon=Fraction(3), scale=NoiseScale.UNIT)
        >>> round(float(unit.scale), 4), unit.is_by_distance, unit.cost.text
        (0.3333, True, 'ε = 219')
    """
    return NoisedPart(
        columns=(column.name,),
        mechanism=MECHANISM,
        scale=Fraction(scale_in_steps(column, epsilon, scale)) * column.step,
        reach=reach_of(column, scale),
        bounds=column.bounds,
        epsilon=claimed_epsilon(column, epsilon, scale),
        partition=partition,
    )


def float_above(number: Fraction) -> float:
    """Return the least float that is not below a number."""
    near = float(number)
    return near if near >= number else math.nextafter(near, math.inf)


def _power_of_ten(number: Fraction) -> int:
    """Return the order of magnitude of numbers that may be too large or too small for a float."""
    return len(str(number.numerator)) - len(str(number.denominator))


def float_below(number: Fraction) -> float:
    """Return the largest float that is not above a number."""
    near = float(number)
    return near if near <= number else math.nextafter(near, 0.0)

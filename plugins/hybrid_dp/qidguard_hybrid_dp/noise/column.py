"""A column that gets noise: its declared bounds, and the grid of whole steps that noise is drawn on."""

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import DeclarationError, ValueType

_EXACT = 2**52
"""Up to here whole numbers are exact as floats, with a bit to spare."""
_MOST_STEPS = 2**50
_FINE = 2**16
"""The fewest steps from bound to bound where nobody declares a step and values need not be whole."""


class NoiseScale(StrEnum):
    """What the scale of noise is made for: the range of the bounds, or one unit of the column."""

    RANGE = "range"
    UNIT = "unit"


@dataclass(frozen=True, kw_only=True)
class NoisedColumn:
    """A numeric column with declared bounds, on a grid: the multiples of ``step`` from bound to bound.

    Args:
        name: The column.
        bounds: The least and the largest value that the column may hold, in its unit. They are declared: what
            is read off the data tells of the data.
        step: The distance of neighboring values, > 0, in the column's unit; 1 where values are whole.

    Raises:
        DeclarationError: When the bounds are not in order or not on the grid, or the grid has more points
            than floats can tell apart.

    Example:
        >>> age = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))
        >>> age.steps, age.grid(np.array([16.0, 17.0, 30.4]))
        (73, array([ 0,  0, 13]))
    """

    name: str
    bounds: tuple[Fraction, Fraction]
    step: Fraction

    def __post_init__(self) -> None:
        low, high = self.bounds
        if not low < high:
            raise DeclarationError(
                f"the bounds of {self.name!r} must be two numbers, the lower one first, not {low} and {high};"
                " declare what the column may hold"
            )
        if self.step <= 0:
            raise DeclarationError(
                f"the step of {self.name!r} must be above 0, not {self.step}; declare another"
            )
        if (low / self.step).denominator != 1 or (high / self.step).denominator != 1:
            raise DeclarationError(
                f"the bounds of {self.name!r}, {low} and {high}, must be multiples of its step {self.step};"
                " widen them to the next multiples, or declare a finer step"
            )
        denominator = self.step.denominator
        if max(-low, high, Fraction(1)) * denominator > _EXACT or self.steps > _MOST_STEPS:
            raise DeclarationError(
                f"{self.name!r} would have more than {float(_MOST_STEPS):.0e} steps between its bounds, or"
                " values that floating-point numbers cannot tell apart; declare a coarser step, or tighter"
                " bounds"
            )

    @property
    def width(self) -> Fraction:
        """The distance of the bounds, in the column's unit."""
        return self.bounds[1] - self.bounds[0]

    @property
    def steps(self) -> int:
        """The distance of the bounds, in steps."""
        return int(self.width / self.step)

    def grid(self, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the nearest grid points of numbers without NaN, counted from the lower bound: 0..steps.

        What lies outside the bounds, infinities too, is moved to them. Halves go up, so that what lies one
        step apart stays one step apart.
        """
        low, high = map(float, self.bounds)
        nearest = np.floor(np.clip(numbers, low, high) / float(self.step) + 0.5).astype(np.int64)
        return np.clip(nearest - int(self.bounds[0] / self.step), 0, self.steps)

    def numbers(self, grid: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of grid points 0..steps, in the column's unit: the floats nearest to them."""
        multiples = grid + int(self.bounds[0] / self.step)
        return multiples * self.step.numerator / float(self.step.denominator)


def noised_column(
    name: str,
    value_type: ValueType,
    bounds: tuple[Fraction, Fraction] | None,
    step: Fraction | None = None,
) -> NoisedColumn:
    """Return the column with its step: the declared one, else one that depends on type and bounds alone.

    Args:
        name: The column.
        value_type: What the source's values are. Whole numbers have the step 1, and dates a day; other
            numbers the largest 1 / (d · 2^m) with the bounds' common denominator d that gives 65,536 steps
            at least.
        bounds: What it may hold, declared; dates in days since 1970-01-01.
        step: The declared step, in the column's unit.

    Raises:
        DeclarationError: When it holds no numbers, has no bounds, or bounds and step do not fit.

    Example:
        >>> tenths = Fraction(1, 10), Fraction(12, 10)
        >>> noised_column("dose", ValueType.NUMBER, tenths).step
        Fraction(1, 81920)
    """
    is_whole = value_type in {ValueType.INTEGER, ValueType.DATE}
    if not (is_whole or value_type is ValueType.NUMBER):
        raise DeclarationError(
            f"noise needs whole numbers, decimal numbers or dates, and {name!r} holds {value_type.value}"
            " values; publish a moment as its date, and leave any other column without noise"
        )
    if bounds is None:
        unit = ", in days since 1970-01-01" if value_type is ValueType.DATE else ""
        raise DeclarationError(
            f"{name!r} gets noise and has no bounds; declare what it may hold{unit}:"
            " bounds that are read off the data would tell of the data"
        )
    if is_whole and not all(number.denominator == 1 for number in (*bounds, step or Fraction(1))):
        raise DeclarationError(f"{name!r} holds whole numbers; declare bounds and step of {name!r} as such")
    if step is None:
        step = Fraction(1) if is_whole else _fine_step(*bounds)
    return NoisedColumn(name=name, bounds=bounds, step=step)


def _fine_step(low: Fraction, high: Fraction) -> Fraction:
    denominator = math.lcm(low.denominator, high.denominator)
    while 0 < (high - low) * denominator < _FINE:
        denominator *= 2
    return Fraction(1, denominator)

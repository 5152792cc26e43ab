"""The threshold τ of a risk 1/size, turned into a whole number of persons without rounding."""

from fractions import Fraction
from math import ceil

from qidguard.sdk import Parameter

LARGEST_SIZE = 2**63 - 1
"""No class has this many persons; stands for a threshold that every class exceeds."""

THRESHOLD = Parameter(
    name="threshold",
    type=float,
    default=0.05,
    minimum=0.0,
    maximum=1.0,
    meaning="risk τ that 1/size must exceed, strictly, to count; a share 0..1",
)


def smallest_size_at(threshold: float) -> int:
    """Compute the smallest class size whose risk 1/size is not above τ.

    1/size > τ holds exactly for size < ⌈1/τ⌉. τ is read as the decimal number a person wrote, so 0.05 is
    1/20 and not the binary number next to it; no floating-point division takes part.
    """
    exact = Fraction(repr(float(threshold)))
    if exact <= 0:
        return LARGEST_SIZE
    return min(ceil(1 / exact), LARGEST_SIZE)

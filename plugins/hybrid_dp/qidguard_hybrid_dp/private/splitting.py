"""A privacy budget split in exact numbers."""

from collections.abc import Sequence
from fractions import Fraction


def split(total: Fraction, weights: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the shares of ``total`` that are as the weights; they add up to it exactly.

    Raises:
        ValueError: When there is no weight, or one that is not above 0.

    Example:
        >>> split(Fraction(1), [Fraction(1), Fraction(2)])
        (Fraction(1, 3), Fraction(2, 3))
    """
    if not weights or min(weights) <= 0:
        raise ValueError("a budget is split by weights above 0, at least one")
    everything = sum(weights, Fraction(0))
    return tuple(total * weight / everything for weight in weights)

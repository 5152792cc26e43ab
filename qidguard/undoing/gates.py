"""What keeps chance out: precision, lift over what the published value tells, and a Poisson bound."""

import math

PRECISION = 0.95
"""The share of the told that must be right, and the certainty from which a record counts as told."""

MOST_WRONG = 0.2
"""What is wrong must stay below this share of what would be wrong without the columns."""

MOST_CHANCE = 1e-6
"""The probability of so few wrong by chance."""


def is_beyond_chance(right: float, wrong: float, expected_wrong: float) -> bool:
    """Return whether told values are too often right for chance.

    Args:
        right: Persons told and right.
        wrong: Persons told and wrong.
        expected_wrong: How many of the same guesses would be wrong by what is published of the QID alone.
    """
    if right <= 0 or right < PRECISION * (right + wrong) or wrong > MOST_WRONG * expected_wrong:
        return False
    return poisson_at_most(math.floor(wrong + 1e-9), expected_wrong) <= MOST_CHANCE


def poisson_at_most(count: int, mean: float) -> float:
    """Return P(N ≤ count) of a Poisson variable.

    Example:
        >>> round(poisson_at_most(1, 2.0), 4)
        0.406
    """
    if mean <= 0:
        return 1.0
    if count < mean:
        # Chernoff's bound is enough where it is far below every limit, and costs nothing for large counts
        bound = -mean + count + (count * math.log(mean / count) if count else 0.0)
        if bound < -40:  # noqa: PLR2004 - e^−40 is far below any limit in use
            return math.exp(bound)
    terms = (k * math.log(mean) - mean - math.lgamma(k + 1) for k in range(count + 1))
    return min(1.0, math.fsum(math.exp(term) for term in terms))

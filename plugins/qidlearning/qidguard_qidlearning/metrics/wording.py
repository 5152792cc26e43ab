"""What several metrics share: the sentences of their explanations, their scales and their edges."""

import math
from typing import TypedDict

from qidguard.sdk import Direction, Unit

PAPER = (
    "Simões, Vilela, Santos & Abreu 2025, QIDLearningLib: A Python Library for Quasi-Identifier "
    "Recognition and Evaluation"
)

QID_NULL = (
    "NULL in a QID is a value of its own: records that lack it form classes of their own and none is dropped."
)

EMPTY = "Not measurable: the table has no records."

NO_LIMIT = "No source sets a number for it: the limit is your own, to be reasoned and written down."

SMALLEST_CLASS = (
    "With an entity column a person is an entity, who counts with the smallest class that they appear in: so "
    "the figure stays in its range, and one more QID never makes it safer."
)

ATTRIBUTE_NULL = (
    f"{QID_NULL} NULL in the attribute is a value of its own as well, so that a class's shares add up to 1."
)

NUMBER_NULL = (
    f"{QID_NULL} Where the target is NULL, NaN, infinite or suppressed the record has no number and is left "
    "out of its class's value; a class without any number has no value and is left out of the headline."
)

ENTITY_SHARES = (
    "With an entity column a value's persons are the distinct entities that have it in the class; one entity "
    "with two values counts for both, and shares are taken of the sum over the values."
)

HEADLINE = "The parameter statistic picks the minimum, the maximum or a mean over the classes."

UTILITY_GOOD = (
    f"{NO_LIMIT} It describes what the QIDs tell about the target, which is wanted for a model and unwanted "
    "where the target must not be guessed; so neither side is called safe."
)

CAUSAL_GOOD = (
    f"{NO_LIMIT} It describes what the QIDs tell about the treatment, which the paper wants large in a"
    " search for quasi-identifiers and a study wants small; so neither side is called safe."
)


class ClassScale(TypedDict):
    """What a figure counts, between which bounds, and which way it gets safer."""

    unit: Unit
    minimum: float
    maximum: float
    direction: Direction


def scale(unit: Unit, minimum: float, maximum: float, direction: Direction = Direction.NEITHER) -> ClassScale:
    """Return a scale; where nothing is said of its direction, neither way is safer.

    Example:
        >>> scale(Unit.SHARE, 0.0, 1.0)["maximum"]
        1.0
    """
    return {"unit": unit, "minimum": minimum, "maximum": maximum, "direction": direction}


SHARE_LOWER = scale(Unit.SHARE, 0.0, 1.0, Direction.LOWER_IS_SAFER)
SHARE = scale(Unit.SHARE, 0.0, 1.0)
BITS = scale(Unit.BITS, 0.0, math.inf)
SCORE = scale(Unit.SCORE, 0.0, math.inf)
"""Unit and bounds; where no name says which way is safer, neither is."""

"""What several metrics share: the sentences of their explanations, their scales and their edges."""

import math
from typing import TypedDict

from qidguard.sdk import Direction, Unit

QID_NULL = (
    "NULL in a QID is a value of its own: records that lack it form classes of their own and none is dropped."
)

SENSITIVE_NULL = f"{QID_NULL} NULL in the sensitive attribute is a value of its own as well."

EMPTY = "Not measurable: the table has no records."

NO_LIMIT = "No source sets a number for it: the limit is your own, to be reasoned and written down."

ENTITY_SHARES = (
    "With an entity column a value's persons are the distinct entities that have it in the class; one entity "
    "with two values counts for both, and shares are taken of the sum over the values."
)

COVERED = (
    "Not measurable where a class is absent from the population table, or larger than there: then the table "
    "is no part of that population and the figure would be fiction."
)


class MetricScale(TypedDict):
    """What a figure counts, between which bounds, and which way it gets safer."""

    unit: Unit
    minimum: float
    maximum: float
    direction: Direction


def scale(
    unit: Unit, minimum: float, maximum: float, direction: Direction = Direction.NEITHER
) -> MetricScale:
    """Return a scale; where nothing is said of its direction, neither way is safer.

    Example:
        >>> scale(Unit.SHARE, 0.0, 1.0)["maximum"]
        1.0
    """
    return {"unit": unit, "minimum": minimum, "maximum": maximum, "direction": direction}


class MetricEdges(TypedDict):
    """What NULL and an empty table give."""

    missing: str
    empty: str


SHARE_LOWER = scale(Unit.SHARE, 0.0, 1.0, Direction.LOWER_IS_SAFER)
RATIO_LOWER = scale(Unit.RATIO, 0.0, 1.0, Direction.LOWER_IS_SAFER)
NATS_LOWER = scale(Unit.NATS, 0.0, math.inf, Direction.LOWER_IS_SAFER)
PERSONS_LOWER = scale(Unit.PERSONS, 0, math.inf, Direction.LOWER_IS_SAFER)
PERSONS_HIGHER = scale(Unit.PERSONS, 1, math.inf, Direction.HIGHER_IS_SAFER)
VALUES_HIGHER = scale(Unit.VALUES, 1, math.inf, Direction.HIGHER_IS_SAFER)
"""Unit and bounds, by which way is safer."""

BY_CLASSES: MetricEdges = {"missing": QID_NULL, "empty": EMPTY}
BY_SENSITIVE: MetricEdges = {"missing": SENSITIVE_NULL, "empty": EMPTY}
"""Of metrics of classes, and of a sensitive attribute in them."""

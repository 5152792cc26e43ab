"""The ``privacy_budget`` section, in exact numbers: what is spent is a fraction, never a float."""

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from qidguard.core import exact
from qidguard.policy.section import LARGEST_NUMBER, Section, refusal, shown
from qidguard.policy.values import Phrase

_PATTERN = r"[0-9]{1,100}(/0*[1-9][0-9]{0,99}|(\.[0-9]{1,100})?([eE][+-]?[0-9]{1,2})?)$"

AS_TEXT = PlainSerializer(str, return_type=str)
"""Beside a validator of exact numbers: outside the policy they stand as text, such as ``1/10``."""


def exact_number(value: object) -> Fraction:
    """Return a number as the person who wrote it meant it: 0.1 is a tenth and not the float beside it."""
    try:
        number = exact.exact_number(value, shown(value))
    except ValueError as fault:
        raise refusal(str(fault)) from None
    if number < 0 and isinstance(value, str):
        raise refusal(f"must be at least 0, not {shown(value)}")
    return number


def above_zero(value: object) -> Fraction:
    """Return an exact number above 0 and at most 1e15."""
    number = exact_number(value)
    if not 0 < number <= LARGEST_NUMBER:
        raise refusal(f"must be above 0 and at most {LARGEST_NUMBER:g}, not {shown(value)}")
    return number


def below_one(value: object) -> Fraction:
    """Return an exact number of at least 0 and below 1."""
    number = exact_number(value)
    if not 0 <= number < 1:
        raise refusal(f"must be at least 0 and below 1, not {shown(value)}")
    return number


SCHEMAS: dict[Callable[[object], Fraction], dict[str, Any]] = {
    above_zero: {
        "anyOf": [
            {"type": "number", "exclusiveMinimum": 0, "maximum": LARGEST_NUMBER},
            {"type": "string", "pattern": f"^(?=[0-9.]*[1-9]){_PATTERN}"},
        ]
    },
    # whether a text is below 1 takes arithmetic, which only the loader does
    below_one: {
        "anyOf": [
            {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
            {"type": "string", "pattern": f"^{_PATTERN}"},
        ]
    },
}
"""Validator → the JSON Schema of what it takes."""


Epsilon = Annotated[
    Fraction, PlainValidator(above_zero), AS_TEXT, WithJsonSchema(SCHEMAS[above_zero], mode="validation")
]
Delta = Annotated[
    Fraction, PlainValidator(below_one), AS_TEXT, WithJsonSchema(SCHEMAS[below_one], mode="validation")
]


class PrivacyBudget(Section):
    """What all releases of a data set together may spend: (ε, δ)-differential privacy, in exact numbers.

    Example:
        >>> budget = PrivacyBudget(epsilon=0.1, delta="1/1000000")
        >>> budget.epsilon, budget.delta
        (Fraction(1, 10), Fraction(1, 1000000))
    """

    epsilon: Epsilon = Field(
        description="The largest ε, in nats; a number or a fraction in quotes.", examples=[1, "1/3"]
    )
    delta: Delta = Field(
        default=Fraction(0),
        description="The largest δ, a probability; a number or a fraction in quotes.",
        examples=[1e-6],
    )
    unit: Literal["record", "person"] = Field(
        default="record",
        description="Whose data the noise has to protect at least: a record, or all records of a person.",
        examples=["person"],
    )
    population: Phrase | None = Field(
        default=None,
        description="Whose privacy is spent; data sets with the same population share one budget.",
        examples=["patients of St. Mary 2026"],
    )

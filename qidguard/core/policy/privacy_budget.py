"""The ``privacy_budget`` section: how much differential privacy may be spent, and on whom."""

from fractions import Fraction
from typing import Annotated

from pydantic import Field, PlainValidator, WithJsonSchema

from qidguard.core.policy.exact import AS_TEXT, SCHEMAS, above_zero, below_one
from qidguard.core.policy.section import Section
from qidguard.core.policy.values import Phrase

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
    population: Phrase | None = Field(
        default=None,
        description="Whose privacy is spent; data sets with the same population share one budget.",
        examples=["patients of St. Mary 2026"],
    )

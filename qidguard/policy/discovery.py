"""The ``discovery`` section: how quasi-identifiers are searched for."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from qidguard.policy.section import Section, entries, refusal, shown
from qidguard.policy.values import Count, Number, Parameters, Phrase, number, phrase, whole_number

DEFAULT_OBJECTIVE = "recognition"
"""The objective where nobody names one."""


def _objective(value: object) -> str | Mapping[str, float]:
    if not isinstance(value, Mapping):
        if isinstance(value, str):
            return phrase(value)
        raise refusal(f"must be the name of an objective, or metrics with weights, not {shown(value)}")
    if not value:
        raise refusal("must weigh at least one metric")
    value = entries(value)
    for name, weight in value.items():
        try:
            number(weight)
        except PydanticCustomError as error:
            raise refusal(error.message(), at=name) from None
    if not any(value.values()):
        raise refusal("weighs every metric with 0, so no set would be better than another")
    return MappingProxyType(dict(value))


def _plain(value: str | Mapping[str, float]) -> str | dict[str, float]:
    return value if isinstance(value, str) else dict(value)


_Weights = Annotated[dict[str, float], Field(min_length=1)]

ObjectiveOf = Annotated[
    str | Mapping[str, float],
    PlainValidator(_objective, json_schema_input_type=Annotated[str, Field(min_length=1)] | _Weights),
    PlainSerializer(_plain, return_type=Any),
]
Seconds = Annotated[Number, Field(gt=0), WithJsonSchema({"type": "number", "exclusiveMinimum": 0})]


class DiscoverySettings(Section):
    """How quasi-identifiers are searched for: by ``qidguard discover``, and by ``quasi_identifiers: auto``.

    Example:
        >>> DiscoverySettings(objective={"distinction": 5, "separation": 0.5}).objective["distinction"]
        5
    """

    strategy: Phrase | None = Field(
        default=None,
        description="The name of a search strategy; without it, the number of candidates decides.",
        examples=["evolutionary"],
    )
    objective: ObjectiveOf = Field(
        default=DEFAULT_OBJECTIVE,
        description="What is maximized: the name of an objective, or metrics with their weights.",
        examples=["recognition", {"distinction": 5, "separation": 0.5}],
    )
    parameters: Parameters = Field(
        default_factory=lambda: MappingProxyType({}),
        description="The strategy's own parameters, by name.",
        examples=[{"population": 50}],
    )
    seed: Annotated[int, Field(ge=0), BeforeValidator(partial(whole_number, least=0))] = Field(
        default=0, description="The seed of what the strategy draws at random.", examples=[0]
    )
    budget_seconds: Seconds | None = Field(
        default=None,
        description="Seconds after which a search stops; one that a verdict rests on blocks when it does.",
        examples=[300],
    )
    largest: Count | None = Field(
        default=None, description="The largest number of columns a set may have.", examples=[6]
    )
    prefer_known: bool | None = Field(
        default=None,
        description="Whether sets of columns that outsiders can plausibly know are preferred to what is"
        " merely distinct; without it, `discover` does so among more than 15 candidates, an audit does not.",
        examples=[False],
    )

    @model_validator(mode="after")
    def _has_a_strategy(self) -> Self:
        if self.parameters and self.strategy is None:
            raise refusal(
                "has parameters but no strategy they belong to",
                remedy="name one, for example strategy: evolutionary",
            )
        return self

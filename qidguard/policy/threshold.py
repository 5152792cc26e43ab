"""Thresholds, what the attacker knows, QID combinations and attestations."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from qidguard.core.noised import NoisedReading
from qidguard.core.verdict import Bound, Limit
from qidguard.policy.section import Section, refusal, shown
from qidguard.policy.values import (
    Count,
    Day,
    Listed,
    Number,
    OneOrMore,
    Parameters,
    Phrase,
    SomeColumns,
    whole_number,
)


class Threshold(Section):
    """What one metric must reach: exactly one of ``at_least`` and ``at_most``.

    Example:
        >>> Threshold(metric="k_anonymity", at_least=5).text
        'k_anonymity ≥ 5'
    """

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {
                    "required": [bound],
                    "properties": {bound: {"type": "number"}, other: {"type": "null"}},
                }
                for bound, other in (("at_least", "at_most"), ("at_most", "at_least"))
            ]
        }
    )

    metric: Phrase = Field(
        description="The name of a metric, as `qidguard plugins` lists them.", examples=["k_anonymity"]
    )
    at_least: Number | None = Field(
        default=None, description="The smallest figure allowed, in the metric's unit.", examples=[5]
    )
    at_most: Number | None = Field(
        default=None, description="The largest figure allowed, in the metric's unit.", examples=[0.2]
    )
    sensitive: OneOrMore | None = Field(
        default=None,
        description="The sensitive attributes it is measured for; without it, each one.",
        examples=["diagnosis"],
    )
    parameters: Parameters = Field(
        default_factory=lambda: MappingProxyType({}),
        description="The metric's own parameters, by name.",
        examples=[{"k": 5}],
    )
    on_miss: Literal["block", "warn"] = Field(
        default="block",
        description="Whether a figure beyond the limit blocks the release or is only reported.",
        examples=["warn"],
    )
    noised: Literal["as_published", "left_out"] = Field(
        default="as_published",
        description="How QIDs are read that a remedy draws noise for: as_published, as if the attacker knew"
        " their published values; left_out, it is measured over the other QIDs, and holds over these only.",
        examples=["left_out"],
    )

    @model_validator(mode="after")
    def _has_one_bound(self) -> Self:
        if (self.at_least is None) == (self.at_most is None):
            have = "neither at_least nor" if self.at_least is None else "both at_least and"
            raise refusal(f"has {have} at_most", remedy="write exactly one of them, for example at_least: 5")
        return self

    @property
    def bound(self) -> Bound:
        """Which side of the limit is allowed."""
        return Bound.AT_MOST if self.at_least is None else Bound.AT_LEAST

    @property
    def value(self) -> int | float:
        """The limit, in the metric's unit."""
        if self.at_least is not None:
            return self.at_least
        if self.at_most is not None:
            return self.at_most
        raise AssertionError("a threshold has one bound")  # pragma: no cover - checked when it was made

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive attributes it names; empty where it holds for each of them."""
        if self.sensitive is None:
            return ()
        return (self.sensitive,) if isinstance(self.sensitive, str) else self.sensitive

    @property
    def text(self) -> str:
        """The threshold on one line, such as ``k_anonymity ≥ 5``."""
        given = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        sign = "≥" if self.bound is Bound.AT_LEAST else "≤"
        of = f" of {', '.join(self.sensitive_columns)}" if self.sensitive else ""
        without = " without noised columns" if self.reading is NoisedReading.LEFT_OUT else ""
        return f"{self.metric}{f'({given})' if given else ''}{of} {sign} {self.value}{without}"

    @property
    def reading(self) -> NoisedReading:
        """How it reads quasi-identifiers with noise."""
        return NoisedReading(self.noised)

    def limit(self, combination: str = "default") -> Limit:
        """Return the limit as verdicts judge it, for the QID combination of this name."""
        return Limit(
            bound=self.bound,
            value=self.value,
            combination=combination,
            is_blocking=self.on_miss == "block",
        )


class KnowsAny(Section):
    """An attacker who knows any m of the QIDs: each subset of m columns is measured, the worst one counts.

    Example:
        >>> KnowsAny(knows_any=2).knows_any
        2
    """

    knows_any: Count = Field(description="How many of the QIDs the attacker knows, at least 1.", examples=[2])


def _attacker(value: object) -> object:
    if isinstance(value, KnowsAny) or value == "all":
        return value
    if not isinstance(value, Mapping) or set(value) != {"knows_any"}:
        raise refusal(f"must be all, or knows_any with a number, not {shown(value)}")
    try:
        return KnowsAny.model_construct(knows_any=whole_number(value["knows_any"]))
    except PydanticCustomError as error:
        raise refusal(error.message(), at="knows_any") from None


Attacker = Annotated[Literal["all"] | KnowsAny, BeforeValidator(_attacker)]


class Combination(Section):
    """A QID combination with its own thresholds, measured beside the main one.

    Example:
        >>> Combination(name="voter list", quasi_identifiers=["age", "sex"]).attacker
        'all'
    """

    name: Phrase = Field(description="What reports call it; not `default`.", examples=["voter list"])
    quasi_identifiers: SomeColumns = Field(description="Its columns.", examples=[["age", "sex"]])
    attacker: Attacker = Field(
        default="all", description="Which of its columns the attacker knows.", examples=[{"knows_any": 2}]
    )
    thresholds: Annotated[tuple[Threshold, ...], Listed] = Field(
        default=(), description="What it must reach, beside the preset's thresholds."
    )


class Attestation(Section):
    """What a person states because no tool can certify it.

    Example:
        >>> Attestation(statement="no actual knowledge", by="A. Roe", on="2026-05-01").on.year
        2026
    """

    statement: Phrase = Field(
        description="What is attested.",
        examples=["we do not know of a way to identify anyone"],
    )
    by: Phrase = Field(description="Who attests it.", examples=["A. Roe, privacy officer"])
    on: Day = Field(description="The day it was attested.", examples=["2026-05-01"])

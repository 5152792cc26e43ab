"""The ``evidence`` section: what a release's evidence needs, a tool cannot know and a person states."""

from types import MappingProxyType
from typing import Literal

from pydantic import Field

from qidguard.policy.section import Section
from qidguard.policy.values import Day, Phrase, PhraseByColumn


class StatedEvidence(Section):
    """What persons state for the record of a release; it is repeated there, and nothing of it is checked.

    Example:
        >>> StatedEvidence(title="Discharges of 2025", model="public", columns={"age": "teaching"}).columns[
        ...     "age"
        ... ]
        'teaching'
    """

    title: Phrase | None = Field(
        default=None, description="What the release is called.", examples=["Discharges of 2025"]
    )
    sponsor: Phrase | None = Field(
        default=None, description="Who has the data published.", examples=["Ministry of Health"]
    )
    signatory: Phrase | None = Field(
        default=None,
        description="Who answers for the decision to publish.",
        examples=["A. Roe, privacy officer"],
    )
    risk_statement: Phrase | None = Field(
        default=None,
        description="The risk that remains, in one sentence.",
        examples=["The risk that anyone is identified is very small."],
    )
    limitations: Phrase | None = Field(
        default=None,
        description="What the decision does not cover.",
        examples=["Family members who know of a stay were not considered."],
    )
    sources: Phrase | None = Field(
        default=None, description="Where the data come from.", examples=["Discharge register of St. Mary"]
    )
    assumptions: Phrase | None = Field(
        default=None,
        description="What the decision takes for granted.",
        examples=["Nobody knows more than age, sex and postcode."],
    )
    purpose: Phrase | None = Field(
        default=None, description="What the data are published for.", examples=["Research on readmission"]
    )
    recipients: Phrase | None = Field(
        default=None, description="Who receives the data.", examples=["Anybody"]
    )
    data_flow: Phrase | None = Field(
        default=None,
        description="How the data travel from their source to the recipients.",
        examples=["Register, statistics office, website"],
    )
    threshold_rationale: Phrase | None = Field(
        default=None,
        description="Why the thresholds are as they are.",
        examples=["EMA policy 0070 asks for classes of 11."],
    )
    attack_model: Phrase | None = Field(
        default=None,
        description="Whom the decision protects against.",
        examples=["A neighbor who knows of the stay"],
    )
    population_basis: Phrase | None = Field(
        default=None,
        description="The population that risk is measured against.",
        examples=["All patients of the region"],
    )
    transfer: Phrase | None = Field(
        default=None, description="How the data reach the recipients safely.", examples=["Download over TLS"]
    )
    disposal: Phrase | None = Field(
        default=None,
        description="What becomes of the data afterward.",
        examples=["Deleted by the recipients after five years"],
    )
    data_as_of: Day | None = Field(
        default=None, description="The day up to which the data were collected.", examples=["2025-12-31"]
    )
    series: Literal["single", "series", "re-release"] | None = Field(
        default=None,
        description="Whether more releases follow, or this one replaces another.",
        examples=["single"],
    )
    model: Literal["public", "controlled", "internal"] | None = Field(
        default=None,
        description="Who can get at the data: everybody, those who agreed to terms, or the house.",
        examples=["public"],
    )
    columns: PhraseByColumn = Field(
        default_factory=lambda: MappingProxyType({}),
        description="Why a column is published, by column.",
        examples=[{"age": "readmission depends on it"}],
    )

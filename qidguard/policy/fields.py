"""What stands in a policy: every field, and its short sections, without the rules between them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, model_validator

from qidguard.core.kind import ColumnKind
from qidguard.policy.accepted import Acceptance
from qidguard.policy.discovery import DiscoverySettings
from qidguard.policy.evidence import StatedEvidence
from qidguard.policy.exceptions import Exceptions
from qidguard.policy.hierarchies import HierarchyByColumn
from qidguard.policy.preset import PRESETS
from qidguard.policy.privacy_budget import PrivacyBudget
from qidguard.policy.release import ReleaseSettings, RemedySettings
from qidguard.policy.roles import Roles
from qidguard.policy.section import Section, by_key, refusal, shown
from qidguard.policy.series import Series
from qidguard.policy.source import MemorySize, Population, Source
from qidguard.policy.tables import USUAL_SHIFT, LinkedTables, ShiftDays
from qidguard.policy.threshold import Attacker, Attestation, Combination, Threshold
from qidguard.policy.values import AS_DICT, UNIQUE, Count, Day, Fraction, Listed, Phrase, phrase


class Telling(Section):
    """How strict the search for columns that undo a generalization is.

    Example:
        >>> Telling(some="block").some, Telling().some
        ('block', 'note')
    """

    some: Literal["note", "block"] = Field(
        default="note",
        description="What columns tell of some persons only is a note; or their candidates are counted, and a"
        " k_anonymity limit that these miss blocks, as does whatever could not be examined. What is known of"
        " some to whoever knows their quasi-identifiers always counts.",
        examples=["block"],
    )


def _words(words: object) -> tuple[str, ...]:
    if not isinstance(words, (list, tuple)) or not words:
        raise refusal(f"must be a list of words, not {shown(words)}")
    for word in words:
        if not isinstance(word, str) or not word.strip():
            raise refusal(f"must be a list of words, not of {shown(word)}")
    return tuple(words)


_Words = Annotated[tuple[Phrase, ...], Field(min_length=1), BeforeValidator(_words)]


class LexiconSettings(Section):
    """Words that recognizers of names know under this policy.

    Example:
        >>> LexiconSettings(words={"income_wealth": ["gage"]}).words["income_wealth"]
        ('gage',)
    """

    path: Phrase | None = Field(
        default=None,
        description="A TOML file of concepts and words, or a folder of them; relative to the policy's file.",
        examples=["lexicon"],
    )
    words: Annotated[
        Mapping[str, _Words],
        by_key("concepts to lists of words"),
        PlainSerializer(lambda value: {k: list(v) for k, v in value.items()}, return_type=Any),
    ] = Field(
        default_factory=lambda: MappingProxyType({}),
        description="More words for concepts that recognizers know, by concept.",
        examples=[{"income_wealth": ["gage", "stipend"]}],
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.path is None and not self.words:
            raise refusal("names neither a path nor words", remedy="write path: or words:")
        return self


def _spelled_out(value: object) -> object:
    return {"path": phrase(value)} if isinstance(value, str) else value


Lexicon = Annotated[
    LexiconSettings, BeforeValidator(_spelled_out, json_schema_input_type=LexiconSettings | Phrase)
]
_LEAST = 2


def _order(given: object) -> tuple[str, ...]:
    if not isinstance(given, (list, tuple)) or len(given) < _LEAST:
        raise refusal("must list at least two values, from the first to the last")
    for position, one in enumerate(given):
        if not isinstance(one, str):
            raise refusal(f"lists {shown(one)}, which is not text", remedy="put it in quotes")
        if one in given[:position]:
            raise refusal(f"lists {shown(one)} twice", remedy="keep one of them")
    return tuple(given)


KindByColumn = Annotated[
    Mapping[str, Annotated[ColumnKind, Field(strict=False)]],
    by_key("columns"),
    PlainSerializer(lambda kinds: {c: kind.value for c, kind in kinds.items()}, return_type=dict[str, str]),
    WithJsonSchema(
        {"type": "object", "additionalProperties": {"type": "string", "enum": [*map(str, ColumnKind)]}}
    ),
]

_Order = Annotated[
    tuple[str, ...], Field(min_length=_LEAST, json_schema_extra=UNIQUE), BeforeValidator(_order)
]
OrderByColumn = Annotated[Mapping[str, _Order], by_key("columns"), AS_DICT]


FORMAT_VERSION = 1


def _version(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise refusal(f"must be the number of the policy format, not {shown(value)}")
    if value > FORMAT_VERSION:
        raise refusal(
            f"says format {shown(value)}, and this qidguard reads format {FORMAT_VERSION}",
            remedy="install a newer qidguard",
        )
    if value != FORMAT_VERSION:
        raise refusal(f"must be {FORMAT_VERSION}, not {shown(value)}")
    return value


class _OfPresets:
    """Lists the presets in a schema; they are read only where one is made."""

    def __get_pydantic_json_schema__(self, _: object, __: object) -> dict[str, Any]:
        return {"type": "string", "enum": list(PRESETS)}


PresetName = Annotated[str, _OfPresets()]


class PolicyFields(Section):
    """The fields of a policy."""

    qidguard: Annotated[Literal[1], BeforeValidator(_version)] = Field(
        description="The version of the policy format.", examples=[1]
    )
    name: Phrase = Field(description="What reports call the policy.", examples=["hospital public file"])
    description: str = Field(
        default="", description="Why it is as it is.", examples=["Public file for teaching."]
    )
    preset: PresetName | None = Field(
        default=None,
        description="A preset whose thresholds hold beside the policy's own; see `qidguard policy presets`.",
        examples=["pdpc-sg-5"],
    )
    review_by: Day | None = Field(
        default=None,
        description="The day on which the policy must be looked at again.",
        examples=["2027-05-01"],
    )
    attestations: Annotated[tuple[Attestation, ...], Listed] = Field(
        default=(), description="What persons state because no tool can certify it."
    )
    source: Source = Field(default_factory=Source, description="How the table is read.")
    roles: Roles = Field(
        description="What each column is to the people in the table.",
        examples=[{"quasi_identifiers": ["age", "sex"]}],
    )
    tables: LinkedTables = Field(
        default_factory=lambda: MappingProxyType({}),
        description="Several files of the same persons that are one data set, by name; in the place of"
        " source.path.",
        examples=[{"patients": {"path": "patients.csv"}}],
    )
    shift_days: ShiftDays = Field(
        default=USUAL_SHIFT,
        description="With tables: the most days by which a person's dates are moved, back or forth.",
        examples=[182],
    )
    kinds: KindByColumn = Field(
        default_factory=lambda: MappingProxyType({}),
        description="What the values of columns are; what stands here wins over what recognizers find.",
        examples=[{"education": "ordinal", "ward": "code"}],
    )
    order: OrderByColumn = Field(
        default_factory=lambda: MappingProxyType({}),
        description="The values of columns of texts from the first to the last; other texts have no order.",
        examples=[{"severity": ["low", "medium", "high"]}],
    )
    lexicon: Lexicon | None = Field(
        default=None,
        description="Words for names of columns beside those that recognizers know: a TOML file, a folder of"
        " them, or words by concept.",
        examples=["lexicon", {"words": {"income_wealth": ["gage"]}}],
    )
    discovery: DiscoverySettings | None = Field(
        default=None,
        description="How QIDs are searched for; beside quasi_identifiers: auto, what is found is one.",
    )
    unnamed_columns: Literal["block", "insensitive", "quasi_identifier"] = Field(
        default="block", description="What a column is that the policy does not name.", examples=["block"]
    )
    attacker: Attacker = Field(
        default="all", description="Which of the QIDs the attacker knows.", examples=[{"knows_any": 2}]
    )
    thresholds: Annotated[tuple[Threshold, ...], Listed] = Field(
        default=(), description="What the main combination, all QIDs above, must reach."
    )
    combinations: Annotated[tuple[Combination, ...], Listed] = Field(
        default=(), description="Further QID combinations, each with its own thresholds."
    )
    accepted: Annotated[tuple[Acceptance, ...], Listed] = Field(
        default=(),
        description="What a person accepts of published columns, each with a reason in words.",
        examples=[[{"columns": ["visit_no"], "reason": "a running number that nobody outside knows"}]],
    )
    undoing: Telling = Field(
        default_factory=Telling,
        description="What becomes of columns that tell a generalized value of some persons only.",
    )
    population: Population | None = Field(
        default=None, description="The table of the population that the audited table is a sample of."
    )
    sampling_fraction: Fraction | None = Field(
        default=None, description="Share of the population that is in the table.", examples=[0.05]
    )
    release: ReleaseSettings = Field(
        default_factory=ReleaseSettings,
        description="What is published of the table, in which form and where.",
    )
    remedy: RemedySettings | None = Field(
        default=None, description="The anonymizer that a table goes through before it is published."
    )
    hierarchies: HierarchyByColumn = Field(
        default_factory=lambda: MappingProxyType({}),
        description="How each QID may be generalized, by column.",
        examples=[{"age": {"intervals": [5, 10, 20]}}],
    )
    series: Series | None = Field(
        default=None,
        description="Who comes and leaves between releases, for a remedy that keeps a series releasable.",
        examples=[{"left_on": "left_on", "came_on": "admitted_on"}],
    )
    exceptions: Exceptions = Field(
        default_factory=Exceptions, description="Who may let a blocked release through, and for how long."
    )
    privacy_budget: PrivacyBudget | None = Field(
        default=None, description="What all releases of the data set together may spend."
    )
    evidence: StatedEvidence = Field(
        default_factory=StatedEvidence, description="What persons state for the record of a release."
    )
    engine: Phrase = Field(default="duckdb", description="The engine that measures.", examples=["duckdb"])
    memory_limit: MemorySize | None = Field(
        default=None, description="Memory beyond which the engine spills to disk.", examples=["4GB"]
    )
    threads: Count | None = Field(
        default=None,
        description="How many threads the engine takes, at most one for each processor; all if not written.",
        examples=[2],
    )
    spill_directory: Phrase | None = Field(
        default=None, description="Where the engine spills.", examples=["spill"]
    )

    @property
    def is_auto(self) -> bool:
        """Whether recognizers choose the QIDs."""
        return self.roles.is_auto

    @property
    def preset_thresholds(self) -> tuple[Threshold, ...]:
        """The thresholds of the preset; they hold for every combination, beside the policy's own."""
        return () if self.preset is None else PRESETS[self.preset].thresholds

    @property
    def measured_columns(self) -> tuple[str, ...]:
        """The columns that are measured beside classes only: sensitive, target and treatment, if no QIDs."""
        qids = {q for combination in self.combinations for q in combination.quasi_identifiers}
        used = () if self.is_auto else (self.roles.target, self.roles.treatment)
        qids |= set(() if self.is_auto else self.roles.qids)
        beside = (column for column in used if column is not None and column not in qids)
        sensitive = (column for column in self.roles.sensitive if column not in qids)
        return tuple(dict.fromkeys((*sensitive, *beside)))

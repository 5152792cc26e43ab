"""The policy: what must hold before a table may be published."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema, model_validator

from qidguard.core.policy.discovery import DiscoverySettings
from qidguard.core.policy.evidence import Evidence
from qidguard.core.policy.exceptions import Exceptions
from qidguard.core.policy.hierarchies import HierarchyByColumn
from qidguard.core.policy.origin import Origin, Path
from qidguard.core.policy.preset import PRESETS
from qidguard.core.policy.privacy_budget import PrivacyBudget
from qidguard.core.policy.refusal import choice, refusal, shown
from qidguard.core.policy.release import Release
from qidguard.core.policy.remedy import Remedy
from qidguard.core.policy.roles import Roles
from qidguard.core.policy.rules import broken_rules
from qidguard.core.policy.source import MemorySize, Population, Source
from qidguard.core.policy.threshold import Attacker, Attestation, Combination, Threshold
from qidguard.core.policy.values import Count, Day, Fraction, Listed, Phrase, Text
from qidguard.core.policy.written import Written

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


_UnnamedColumns = Literal["block", "insensitive", "quasi_identifier"]


PresetName = Annotated[Text, WithJsonSchema({"type": "string", "enum": list(PRESETS)}, mode="validation")]


class Policy(Written):
    """A written, reviewed statement of what must hold before a table may be published.

    Make one with ``load_policy``, whose errors name the line.

    Example:
        >>> policy = Policy(
        ...     qidguard=1,
        ...     name="demo",
        ...     roles={"quasi_identifiers": ["age", "sex"]},
        ...     thresholds=[{"metric": "k_anonymity", "at_least": 5}],
        ... )
        >>> policy.named_columns
        ('age', 'sex')
    """

    qidguard: Annotated[Literal[1], PlainValidator(_version, json_schema_input_type=Literal[1])] = Field(
        description="The version of the policy format.", examples=[1]
    )
    name: Phrase = Field(description="What reports call the policy.", examples=["hospital public file"])
    description: Text = Field(
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
    discovery: DiscoverySettings | None = Field(
        default=None,
        description="How QIDs are searched for; beside quasi_identifiers: auto, what is found is one.",
    )
    unnamed_columns: Annotated[
        _UnnamedColumns,
        PlainValidator(
            choice("block", "insensitive", "quasi_identifier"), json_schema_input_type=_UnnamedColumns
        ),
    ] = Field(
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
    population: Population | None = Field(
        default=None, description="The table of the population that the audited table is a sample of."
    )
    sampling_fraction: Fraction | None = Field(
        default=None, description="Share of the population that is in the table.", examples=[0.05]
    )
    release: Release = Field(
        default_factory=Release, description="What is published of the table, in which form and where."
    )
    remedy: Remedy | None = Field(
        default=None, description="The anonymiser that a table goes through before it is published."
    )
    hierarchies: HierarchyByColumn = Field(
        default_factory=lambda: MappingProxyType({}),
        description="How each QID may be generalised, by column.",
        examples=[{"age": {"intervals": [5, 10, 20]}}],
    )
    exceptions: Exceptions = Field(
        default_factory=Exceptions, description="Who may let a blocked release through, and for how long."
    )
    privacy_budget: PrivacyBudget | None = Field(
        default=None, description="What all releases of the data set together may spend."
    )
    evidence: Evidence = Field(
        default_factory=Evidence, description="What persons state for the record of a release."
    )
    engine: Phrase = Field(default="duckdb", description="The engine that measures.", examples=["duckdb"])
    memory_limit: MemorySize | None = Field(
        default=None, description="Memory beyond which the engine spills to disk.", examples=["4GB"]
    )
    threads: Count | None = Field(
        default=None, description="How many threads the engine takes; all if not written.", examples=[2]
    )
    spill_directory: Phrase | None = Field(
        default=None, description="Where the engine spills.", examples=["spill"]
    )

    @model_validator(mode="after")
    def _holds_together(self, info: ValidationInfo) -> Self:
        context: Mapping[str, Any] = info.context or {}
        self._origin = context.get("origin", Origin())
        complaints = list(broken_rules(self))
        if complaints:
            raise self._origin.error(complaints)
        return self

    @property
    def is_auto(self) -> bool:
        """Whether recognisers choose the QIDs."""
        return self.roles.is_auto

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Every column that the policy gives a role, once, in order."""
        others = (column for combination in self.combinations for column in combination.quasi_identifiers)
        return tuple(dict.fromkeys((*self.roles.named, *others)))

    @property
    def source_path(self) -> str | None:
        """Where the policy says that the table is, as seen from here; None where it does not say."""
        return None if self.source.path is None else self.beside(self.source.path)

    @property
    def dropped_columns(self) -> tuple[str, ...]:
        """The columns that a person decided never to publish; direct identifiers go besides."""
        return self.release.drop

    @property
    def decided_columns(self) -> tuple[str, ...]:
        """Every column that a person decided on: by a role, or by never publishing it."""
        return tuple(dict.fromkeys((*self.named_columns, *self.dropped_columns)))

    @property
    def mentioned_columns(self) -> tuple[str, ...]:
        """Every column that stands anywhere in the policy, once, in order; the table has to have each."""
        return tuple(dict.fromkeys((*self.decided_columns, *self.evidence.columns, *self.hierarchies)))

    @property
    def preset_thresholds(self) -> tuple[Threshold, ...]:
        """The thresholds of the preset; they hold for every combination, beside the policy's own."""
        return () if self.preset is None else PRESETS[self.preset].thresholds

    def all_combinations(self, quasi_identifiers: tuple[str, ...]) -> tuple[Combination, ...]:
        """Return what is measured: the main combination, named ``default``, and then the others.

        Each carries its own thresholds and the preset's, so that a policy cannot be laxer than its preset.
        An attacker who knows any m of fewer than m QIDs knows all of them.

        Args:
            quasi_identifiers: The QIDs of the main combination, as decided by the policy or by recognisers.

        Returns:
            At least one combination.

        Units:
            None.

        Raises:
            PolicyError: when there is no QID.

        Example:
            >>> from qidguard.core.policy import load_policy
            >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
            >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
            >>> [c.name for c in load_policy(fields).all_combinations(("age",))]
            ['default']
        """
        if not quasi_identifiers:
            sentence = "roles.quasi_identifiers finds no column; name at least one"
            raise self.error(sentence, "roles", "quasi_identifiers")
        attacker = self.attacker
        if not isinstance(attacker, str) and attacker.knows_any > len(quasi_identifiers):
            attacker = "all"
        main = Combination(
            name="default",
            quasi_identifiers=quasi_identifiers,
            attacker=attacker,
            thresholds=self.thresholds,
        )
        return tuple(self._with_preset(combination) for combination in (main, *self.combinations))

    def path_of_column(self, column: str) -> Path:
        """Return the path of the first place that names ``column``.

        Args:
            column: A column's name.

        Returns:
            Keys and positions, such as ``("roles", "quasi_identifiers", 0)``; empty where no place names it.

        Units:
            Positions, counted from 0.

        Raises:
            TypeError: When ``column`` is no text.

        Example:
            >>> from qidguard.core.policy import load_policy
            >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
            >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
            >>> load_policy(fields).path_of_column("age")
            ('roles', 'quasi_identifiers', 0)
        """
        for _, path, name in self.roles.places():
            if name == column:
                return path
        for at, combination in enumerate(self.combinations):
            if column in combination.quasi_identifiers:
                position = combination.quasi_identifiers.index(column)
                return ("combinations", at, "quasi_identifiers", position)
        if column in self.release.drop:
            return ("release", "drop", self.release.drop.index(column))
        if column in self.evidence.columns:
            return ("evidence", "columns", column)
        return ("hierarchies", column) if column in self.hierarchies else ()

    def _with_preset(self, combination: Combination) -> Combination:
        added = tuple(t for t in self.preset_thresholds if t not in combination.thresholds)
        return combination.model_copy(update={"thresholds": (*combination.thresholds, *added)})

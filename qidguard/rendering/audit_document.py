"""The audit document: every field once, with its words and limits, and the JSON Schema that follows."""

from collections.abc import Iterable
from operator import not_
from types import NoneType
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from qidguard.core.column import ValueType
from qidguard.core.errors import ExitCode
from qidguard.core.kind import ColumnKind, Tier
from qidguard.core.new_table import NewTableKind
from qidguard.core.parameter import ParameterValue
from qidguard.core.report import UndoneKind
from qidguard.core.role import DecidedBy, Role
from qidguard.core.statistic import Number
from qidguard.core.verdict import Bound

FORMAT: Final = "qidguard-audit/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""

_UNIT = Field(ge=0, le=1)
_BELOW_ONE = Field(ge=0, lt=1)
Names = tuple[str, ...]
Count = Annotated[int, Field(ge=0)]
# a whole number stays one: 1 is not written as 1.0
Share = Annotated[int, _UNIT] | Annotated[float, _UNIT]
ShareBelowOne = Annotated[int, _BELOW_ONE] | Annotated[float, _BELOW_ONE]
Seconds = Annotated[Count | Annotated[float, Field(ge=0)], AfterValidator(lambda taken: round(taken, 6))]


class DocumentPart(BaseModel):
    """An object that has all of its fields and no other."""

    model_config = ConfigDict(frozen=True, extra="forbid", from_attributes=True, hide_input_in_errors=True)

    @classmethod
    def of(cls, told: object, **own: object) -> Self:
        """Return the part: what is given, and of the rest what something else has under the same names.

        Example:
            >>> from qidguard.core.verdict import Block
            >>> BlockDocument.of(Block(rule="unnamed_columns", sentence="Name them."))
            BlockDocument(rule='unnamed_columns', sentence='Name them.', is_internal=False)
        """
        same = {name: getattr(told, name) for name in cls.model_fields if name not in own}
        return cls.model_validate(same | own)

    @classmethod
    def of_each(cls, told: Iterable[object]) -> tuple[Self, ...]:
        """Return one part for each."""
        return tuple(map(cls.of, told))

    @classmethod
    def of_any(cls, told: object) -> Self | None:
        """Return the part, and None of None."""
        return None if told is None else cls.of(told)


class CombinationPart(DocumentPart):
    """What is said of one QID combination."""

    combination: str = Field(description="The QID combination's name.")
    qids: Names = Field(description="Its columns.")


class PolicyDocument(DocumentPart):
    """The policy that was judged by; null where none was given."""

    name: str = Field(description="Its name.")
    sha256: str | None = Field(description="SHA-256 of its text, hexadecimal.")
    preset: str | None = Field(description="The preset that it builds on.")


class TableDocument(DocumentPart):
    """The size of the table."""

    records: Count = Field(description="Number of records.")
    entities: Count | None = Field(description="Number of entities; null without an entity column.")
    columns: Count = Field(description="Number of columns.")
    person: Literal["records", "entities"] = Field(description="What counts as a person.")


class NoisedQidsDocument(DocumentPart):
    """How QIDs with noise were read; null where none has any."""

    over: Names = Field(description="The columns that it was measured over, or any m of them.")
    as_published: Names = Field(description="Those with noise, as if an attacker knew what is published.")
    left_out: Names = Field(description="The QIDs with noise that were left out; it says nothing of them.")


class IntervalDocument(DocumentPart):
    """Where the truth of an estimate lies; null for what was counted and where nobody can say."""

    low: Number = Field(description="Its lower end, in the figure's unit.")
    high: Number = Field(description="Its upper end.")
    confidence: Number = Field(description="Share of samples whose interval holds the truth, 0..1.")


class ThresholdDocument(DocumentPart):
    """One limit and its figure."""

    metric: str = Field(description="The metric's name.")
    title: str = Field(description="The metric's title; empty where only its name is known.")
    combination: str = Field(description="The QID combination's name.")
    qids: Names = Field(description="The columns it was measured over; of a subset attack, the worst.")
    sensitive: str | None = Field(description="The sensitive attribute.")
    arguments: dict[str, ParameterValue] = Field(description="The metric's parameters.")
    value: Number | None = Field(description="Figure in `unit`, shares 0..1; null where `reason` says why.")
    reason: str = Field(description="Why there is no value; empty where there is one.")
    unit: str = Field(
        description="records, entities, share, classes, values, columns, nats, bits, ratio, score."
    )
    bound: Bound = Field(description="Which side of the limit is allowed.")
    limit: Number = Field(description="The limit in `unit`; itself allowed.")
    distance: Number | None = Field(description="value − limit in `unit`; null where there is no value.")
    is_met: bool = Field(description="Whether the limit holds.")
    is_warning: bool = Field(description="Whether a missed limit only warns.")
    is_fault: bool = Field(description="Whether there is no value because a plugin failed.")
    subsets: int = Field(ge=1, description="Number of QID subsets that were measured to find the worst.")
    noised: NoisedQidsDocument | None
    interval: IntervalDocument | None
    remark: str = Field(description="What the metric says of an estimate; empty where it says nothing.")
    sentence: str = Field(description="The same in words.")


class BlockDocument(DocumentPart):
    """One reason to block that is no threshold."""

    rule: str = Field(description="Short name of the rule.")
    sentence: str = Field(description="The rule, the value, the remedy.")
    is_internal: bool = Field(description="Whether a plugin or qidguard itself failed.")


class UndoneDocument(DocumentPart):
    """One published column, or two together, that undo the generalization of a QID."""

    columns: Names = Field(description="The columns that undo it.")
    qid: str = Field(description="The QID.")
    kind: UndoneKind = Field(
        description="What they do: tell its original values, be known to whoever knows these, or be finer."
    )
    part: str = Field(description="What is read in the columns, such as year; empty for their values.")
    beside: str | None = Field(description="A further QID that has to be known to know it.")
    persons: Count = Field(
        description="Persons whose original value is told right, or of whom what is read is known."
    )
    generalized: Count = Field(description="Persons in whom the QID was generalized.")
    precision: Share = Field(description="Share of what is told that is right.")
    is_undone: bool = Field(description="Whether so much is told that the QID counts as published.")
    accepted: str | None = Field(description="The words in which a person accepts it, and who.")
    sentence: str = Field(description="The same in words.")


class ReadBackDocument(DocumentPart):
    """The thresholds over the table with what is told in its place."""

    columns: Names = Field(description="The columns that tell.")
    qids: Names = Field(description="The QIDs that were read back.")
    is_accepted: bool = Field(description="Whether what is accepted was read back, too; it blocks nothing.")
    is_met: bool = Field(description="Whether no threshold keeps the table back.")
    thresholds: tuple[ThresholdDocument, ...] = Field(
        description="The thresholds that can be measured again, none over time or on what was lost."
    )
    uniques: Count = Field(description="Persons who are alone in a class of the main combination.")
    below: Count | None = Field(description="Persons in classes below the policy's k; null without one.")
    sentence: str = Field(description="The same in words.")


class TellingDocument(DocumentPart):
    """A small set of columns."""

    columns: Names = Field(description="The columns.")
    alone: Count = Field(description="Persons who are alone on them.")


class ToldApartDocument(DocumentPart):
    """Whom some published columns tell apart together."""

    columns: Names = Field(description="The columns; none that is accepted by itself.")
    has_sensitive: bool = Field(description="Whether sensitive attributes are among them.")
    alone: Count = Field(description="Persons who are alone on all of them.")
    persons: Count = Field(description="Persons who were looked at.")
    share: Share = Field(description="alone / persons; 0 where there is nobody.")
    smallest: tuple[TellingDocument, ...] = Field(description="Smallest sets that tell most of them apart.")
    sentence: str = Field(description="The same in words.")


class IdentifyingDocument(DocumentPart):
    """One column that identifies people by itself."""

    column: str = Field(description="Its name.")
    role: Role = Field(description="What it is called.")
    reason: str = Field(description="Why it identifies people, without a value.")
    alone: Count | None = Field(description="Persons whose value nobody else has; null for another reason.")
    persons: Count | None = Field(description="Persons with a value; null for another reason.")
    accepted: str | None = Field(description="The words in which a person accepts it, and who.")
    sentence: str = Field(description="The same in words, with what to do.")


class OutsideDocument(DocumentPart):
    """What is published outside the QIDs; null where nobody looked at it."""

    told_apart: tuple[ToldApartDocument, ...] = Field(
        description="Whom it tells apart, all of it together; empty where nothing is published there, or"
        " nobody can count."
    )
    identifying: tuple[IdentifyingDocument, ...] = Field(
        description="Columns that identify people by themselves; each blocks until accepted."
    )


class AcceptedDocument(DocumentPart):
    """What a person accepts."""

    columns: Names = Field(description="One column, or two together.")
    tells: str | None = Field(description="The QID that they tell; null where the column itself is accepted.")
    reason: str = Field(description="Why, in words.")
    by: str | None = Field(description="Who accepts it.")
    is_needed: bool | None = Field(
        description="Whether something would block or decide without it; null where nothing was transformed."
    )


class NoisedDocument(CombinationPart):
    """A QID combination with columns that noise was drawn for."""

    noised: Names = Field(description="Those with noise.")
    sentence: str = Field(
        description="What can be learned of a value with noise, and over which columns limits were measured."
    )


class NewTableDocument(DocumentPart):
    """What a table is whose records an anonymizer made anew; null where they are the source's."""

    kind: NewTableKind = Field(description="What its records are.")
    counts: str | None = Field(description="The column that holds the counts.")
    is_guaranteed: bool = Field(description="Whether a guarantee of differential privacy covers it.")
    sentence: str = Field(description="What thresholds on it mean, and what protects, in words.")


class PersonsDocument(DocumentPart):
    """How many persons, and what became of them."""

    persons: Count = Field(description="How many they are.")
    left: Count = Field(description="In an earlier release, not in the table.")
    came: Count = Field(description="In the table, in no earlier release.")
    stayed: Count = Field(description="In both.")


class IsolatedByDocument(DocumentPart):
    """One earlier release."""

    release_id: str = Field(description="Its name.")
    isolated: PersonsDocument = Field(description="Whom the table isolates with this release alone.")


class IsolatedDocument(CombinationPart):
    """Whom the table and its earlier releases isolate over one QID combination."""

    k: Count = Field(description="Persons that a joint class needs.")
    most_recent: Count | None = Field(description="How many latest releases are looked at; null for all.")
    releases: Count = Field(description="Number of earlier releases that are looked at.")
    followed: Count = Field(description="Persons of any of the releases, this table's included.")
    isolated: PersonsDocument = Field(description="Whom all releases leave in a joint class below k.")
    already: PersonsDocument = Field(description="Of these, whom the earlier releases isolate by themselves.")
    at_any_level: PersonsDocument = Field(description="Of these, whom no change of levels helps.")
    by_release: tuple[IsolatedByDocument, ...] = Field(description="Each earlier release, oldest first.")
    together: PersonsDocument = Field(description="Whom no earlier release isolates alone, but all do.")


class ClassesDocument(CombinationPart):
    """The classes of one QID combination."""

    classes: Count = Field(description="Number of classes.")
    smallest: Count = Field(description="Persons in the smallest class.")
    uniques: Count = Field(description="Persons who are alone in a class.")


class SensitivityDocument(DocumentPart):
    """Why it is sensitive, or would be if what is asked is answered with yes; null where nobody knows."""

    tier: Tier = Field(
        description="special: GDPR article 9; crime: article 10; confidential by custom; by the topic."
    )
    category: str = Field(description="Of what, such as health.")
    article: str | None = Field(description="The article that names it; null for a custom or a topic.")
    sentence: str = Field(description="The same in words.")


class ProposalDocument(DocumentPart):
    """A role that a recognizer proposes."""

    role: Role = Field(description="The role.")
    confidence: Share = Field(description="How sure the recognizer is.")
    is_sure: bool = Field(description="Whether it is proposed; if not, it is a question to a person.")
    decided_by: DecidedBy = Field(description="What it rests on.")
    reason: str = Field(description="Why.")


class KindDocument(DocumentPart):
    """What the values are, apart from the role; null where nobody knows."""

    kind: ColumnKind = Field(description="The kind.")
    decided_by: DecidedBy = Field(description="Who says so.")
    confidence: Share | None = Field(description="How sure that is; null where a person stated it.")
    is_sure: bool = Field(description="Whether it is proposed or stated; if not, it is asked of a person.")
    reason: str = Field(description="Why.")


class ColumnDocument(DocumentPart):
    """One column."""

    name: str = Field(description="Its name.")
    role: Role = Field(description="Its role.")
    decided_by: DecidedBy = Field(description="Who gave it the role.")
    reason: str = Field(description="Why; empty where nobody said.")
    is_sensitive: bool = Field(
        description="Whether its values of a person are private; a QID may be so, too."
    )
    sensitivity: SensitivityDocument | None
    proposals: tuple[ProposalDocument, ...] = Field(description="What recognizers propose, the surest first.")
    kind: KindDocument | None
    type: ValueType = Field(description="How its values are stored, once read.")
    distinct: Count = Field(description="Number of distinct values, missing ones not counted.")
    missing: Count = Field(description="Number of records without a value.")
    not_a_number: Count = Field(description="Number of records with a floating-point NaN.")
    risk: Share = Field(description="Mean over records of 1/class size on this column alone.")


class ExposedDocument(DocumentPart):
    """Persons in classes that are too small."""

    columns: Names = Field(description="The columns that are left away, or known.")
    below: Count = Field(description="Persons below the limit.")
    alone: Count = Field(description="Of these, persons who are the only one in a class.")
    added: Count = Field(description="Of these, persons whom nothing before it in the list exposes.")


class ForSeriesDocument(DocumentPart):
    """What anonymizers that keep a series do for those whom releases isolate; null where nobody is."""

    anonymizers: Names = Field(description="Those that are installed.")
    is_tried: bool = Field(description="Whether the policy's own was run on the table.")
    is_passed: bool = Field(description="Whether the policy holds on what it made.")
    ncp: Share | None = Field(description="What that loses.")
    notes: Names = Field(description="What it says of this release, or why it cannot be done.")


class CoarserDocument(DocumentPart):
    """A column that is published coarser, or not at all."""

    column: str = Field(description="The QID.")
    level: Count | Literal["drop"] = Field(description="Level of its hierarchy; drop where not published.")
    coarsest: Count = Field(description="The coarsest level; 0 where it has no hierarchy.")
    ncp: Share = Field(description="Normalized certainty penalty of the level.")


class ChangeDocument(DocumentPart):
    """A change with which the table passes the whole policy."""

    columns: tuple[CoarserDocument, ...] = Field(description="The QIDs that it changes.")
    left_out: Count = Field(description="Persons of whom records are left out.")
    records_left_out: Count = Field(description="Records that are left out.")
    suppress: Share = Field(description="The share that the policy has to grant for that.")
    loss: Share = Field(description="NCP × share kept + share left out, the mean over QIDs.")
    lines: Names = Field(description="The lines of policy that make it.")


class AdviceDocument(CombinationPart):
    """What keeps the table from passing, and changes that pass; each was confirmed by an audit."""

    knows_any: Count | None = Field(description="How many of them the attacker knows; null for all.")
    person: str = Field(description="What a person is: entities or records.")
    persons: Count = Field(description="Persons of the table.")
    limit: Count = Field(description="Persons that a class needs.")
    diversity: Annotated[dict[str, Count], BeforeValidator(dict)] = Field(
        description="Sensitive attribute → distinct values that a class needs."
    )
    below: Count | None = Field(description="Persons in classes that are too small; null where not counted.")
    alone: Count = Field(description="Of these, persons who are the only one in a class.")
    without: tuple[ExposedDocument, ...] = Field(description="What stays when these columns are left away.")
    smallest: tuple[ExposedDocument, ...] = Field(
        description="The smallest combinations that put persons below the limit."
    )
    isolated: IsolatedDocument | None = Field(description="Whom releases isolate, where they are most.")
    for_series: ForSeriesDocument | None
    changes: tuple[ChangeDocument, ...] = Field(description="The cheapest changes that pass, by loss.")
    hindrances: Names = Field(description="Why there are none, or no more.")
    most_left_out: ShareBelowOne = Field(description="The largest share that a change may leave out.")
    audited: Count = Field(description="Changes that were audited.")
    is_exact: bool = Field(description="Whether every change was looked at.")
    is_cut_short: bool = Field(description="Whether the time was up before the work was done.")
    seconds: Seconds = Field(description="How long it took, in seconds.")


class NoAdviceDocument(DocumentPart):
    """Why there is no advice."""

    fault: str = Field(description="The reason, one sentence.")


class AuditDocument(DocumentPart):
    """The result of one audit: counts, sizes, rates and column names, never values of the table."""

    model_config = ConfigDict(
        title=FORMAT,
        json_schema_extra={
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"urn:{FORMAT.replace('/', ':')}",
        },
    )

    format: Literal["qidguard-audit/1"] = Field(description="Name and version of this document.")
    source: str = Field(description="What was audited, as the user named it.")
    outcome: Literal["passed", "blocked", "described"] = Field(
        description="described: no policy was given, so nothing was judged."
    )
    exit_code: ExitCode = Field(description="0 passed or described, 1 blocked, 3 blocked by our own fault.")
    policy: PolicyDocument | None
    table: TableDocument
    is_auto: bool = Field(description="Whether recognizers chose the QIDs.")
    thresholds: tuple[ThresholdDocument, ...] = Field(description="Every limit of the policy, with figure.")
    blocks: tuple[BlockDocument, ...] = Field(description="Reasons to block that are no threshold.")
    undone: tuple[UndoneDocument, ...] = Field(description="What published columns tell of generalized QIDs.")
    read_backs: tuple[ReadBackDocument, ...] = Field(
        description="The thresholds once what undoes a generalization is read back: where that decides, and"
        " where a person accepted it."
    )
    outside_qids: OutsideDocument | None
    accepted: tuple[AcceptedDocument, ...] = Field(description="What is accepted of published columns.")
    noised: tuple[NoisedDocument, ...] = Field(
        description="The QID combinations with noise; empty where none is known."
    )
    new_table: NewTableDocument | None
    isolated: tuple[IsolatedDocument, ...] = Field(
        default=(),
        exclude_if=not_,
        description="Whom releases isolate, where a threshold over time is missed; internal.",
    )
    classes: tuple[ClassesDocument, ...] = Field(description="Equivalence classes of each QID combination.")
    columns: tuple[ColumnDocument, ...] = Field(description="All columns in the table's order.")
    notes: Names = Field(description="Sentences worth reading that do not block.")
    engine: str = Field(description="Name of the engine that read and grouped the table.")
    versions: dict[str, str] = Field(description="Name → version of the host and of every loaded plugin.")
    seconds: Seconds = Field(description="Wall time of the audit, in seconds.")
    advice: AdviceDocument | NoAdviceDocument | SkipJsonSchema[None] = Field(
        default_factory=NoneType,  # a default of null would stand in the schema, which knows no null here
        exclude_if=not_,
        description="What would make the table pass; it is internal.",
    )

"""How a table is read: the ``source`` and ``population`` sections."""

import codecs
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, PlainSerializer, PlainValidator, model_validator

from qidguard.core.errors import UserError
from qidguard.core.naming import did_you_mean
from qidguard.core.number_format import NumberFormat, date_format_fault
from qidguard.core.spelling import Spelling
from qidguard.policy.section import Section, entries, refusal, shown, told
from qidguard.policy.values import Phrase, SomeColumns, Texts


def _encoding(value: str) -> str:
    try:
        "a".encode(value)
        codecs.lookup(value)
    except LookupError as error:
        raise ValueError(value) from error
    return value


Character = Annotated[str, Field(min_length=1, max_length=1), told("must be one character, not {}")]
Delimiter = Annotated[
    Annotated[str, Field(min_length=1, max_length=1)] | Literal["whitespace"],
    told("must be one character, or whitespace, not {}"),
]
LinesToSkip = Annotated[int, Field(ge=0), told("must be a whole number of lines, 0 or more, not {}")]
Encoding = Annotated[str, AfterValidator(_encoding), told("must be the name of a text encoding, not {}")]


class Numbers(Section):
    """How numbers are written in a table whose texts are numbers.

    Example:
        >>> Numbers(decimal=",", unit=["EUR"]).format.unit
        ('EUR',)
    """

    decimal: Character = Field(default=".", description="The mark before the fraction.", examples=[","])
    thousands: Character | None = Field(
        default=None, description="The mark between groups of three digits.", examples=["."]
    )
    unit: Texts = Field(
        default=(),
        description="What may stand before or after a number: units, currencies, marks of footnotes.",
        examples=[["EUR", "%"]],
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        try:
            _ = self.format
        except UserError as error:
            raise refusal(str(error).removeprefix("numbers ").removesuffix(".")) from None
        return self

    @property
    def format(self) -> NumberFormat:
        """The same as an engine is told it."""
        return NumberFormat(decimal=self.decimal, thousands=self.thousands, unit=self.unit)


def _dates(value: object) -> tuple[str, ...]:
    formats = (value,) if isinstance(value, str) else value
    if not isinstance(formats, (list, tuple)):
        raise refusal(f"must be a date format such as %d.%m.%Y, or a list of them, not {shown(value)}")
    for text in formats:
        fault = date_format_fault(text) if isinstance(text, str) else "is no text"
        if fault is not None:
            raise refusal(f"{shown(text)} {fault}")
    return tuple(formats)


DateFormats = Annotated[
    tuple[str, ...],
    PlainValidator(_dates, json_schema_input_type=str | list[str]),
    PlainSerializer(list, return_type=list[str]),
]


class ReadingSettings(Section):
    """How a table is read; what is not written is found out, and an ambiguous finding is an error.

    Example:
        >>> ReadingSettings(format="csv", delimiter=";", missing=["?"]).missing
        ('?',)
    """

    format: Literal["csv", "parquet", "duckdb"] | None = Field(
        default=None, description="What the source is; without it, its name decides.", examples=["csv"]
    )
    delimiter: Delimiter | None = Field(
        default=None,
        description="The one character between the fields of a CSV, or whitespace.",
        examples=[","],
    )
    quote: Character | None = Field(default=None, description="The quote character of a CSV.", examples=['"'])
    header: bool | None = Field(
        default=None, description="Whether the first line of a CSV names the columns.", examples=[True]
    )
    columns: SomeColumns | None = Field(
        default=None,
        description="The column names of a file without a header.",
        examples=[["age", "sex", "postcode"]],
    )
    encoding: Encoding | None = Field(
        default=None, description="The text encoding of a CSV; UTF-8 if not written.", examples=["latin-1"]
    )
    skip_lines: LinesToSkip | None = Field(
        default=None,
        description="How many lines before the column names of a CSV are no part of the table: a title.",
        examples=[2],
    )
    missing: Texts = Field(
        default=(),
        description="Texts that stand for a missing value; the empty field always does.",
        examples=[["?", "NA"]],
    )
    trim: bool = Field(
        default=False, description="Whether white space around a field is dropped.", examples=[True]
    )
    numbers: Numbers | None = Field(
        default=None,
        description="How numbers are written in columns of texts, where they are not written as 1234.5.",
        examples=[{"decimal": ","}],
    )
    dates: DateFormats = Field(
        default=(),
        description="How dates are written, where not as 2024-12-31; several formats are tried in turn.",
        examples=["%m/%d/%Y", ["%d.%m.%Y"]],
    )
    skip_empty_records: bool = Field(
        default=False,
        description="Whether records without any value are left out; otherwise they are an error.",
        examples=[True],
    )
    suppression_mark: str | None = Field(
        default=None,
        description=(
            "The text that stands for a suppressed value, which is no value: a record whose QIDs are all"
            " suppressed stands in no class, and a suppressed sensitive value is none to learn. A QID that is"
            " suppressed beside others shows the mark as its value. Without it, what a remedy writes: *."
        ),
        examples=["*"],
    )
    table: Phrase | None = Field(
        default=None, description="The table of a DuckDB file.", examples=["patients"]
    )
    query: Phrase | None = Field(
        default=None, description="One SELECT over a DuckDB file.", examples=["SELECT * FROM patients"]
    )

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.table is not None and self.query is not None:
            raise refusal("has both a table and a query", remedy="keep one of them")
        if self.header and self.columns is not None:
            raise refusal(
                "names columns although the first line does",
                remedy="write header: false, or leave columns out",
            )
        if self.suppression_mark is not None and self.suppression_mark in self.missing:
            raise refusal(
                f"reads {shown(self.suppression_mark)} both as missing and as suppressed",
                remedy="keep it in one of missing and suppression_mark",
            )
        return self


SPELLINGS = tuple(spelling.value for spelling in Spelling)


def _spellings(value: object, at: str | None = None) -> tuple[str, ...]:
    if value == "all":
        return SPELLINGS
    if not isinstance(value, (list, tuple)) or not value:
        raise refusal(f"must be all, or a list of {', '.join(SPELLINGS)}, not {shown(value)}", at=at)
    for position, word in enumerate(value):
        where = position if at is None else at
        if word not in SPELLINGS:
            hint = did_you_mean(word, SPELLINGS) if isinstance(word, str) else ""
            raise refusal(f"must be one of {', '.join(SPELLINGS)}, not {shown(word)}", remedy=hint, at=where)
        if word in value[:position]:
            raise refusal(f"says {word} twice", remedy="keep one of them", at=where)
    return tuple(value)


def _normalize(value: object) -> tuple[str, ...] | Mapping[str, tuple[str, ...]]:
    if not isinstance(value, Mapping):
        return _spellings(value)
    return MappingProxyType({column: _spellings(given, column) for column, given in entries(value).items()})


def _as_written(value: tuple[str, ...] | Mapping[str, tuple[str, ...]]) -> Any:
    return {k: list(v) for k, v in value.items()} if isinstance(value, Mapping) else list(value)


_Ways = list[Literal["unicode", "blanks", "case", "numbers", "missing"]] | Literal["all"]
Normalize = Annotated[
    tuple[str, ...] | Mapping[str, tuple[str, ...]],
    PlainValidator(_normalize, json_schema_input_type=_Ways | dict[str, _Ways]),
    PlainSerializer(_as_written, return_type=Any),
]


class Source(ReadingSettings):
    """Where the table is, and how it is read.

    Example:
        >>> Source(path="visits.csv", format="csv").path
        'visits.csv'
    """

    path: Phrase | None = Field(
        default=None,
        description="Where the table is, when nothing else says so; relative to the policy's file.",
        examples=["visits.csv"],
    )
    codebook: Phrase | None = Field(
        default=None,
        description="A file with the columns' labels, CSV, DDI (XML), .dta or .sav, that recognizers read"
        " too; relative to the policy's file.",
        examples=["codebook.xml"],
    )
    normalize: Normalize | None = Field(
        default=None,
        description="Which texts of sensitive columns are one value although they are written differently.",
        examples=[["case", "blanks"], {"diagnosis": ["case", "blanks"]}, "all"],
    )


class Population(Section):
    """The table of the population that the audited table is a sample of.

    Example:
        >>> Population(path="census.csv", entity="person").path
        'census.csv'
    """

    path: Phrase = Field(
        description="Where the population table is; relative to the policy's file.",
        examples=["population.csv"],
    )
    entity: str | None = Field(
        default=None,
        description="The column whose distinct values are the persons; without it each record is one.",
        examples=["person_id"],
    )
    source: ReadingSettings = Field(
        default_factory=ReadingSettings, description="How the population table is read."
    )


def _memory(size: str) -> str:
    if not re.search("[1-9]", size):
        raise ValueError(size)
    return size


MemorySize = Annotated[
    str,
    Field(pattern=r"^[0-9]+(\.[0-9]+)?\s*[KkMmGgTt]i?[Bb]$"),
    AfterValidator(_memory),
    told("must be a size such as 4GB or 500MB, not {}"),
]

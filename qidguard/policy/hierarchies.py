"""The ``hierarchies`` section: how each quasi-identifier may be generalized."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Literal, Self, TypeVar, get_args

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticKnownError

from qidguard.core.errors import DataError
from qidguard.core.naming import did_you_mean
from qidguard.policy.nesting import check_cuts, check_lengths, check_units, check_widths
from qidguard.policy.section import Section, entries, refusal, shown, told
from qidguard.policy.source import Character, Encoding
from qidguard.policy.values import AS_DICT, FROZEN, Count, Day, Listed, Number, Phrase, number, some

_DateUnit = Literal["day", "month", "quarter", "year", "5 years", "decade"]

KINDS = ("file", "intervals", "cuts", "dates", "prefix", "taxonomy", "ready", "auto")
"""The fields that say how a hierarchy is made; a column has one of them."""

Ready = Literal[
    "age_bands_eurostat",
    "age_bands_hipaa",
    "age_bands_un",
    "age_bands_us_census",
    "atc",
    "countries",
    "de_ags",
    "icd10",
    "icd10cm",
    "icd9",
    "isced",
    "isco08",
    "nace",
    "nuts",
    "us_states",
    "us_zip3",
]
READY = get_args(Ready)
"""The published systems of codes that a hierarchy may be made of."""

_BELONGS = {
    "delimiter": "file",
    "encoding": "file",
    "from": "intervals",
    "bottom": "intervals",
    "top": "intervals",
    "written": "dates",
    "latest": "dates",
}
"""Field → the field without which it says nothing."""


_Level = TypeVar("_Level")
_Levels = Annotated[
    tuple[_Level, ...],
    Field(fail_fast=True, json_schema_extra={"minItems": 1}),
    Listed,
    AfterValidator(partial(some, "must have at least one level")),
]


# a point that is no number is told of its level
_Points = Annotated[
    _Levels[Annotated[Any, WithJsonSchema({"type": "number"})]],
    AfterValidator(lambda points: tuple(map(number, points))),
]


def _nested(check: Callable[[Any], None], levels: tuple[Any, ...]) -> tuple[Any, ...]:
    try:
        check(levels)
    except DataError as error:
        sentence, _, remedy = str(error).partition("; ")
        raise refusal(f"does not nest: {sentence}", remedy=remedy) from None
    return levels


DateForm = Annotated[
    str,
    Field(pattern=r"^(?:dmy|mdy|ymd|.*%[a-zA-Z].*)$"),
    told("must say how dates are written, not {}", "write dmy, mdy or ymd, or a form such as %d/%m/%Y"),
]


def _separates(value: str) -> str:
    # csv cannot separate by a quote or a line end
    if value in '"\r\n':
        raise refusal(f"must be one character, not {shown(value)}")
    return value


class HierarchySettings(Section, serialize_by_alias=True):
    """How one column may be generalized.

    Example:
        >>> HierarchySettings(intervals=[5, 10], top=90).kind
        'intervals'
    """

    file: Phrase | None = Field(
        default=None,
        description="A CSV without a header: one row a value, from exact to coarsest; relative to the"
        " policy's file.",
        examples=["hierarchies/age.csv"],
    )
    delimiter: Annotated[Character, AfterValidator(_separates)] | None = Field(
        default=None, description="What separates the file's columns.", examples=[";"]
    )
    encoding: Encoding | None = Field(
        default=None, description="The file's text encoding; UTF-8 if not written.", examples=["latin-1"]
    )
    intervals: Annotated[_Levels[Number], AfterValidator(partial(_nested, check_widths))] | None = Field(
        default=None, description="The width of the intervals of each level.", examples=[[5, 10, 20]]
    )
    origin: Number | None = Field(
        default=None,
        alias="from",
        description="A point at which every level of intervals is cut; 0 if not written.",
        examples=[0],
    )
    bottom: Number | None = Field(
        default=None, description="What numbers are coded below, as < 20, on every level.", examples=[20]
    )
    top: Number | None = Field(
        default=None, description="What numbers are coded from on, as >= 90, on every level.", examples=[90]
    )
    cuts: Annotated[_Levels[_Points], AfterValidator(partial(_nested, check_cuts))] | None = Field(
        default=None,
        description="The points that cut each level; each level's are among those of the one before.",
        examples=[[[0, 10, 20, 50], [0, 50]]],
    )
    dates: Annotated[_Levels[_DateUnit], AfterValidator(partial(_nested, check_units))] | None = Field(
        default=None,
        description="Units of the calendar from finer to coarser.",
        examples=[["month", "quarter", "year"]],
    )
    written: DateForm | None = Field(
        default=None,
        description="The order in which dates in text are written, dmy, mdy or ymd, or a form of strptime;"
        " without it the column's values decide.",
        examples=["dmy", "%d/%m/%Y"],
    )
    latest: Day | None = Field(
        default=None,
        description="The last day that a year of two digits may mean; without it the day of the data, and"
        " years that fill a century are refused.",
        examples=["2026-01-31"],
    )
    prefix: Annotated[_Levels[Count], AfterValidator(partial(_nested, check_lengths))] | None = Field(
        default=None, description="How many first characters each level keeps.", examples=[[4, 3, 2]]
    )
    taxonomy: Phrase | None = Field(
        default=None,
        description="A nested YAML or JSON file, or a CSV of value;parent; relative to the policy's file.",
        examples=["icd.yaml"],
    )
    ready: Ready | None = Field(
        default=None,
        description="A published system of codes; qidguard hierarchy ready lists them with their sources.",
        examples=["icd9"],
    )
    auto: Literal["auto", "quantiles", "frequency", "similarity"] | None = Field(
        default=None,
        description="How values are grouped without being told; auto goes by the kind of the column.",
        examples=["frequency"],
    )

    @property
    def kind(self) -> str:
        """The field that says how the hierarchy is made."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: Any) -> Any:
        names = [info.alias or name for name, info in cls.model_fields.items()]
        for key in given if isinstance(given, Mapping) else ():
            if isinstance(key, str) and key not in names:
                remedy = did_you_mean(key, names) or f"write one of {', '.join(KINDS)}"
                raise refusal(f"has a field {shown(key)} that nobody knows", remedy=remedy)
        return given

    @model_validator(mode="after")
    def _is_one_way(self) -> Self:
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            fault = f"has both {kinds[0]} and {kinds[1]}" if kinds else "says no way to make a hierarchy"
            raise refusal(fault, remedy=f"write one of {', '.join(KINDS)}")
        for field, way in _BELONGS.items():
            name = "origin" if field == "from" else field
            if getattr(self, name) is not None and way != kinds[0]:
                raise refusal(f"has {field} without {way}", remedy=f"write {way}, or leave {field} out")
        if self.bottom is not None and self.top is not None:
            _nested(lambda _: check_widths((1,), self.bottom, self.top), ())
        return self


def _columns(value: object) -> Mapping[str, object]:
    value = entries(value, "columns")
    for column, given in value.items():
        if given is None:
            raise refusal("is empty", remedy="write auto, or how the hierarchy is made", at=column)
    return value


def _spelled_out(value: object) -> object:
    if isinstance(value, str) and value != "auto":
        raise PydanticKnownError("literal_error", {"expected": "'auto'"})
    return {"auto": value} if value == "auto" else value


_Hierarchy = Annotated[
    HierarchySettings,
    BeforeValidator(_spelled_out, json_schema_input_type=HierarchySettings | Literal["auto"]),
]
HierarchyByColumn = Annotated[Mapping[str, _Hierarchy], BeforeValidator(_columns), FROZEN, AS_DICT]

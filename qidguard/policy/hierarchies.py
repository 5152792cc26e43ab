"""The ``hierarchies`` section: how each quasi-identifier may be generalized."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from qidguard.core.errors import DataError
from qidguard.policy.nesting import DATE_UNITS, check_cuts, check_lengths, check_units, check_widths
from qidguard.policy.section import Section, choice, entries, refusal, shown
from qidguard.policy.source import Encoding
from qidguard.policy.spelling import did_you_mean
from qidguard.policy.values import AS_IT_IS, Day, Number, Phrase, number, whole_number

_DateUnit = Literal["day", "month", "quarter", "year", "5 years", "decade"]
_Kind = Literal["auto", "quantiles", "frequency", "similarity"]

KINDS = ("file", "intervals", "cuts", "dates", "prefix", "taxonomy", "ready", "auto")
"""The fields that say how a hierarchy is made; a column has one of them."""

READY = (
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
)
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


_Levels = TypeVar("_Levels", bound=tuple[Any, ...])


def _each(value: object, check: Callable[[Any], Any]) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise refusal(f"must be a list, not {shown(value)}")
    if not value:
        raise refusal("must have at least one level")
    for position, item in enumerate(value):
        try:
            check(item)
        except PydanticCustomError as error:
            context = error.context or {}
            raise refusal(error.message(), remedy=context["remedy"], at=position) from None
    return tuple(value)


def _nested(levels: _Levels, check: Callable[[Any], None]) -> _Levels:
    try:
        check(levels)
    except DataError as error:
        sentence, _, remedy = str(error).partition("; ")
        raise refusal(f"does not nest: {sentence}", remedy=remedy) from None
    return levels


def _widths(value: object) -> tuple[float, ...]:
    return _nested(_each(value, number), check_widths)


def _points(value: object) -> tuple[float, ...]:
    return _each(value, number)


def _cuts(value: object) -> tuple[tuple[float, ...], ...]:
    return _nested(tuple(map(tuple, _each(value, _points))), check_cuts)


def _units(value: object) -> tuple[str, ...]:
    return _nested(_each(value, choice(*DATE_UNITS)), check_units)


def _lengths(value: object) -> tuple[int, ...]:
    return _nested(_each(value, whole_number), check_lengths)


_DATE_FORM = r"^(?:dmy|mdy|ymd|.*%[a-zA-Z].*)$"


def _date_form(value: object) -> str:
    if isinstance(value, str) and re.match(_DATE_FORM, value):
        return value
    remedy = "write dmy, mdy or ymd, or a form such as %d/%m/%Y"
    raise refusal(f"must say how dates are written, not {shown(value)}", remedy=remedy)


def _one_character(value: object) -> str:
    # csv cannot separate by a quote or a line end
    if isinstance(value, str) and len(value) == 1 and value not in '"\r\n':
        return value
    raise refusal(f"must be one character, not {shown(value)}")


_NUMBERS = Annotated[list[float], Field(min_length=1)]
_ready = choice(*READY)
_kind = choice("auto", "quantiles", "frequency", "similarity")


class HierarchySettings(Section):
    """How one column may be generalized.

    Example:
        >>> HierarchySettings(intervals=[5, 10], top=90).kind
        'intervals'
    """

    model_config = ConfigDict(serialize_by_alias=True)

    file: Phrase | None = Field(
        default=None,
        description="A CSV without a header: one row a value, from exact to coarsest; relative to the"
        " policy's file.",
        examples=["hierarchies/age.csv"],
    )
    delimiter: Annotated[
        str | None,
        PlainValidator(
            _one_character, json_schema_input_type=Annotated[str, Field(min_length=1, max_length=1)]
        ),
    ] = Field(default=None, description="What separates the file's columns.", examples=[";"])
    encoding: Encoding | None = Field(
        default=None, description="The file's text encoding; UTF-8 if not written.", examples=["latin-1"]
    )
    intervals: Annotated[
        tuple[float, ...] | None, PlainValidator(_widths, json_schema_input_type=_NUMBERS), AS_IT_IS
    ] = Field(default=None, description="The width of the intervals of each level.", examples=[[5, 10, 20]])
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
    cuts: Annotated[
        tuple[tuple[float, ...], ...] | None,
        PlainValidator(_cuts, json_schema_input_type=Annotated[list[_NUMBERS], Field(min_length=1)]),
        AS_IT_IS,
    ] = Field(
        default=None,
        description="The points that cut each level; each level's are among those of the one before.",
        examples=[[[0, 10, 20, 50], [0, 50]]],
    )
    dates: Annotated[
        tuple[str, ...] | None,
        PlainValidator(_units, json_schema_input_type=Annotated[list[_DateUnit], Field(min_length=1)]),
        AS_IT_IS,
    ] = Field(
        default=None,
        description="Units of the calendar from finer to coarser.",
        examples=[["month", "quarter", "year"]],
    )
    written: Annotated[
        str | None,
        PlainValidator(_date_form, json_schema_input_type=Annotated[str, Field(pattern=_DATE_FORM)]),
    ] = Field(
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
    prefix: Annotated[
        tuple[int, ...] | None,
        PlainValidator(
            _lengths,
            json_schema_input_type=Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)],
        ),
        AS_IT_IS,
    ] = Field(default=None, description="How many first characters each level keeps.", examples=[[4, 3, 2]])
    taxonomy: Phrase | None = Field(
        default=None,
        description="A nested YAML or JSON file, or a CSV of value;parent; relative to the policy's file.",
        examples=["icd.yaml"],
    )
    ready: Annotated[
        str | None,
        PlainValidator(
            _ready, json_schema_input_type=Annotated[str, Field(json_schema_extra={"enum": [*READY]})]
        ),
    ] = Field(
        default=None,
        description="A published system of codes; qidguard hierarchy ready lists them with their sources.",
        examples=["icd9"],
    )
    auto: Annotated[_Kind | None, PlainValidator(_kind, json_schema_input_type=_Kind)] = Field(
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
            _nested((), lambda _: check_widths((1,), self.bottom, self.top))
        return self


def _columns(value: object) -> Mapping[str, object]:
    value = entries(value, "columns")
    for column, given in value.items():
        if given is None:
            raise refusal("is empty", remedy="write auto, or how the hierarchy is made", at=column)
    return value


def _spelled_out(value: object) -> object:
    if isinstance(value, str):
        return {"auto": choice("auto")(value)}
    return value


HierarchyByColumn = Annotated[
    Mapping[
        str,
        Annotated[
            HierarchySettings,
            BeforeValidator(_spelled_out, json_schema_input_type=HierarchySettings | Literal["auto"]),
        ],
    ],
    BeforeValidator(_columns),
    AfterValidator(lambda found: MappingProxyType(dict(found))),
    PlainSerializer(dict, return_type=dict[str, HierarchySettings]),
]

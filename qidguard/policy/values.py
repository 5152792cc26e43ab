"""The kinds of values that a policy's fields take, each refusing anything else in one phrase.

Each validator replaces pydantic's own, so that no error of pydantic's reaches a user.
"""

import math
import re
from collections.abc import Mapping
from datetime import date, datetime
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator
from pydantic_core import PydanticCustomError

from qidguard.core.parameter import ParameterValue, plain
from qidguard.policy.section import LARGEST_NUMBER, entries, refusal, shown


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, (list, tuple, Mapping)):
        raise refusal(f"must be text, not {shown(value)}")
    written = shown(value)
    raise refusal(f"must be text, not {written}", remedy=f"put it in quotes: '{written}'")


def phrase(value: object) -> str:
    """Return ``value`` if it is text that says something.

    Example:
        >>> phrase("patients")
        'patients'
    """
    text = _text(value)
    if not text.strip():
        raise refusal("must not be empty")
    return text


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise refusal(f"must be a list, not {shown(value)}")
    for position, item in enumerate(value):
        try:
            _text(item)
        except PydanticCustomError as error:
            context = error.context or {}
            raise refusal(error.message(), remedy=context["remedy"], at=position) from None
    return tuple(value)


def _columns(value: object) -> tuple[str, ...]:
    columns = _texts(value)
    for position, column in enumerate(columns):
        if column in columns[:position]:
            raise refusal(f"names the column {column!r} twice", remedy="keep one of them", at=position)
    return columns


def some_columns(value: object) -> tuple[str, ...]:
    """Return ``value`` if it names at least one column, and none twice."""
    columns = _columns(value)
    if not columns:
        raise refusal("must name at least one column")
    return columns


def _quasi_identifiers(value: object) -> tuple[str, ...] | Literal["auto"]:
    if value == "auto":
        return "auto"
    if isinstance(value, str):
        raise refusal(f"must be a list of columns, or auto, not {shown(value)}")
    return some_columns(value)


def _one_or_more(value: object) -> str | tuple[str, ...]:
    return value if isinstance(value, str) else some_columns(value)


def number(value: object) -> int | float:
    """Return ``value`` if it is a finite number of a sensible size.

    Example:
        >>> number(0.5)
        0.5
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise refusal(f"must be a number, not {shown(value)}")
    if not (abs(value) <= LARGEST_NUMBER and math.isfinite(value)):
        raise refusal(f"must be a finite number of at most {LARGEST_NUMBER:g}, not {shown(value)}")
    return value


def whole_number(value: object) -> int:
    """Return ``value`` if it is a count.

    Example:
        >>> whole_number(2)
        2
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise refusal(f"must be a whole number, not {shown(value)}")
    if not 1 <= value <= LARGEST_NUMBER:
        raise refusal(f"must be at least 1, not {shown(value)}")
    return value


def _fraction(value: object) -> float:
    share = number(value)
    if not 0 < share <= 1:
        raise refusal(f"must be above 0 and at most 1, not {shown(value)}")
    return float(share)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise refusal(f"must be true or false, not {shown(value)}")
    return value


def _day(value: object) -> date:
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise refusal(f"must be a day of the calendar, not {shown(value)}") from None
    if isinstance(value, datetime) or not isinstance(value, date):
        raise refusal(f"must be a date, not {shown(value)}")
    return value


def _parameters(value: object) -> Mapping[str, ParameterValue]:
    value = entries(value)
    for name, given in value.items():
        if not isinstance(given, (int, float, str, bool)):
            raise refusal(f"must be a number, text, true or false, not {shown(given)}", at=name)
        if isinstance(given, (int, float)) and not isinstance(given, bool):
            number(given)
    return MappingProxyType(dict(value))


def weights(value: object) -> Mapping[str, int | float]:
    """Return ``value`` if it is a mapping of names to weights, numbers that are not 0.

    Example:
        >>> dict(weights({"ncp": 2}))
        {'ncp': 2}
    """
    if not isinstance(value, Mapping) or not value:
        raise refusal(f"must be a mapping of metrics to numbers, not {shown(value)}")
    for name, given in value.items():
        phrase(name)
        if not number(given):
            raise refusal(f"gives {name} the weight 0", remedy="leave it out, or give it another weight")
    return MappingProxyType(dict(value))


def _given(value: object, at: str) -> object:
    if isinstance(value, (list, tuple)):
        return tuple(_scalar(one, at) for one in value)
    return _scalar(value, at)


def _scalar(value: object, at: str) -> ParameterValue:
    if not isinstance(value, (int, float, str, bool)):
        raise refusal(f"must hold numbers, text, true or false, not {shown(value)}", at=at)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number(value)
    return value


def _nested_parameters(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise refusal(f"must be a mapping, not {shown(value)}")
    taken: dict[str, object] = {}
    for name, given in value.items():
        if not isinstance(name, str):
            raise refusal(f"has the key {shown(name)}, which is not text")
        if isinstance(given, Mapping):
            if unnamed := [key for key in given if not isinstance(key, str)]:
                raise refusal(f"has the key {shown(unnamed[0])}, which is not text", at=name)
            taken[name] = MappingProxyType({key: _given(one, name) for key, one in given.items()})
        else:
            taken[name] = _given(given, name)
    return MappingProxyType(taken)


def _phrase_by_column(value: object) -> Mapping[str, str]:
    value = entries(value)
    for name, given in value.items():
        try:
            phrase(given)
        except PydanticCustomError as error:
            context = error.context or {}
            raise refusal(error.message(), remedy=context["remedy"], at=name) from None
    return MappingProxyType(dict(value))


def _listed(value: object) -> object:
    if not isinstance(value, (list, tuple)):
        raise refusal(f"must be a list, not {shown(value)}")
    return tuple(value)


AS_IT_IS = PlainSerializer(lambda value: value, return_type=Any)
"""Beside a validator that replaces pydantic's: pydantic then writes JSON from the value that is there."""

_NonEmpty = Annotated[str, Field(min_length=1)]
_SomeColumns = Annotated[list[str], Field(min_length=1, json_schema_extra={"uniqueItems": True})]

Text = Annotated[str, PlainValidator(_text, json_schema_input_type=str)]
Phrase = Annotated[str, PlainValidator(phrase, json_schema_input_type=_NonEmpty)]
Texts = Annotated[tuple[str, ...], PlainValidator(_texts, json_schema_input_type=list[str]), AS_IT_IS]
Columns = Annotated[
    tuple[str, ...],
    PlainValidator(
        _columns,
        json_schema_input_type=Annotated[list[str], Field(json_schema_extra={"uniqueItems": True})],
    ),
    AS_IT_IS,
]
SomeColumns = Annotated[
    tuple[str, ...], PlainValidator(some_columns, json_schema_input_type=_SomeColumns), AS_IT_IS
]
QuasiIdentifiers = Annotated[
    tuple[str, ...] | Literal["auto"],
    PlainValidator(_quasi_identifiers, json_schema_input_type=_SomeColumns | Literal["auto"]),
    AS_IT_IS,
]
OneOrMore = Annotated[
    str | tuple[str, ...], PlainValidator(_one_or_more, json_schema_input_type=str | _SomeColumns), AS_IT_IS
]
Number = Annotated[int | float, PlainValidator(number, json_schema_input_type=float), AS_IT_IS]
Count = Annotated[int, PlainValidator(whole_number, json_schema_input_type=Annotated[int, Field(ge=1)])]
Fraction = Annotated[
    float, PlainValidator(_fraction, json_schema_input_type=Annotated[float, Field(gt=0, le=1)])
]
Flag = Annotated[bool, PlainValidator(_flag, json_schema_input_type=bool)]
Day = Annotated[date, PlainValidator(_day, json_schema_input_type=date), AS_IT_IS]
Parameters = Annotated[
    Mapping[str, ParameterValue],
    PlainValidator(_parameters, json_schema_input_type=dict[str, bool | float | str]),
    PlainSerializer(dict, return_type=dict[str, Any]),
]
Weighted = Annotated[
    Mapping[str, int | float],
    PlainValidator(weights, json_schema_input_type=dict[str, float]),
    PlainSerializer(dict, return_type=dict[str, Any]),
]
_One = bool | float | str
NestedParameters = Annotated[
    Mapping[str, Any],
    PlainValidator(
        _nested_parameters,
        json_schema_input_type=dict[str, _One | list[_One] | dict[str, _One | list[_One]]],
    ),
    PlainSerializer(plain, return_type=dict[str, Any]),
]
PhraseByColumn = Annotated[
    Mapping[str, str],
    PlainValidator(_phrase_by_column, json_schema_input_type=dict[str, _NonEmpty]),
    PlainSerializer(dict, return_type=dict[str, str]),
]
Listed = BeforeValidator(_listed)
"""In front of a tuple of sections, for lists that come out of YAML."""

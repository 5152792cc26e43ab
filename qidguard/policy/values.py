"""The kinds of values that a policy's fields take; what pydantic refuses, ``load`` says in our words."""

import math
import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, PlainValidator, TypeAdapter

from qidguard.core.parameter import ParameterValue, plain
from qidguard.policy.section import LARGEST_NUMBER, by_key, entries, refusal, shown, told


def phrase(text: str) -> str:
    """Return ``text`` if it says something.

    Example:
        >>> phrase("patients")
        'patients'
    """
    if not text.strip():
        raise refusal("must not be empty")
    return text


def some(sentence: str, items: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return ``items``; of none, ``sentence`` is said.

    Example:
        >>> some("must name at least one column", ("age",))
        ('age',)
    """
    if not items:
        raise refusal(sentence)
    return items


def once(sentence: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return ``texts`` if none stands there twice; else ``sentence`` is said, in which ``{!r}`` is the text.

    Example:
        >>> once("names {!r} twice", ("age", "sex"))
        ('age', 'sex')
    """
    for position, text in enumerate(texts):
        if text in texts[:position]:
            raise refusal(sentence.format(text), remedy="keep one of them", at=position)
    return texts


def _quasi_identifiers(value: object) -> tuple[str, ...] | Literal["auto"]:
    if value == "auto":
        return "auto"
    if isinstance(value, str):
        raise refusal(f"must be a list of columns, or auto, not {shown(value)}")
    return _SOME.validate_python(value)


def _one_or_more(value: object) -> str | tuple[str, ...]:
    return value if isinstance(value, str) else _SOME.validate_python(value)


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


def whole_number(value: object, least: int = 1) -> int:
    """Return ``value`` if it is a count, of at least ``least``.

    Example:
        >>> whole_number(2)
        2
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise refusal(f"must be a whole number, not {shown(value)}")
    if not least <= value <= LARGEST_NUMBER:
        raise refusal(f"must be at least {least}, not {shown(value)}")
    return value


def _day(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise refusal(f"must be a day of the calendar, not {shown(value)}") from None
    return value


def _parameters(value: object) -> Mapping[str, ParameterValue]:
    value = entries(value)
    for name, given in value.items():
        _scalar(given, name, "must be a number, text, true or false")
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
        if not isinstance(name, str):
            raise refusal(f"must be text, not {shown(name)}")
        phrase(name)
        if not number(given):
            raise refusal(f"gives {name} the weight 0", remedy="leave it out, or give it another weight")
    return MappingProxyType(dict(value))


def _given(value: object, at: str) -> object:
    if isinstance(value, (list, tuple)):
        return tuple(_scalar(one, at) for one in value)
    return _scalar(value, at)


def _scalar(value: object, at: str, must: str = "must hold numbers, text, true or false") -> ParameterValue:
    if not isinstance(value, (int, float, str, bool)):
        raise refusal(f"{must}, not {shown(value)}", at=at)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number(value)
    return value


def _nested_parameters(value: object) -> Mapping[str, object]:
    taken: dict[str, object] = {}
    for name, given in entries(value).items():
        if isinstance(given, Mapping):
            if unnamed := [key for key in given if not isinstance(key, str)]:
                raise refusal(f"has the key {shown(unnamed[0])}, which is not text", at=name)
            taken[name] = MappingProxyType({key: _given(one, name) for key, one in given.items()})
        else:
            taken[name] = _given(given, name)
    return MappingProxyType(taken)


def _listed(value: object) -> object:
    if not isinstance(value, (list, tuple)):
        raise refusal(f"must be a list, not {shown(value)}")
    return tuple(value)


FROZEN = AfterValidator(lambda found: MappingProxyType(dict(found)))
"""Behind a mapping: nobody changes it any more."""

AS_DICT = PlainSerializer(dict, return_type=dict[str, Any])
"""Behind a frozen mapping, which pydantic writes no JSON of by itself."""

Listed = BeforeValidator(_listed)
"""In front of a tuple, for lists that come out of YAML."""

UNIQUE = {"uniqueItems": True}
_ONCE = AfterValidator(partial(once, "names the column {!r} twice"))

Phrase = Annotated[str, Field(min_length=1), AfterValidator(phrase)]
Texts = Annotated[tuple[str, ...], Field(fail_fast=True), Listed]
Columns = Annotated[tuple[str, ...], Field(fail_fast=True, json_schema_extra=UNIQUE), Listed, _ONCE]
SomeColumns = Annotated[
    tuple[str, ...],
    Field(fail_fast=True, json_schema_extra={"minItems": 1, **UNIQUE}),
    Listed,
    _ONCE,
    AfterValidator(partial(some, "must name at least one column")),
]
_SOME = TypeAdapter[tuple[str, ...]](SomeColumns, config={"strict": True})
QuasiIdentifiers = Annotated[SomeColumns | Literal["auto"], BeforeValidator(_quasi_identifiers)]
OneOrMore = Annotated[str | SomeColumns, BeforeValidator(_one_or_more)]
Number = Annotated[int | float, PlainValidator(number, json_schema_input_type=float)]
Count = Annotated[int, Field(ge=1), BeforeValidator(whole_number)]
Fraction = Annotated[
    float, Field(gt=0, le=1), BeforeValidator(number), told("must be above 0 and at most 1, not {}")
]
Day = Annotated[date, BeforeValidator(_day)]
Parameters = Annotated[
    Mapping[str, ParameterValue],
    PlainValidator(_parameters, json_schema_input_type=dict[str, bool | float | str]),
    AS_DICT,
]
Weighted = Annotated[
    Mapping[str, int | float], PlainValidator(weights, json_schema_input_type=dict[str, float]), AS_DICT
]
_One = bool | float | str | list[bool | float | str]
NestedParameters = Annotated[
    Mapping[str, Any],
    PlainValidator(_nested_parameters, json_schema_input_type=dict[str, _One | dict[str, _One]]),
    PlainSerializer(plain, return_type=dict[str, Any]),
]
PhraseByColumn = Annotated[Mapping[str, Phrase], by_key(), AS_DICT]

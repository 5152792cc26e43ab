"""A section of a policy, and how its validators refuse a value: a phrase and what to write instead."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, WrapValidator, model_validator
from pydantic_core import PydanticCustomError

from qidguard.core.address import shown_address

LONGEST_SHOWN = 40
"""Characters of an offending value that an error repeats."""

LARGEST_NUMBER = 1e15
"""No count of persons and no share comes near it, and every whole number below is exact as a float."""


def refusal(sentence: str, *, remedy: str = "", at: int | str | None = None) -> PydanticCustomError:
    """Return the error that a validator raises; the field's path is put in front of it later.

    Example:
        >>> str(refusal("must be text, not 5"))
        'must be text, not 5'
    """
    return PydanticCustomError("refused", "{sentence}", {"sentence": sentence, "remedy": remedy, "at": at})


def shown(value: object) -> str:
    """Return an offending value as an error repeats it: in YAML's words, and short.

    Example:
        >>> shown(True), shown("five"), shown(["a"]), shown(None)
        ('true', "'five'", 'a list', 'empty')
    """
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        return "a huge number"
    if isinstance(value, str):
        value = shown_address(value)  # before it is cut, which could hide where a password ends
    text = repr(value) if isinstance(value, (str, float)) else str(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def entries(value: object, of: str = "") -> dict[str, Any]:
    """Return the entries of a mapping whose keys are texts; ``of`` says what of.

    Example:
        >>> entries({"age": 2}, "columns to levels")
        {'age': 2}
    """
    if not isinstance(value, Mapping):
        raise refusal(f"must be a mapping{of and ' of '}{of}, not {shown(value)}")
    for name in value:
        if not isinstance(name, str):
            raise refusal(f"has the key {shown(name)}, which is not text")
    return dict(value)


def told(sentence: str, remedy: str = "") -> WrapValidator:
    """Return a validator that says ``sentence`` where pydantic refuses the value; ``{}`` is the value.

    What another validator of ours refuses is said as it is.

    Example:
        >>> told("must be days, not {}").func("5", int)
        5
    """

    def checked(value: object, of_pydantic: Callable[[object], object]) -> object:
        try:
            return of_pydantic(value)
        except ValidationError as error:
            if error.errors()[0]["type"] == "refused":
                raise
            raise refusal(sentence.format(shown(value)), remedy=remedy) from None

    return WrapValidator(checked)


def by_key(of: str = "") -> WrapValidator:
    """Return a validator around a mapping ``of`` something: it is frozen, and its first fault is said.

    Example:
        >>> by_key("columns").func({"age": 2}, dict)
        mappingproxy({'age': 2})
    """

    def checked(value: object, of_pydantic: Callable[[object], Mapping[str, object]]) -> object:
        given = entries(value, of).items()
        return MappingProxyType({key: of_pydantic({key: item})[key] for key, item in given})

    return WrapValidator(checked)


class Section(BaseModel):
    """Fields under one heading of a policy; a field without a value counts as not written."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        hide_input_in_errors=True,
        defer_build=True,  # a policy is read by few of them, and many runs read none
    )

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, given: Any) -> Any:
        if isinstance(given, cls):
            return given
        known = cls.model_fields
        return {key: value for key, value in entries(given).items() if value is not None or key not in known}

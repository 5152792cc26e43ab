"""Fixed levels: for each quasi-identifier a level of its hierarchy, or that it is not published."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from qidguard.core.choice import choice_parts
from qidguard.core.errors import UserError
from qidguard.core.parameter import Arguments
from qidguard.policy.section import entries, refusal, shown
from qidguard.policy.values import AS_DICT, FROZEN, number

RECODE = "recode"
"""What the remedy of fixed levels is called where an anonymizer is named; no plugin is asked for it."""

DROP: Literal["drop"] = "drop"
"""What stands in the place of a level where a column is not published."""

Level = int | Literal["drop"]


def levels(value: object) -> Mapping[str, Level]:
    """Return ``value`` if it gives columns levels, whole numbers from 0 on, or ``drop``.

    Example:
        >>> dict(levels({"age": 2, "ward": "drop"}))
        {'age': 2, 'ward': 'drop'}
    """
    value = entries(value, "columns to levels")
    for column, level in value.items():
        is_level = isinstance(level, int) and not isinstance(level, bool) and level >= 0
        if not is_level and level != DROP:
            raise refusal(
                f"must be a level, a whole number from 0 on, or drop, not {shown(level)}",
                remedy="list the levels with: qidguard hierarchy show DATA --policy FILE --column NAME",
                at=column,
            )
    return MappingProxyType(dict(value))


def suppressed_share(value: object) -> float:
    """Return ``value`` if it is a share that may be left out.

    Example:
        >>> suppressed_share(0.02)
        0.02
    """
    share = number(value)
    if not 0 <= share < 1:
        raise refusal(f"must be at least 0 and below 1, not {shown(value)}")
    return float(share)


def levels_of_text(written: str) -> dict[str, Level]:
    """Return the levels of a text such as ``age=2,specialty=drop``; a name with a comma stands in quotes.

    Raises:
        UserError: When it is something else.

    Example:
        >>> levels_of_text("age=2, 'a, b'=drop")
        {'age': 2, 'a, b': 'drop'}
    """
    found: dict[str, Level] = {}
    for part in choice_parts(written):
        if not part.strip():
            continue
        name, sign, level = (text.strip() for text in part.rpartition("="))
        if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'":
            name = name[1:-1]
        is_level = level == DROP or (level.isascii() and level.isdigit())
        if not (name and sign and is_level):
            raise UserError(
                f"--recode: {part.strip()!r} must be COLUMN=LEVEL, such as age=2, or COLUMN=drop; put a"
                " name with a comma in quotes"
            )
        if name in found:
            raise UserError(f"--recode names {name!r} twice; keep one of them")
        found[name] = DROP if level == DROP else int(level)
    return found


@dataclass(frozen=True, kw_only=True)
class FixedRecoding:
    """Fixed levels that a person asks for, in the place of an anonymizer's name.

    Args:
        levels: Column → level, or ``drop``.
        suppress: The largest share of persons or records that may be left out, 0 ≤ share < 1.
    """

    levels: Mapping[str, Level]
    suppress: float = 0.0

    @classmethod
    def read(cls, given: object, suppress: object = None) -> "FixedRecoding":
        """Return checked ones; UserError for what is none."""
        try:
            asked = levels(given)
        except PydanticCustomError as error:
            raise _said(error, "recode") from None
        try:
            return cls(levels=asked, suppress=0.0 if suppress is None else suppressed_share(suppress))
        except PydanticCustomError as error:
            raise _said(error, "suppress") from None

    @classmethod
    def of_choice(cls, parameters: Mapping[str, object]) -> "FixedRecoding":
        """Return what ``recode[levels={age: 2}, suppress=0.02]`` says; UserError for anything else."""
        unknown = sorted(parameters.keys() - {"levels", "suppress"})
        if unknown:
            raise UserError(f"{RECODE}: unknown parameter {unknown[0]!r}; it takes: levels, suppress")
        return cls.read(parameters.get("levels", {}), parameters.get("suppress"))

    @property
    def arguments(self) -> Arguments:
        """What stands in the receipt."""
        return MappingProxyType({"levels": self.levels, "suppress": self.suppress})


def _said(error: PydanticCustomError, field: str) -> UserError:
    context = error.context or {}
    at = "" if context.get("at") is None else f" of {context['at']!r}"
    remedy = f"; {context['remedy']}" if context.get("remedy") else ""
    return UserError(f"{field}{at} {error.message()}{remedy}")


LevelByColumn = Annotated[
    Mapping[str, Annotated[int, Field(ge=0)] | Literal["drop"]], BeforeValidator(levels), FROZEN, AS_DICT
]
SuppressedShare = Annotated[float, Field(ge=0, lt=1), BeforeValidator(suppressed_share)]

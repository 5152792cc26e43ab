"""The ``accepted`` section: what a person accepts of published columns, in words."""

import unicodedata
from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, Field

from qidguard.policy.origin import FieldPath
from qidguard.policy.section import Section, refusal, shown
from qidguard.policy.values import Phrase, SomeColumns

MOST_COLUMNS = 2
"""One published column, or two together, may be accepted for what they tell."""

_FEWEST_WORDS = 2
_FEWEST_WIDE = 4
"""Letters of a script that puts no spaces between words, such as Chinese."""


def _one_or_two(columns: tuple[str, ...]) -> tuple[str, ...]:
    if len(columns) > MOST_COLUMNS:
        raise refusal(f"names {len(columns)} columns", remedy="accept one column, or two together")
    return columns


def in_words(text: str) -> str:
    """Return a reason if it has at least two words.

    Example:
        >>> in_words("it is public")
        'it is public'
    """
    words = sum(any(character.isalpha() for character in word) for word in text.split())
    wide = sum(c.isalpha() and unicodedata.east_asian_width(c) in {"W", "F"} for c in text)
    if words < _FEWEST_WORDS and wide < _FEWEST_WIDE:
        raise refusal(f"must say in words why, not {shown(text)}")
    return text


Reason = Annotated[Phrase, AfterValidator(in_words), Field(json_schema_extra={"minLength": 4})]


class Acceptance(Section):
    """What a person accepts of one published column, or of two together.

    Without ``tells`` it is what the column gives away by itself: that it is (nearly) unique per person, or
    that its content looks like a direct identifier.

    Example:
        >>> Acceptance(columns=["YEAR"], tells="REFYEAR", reason="the year is public anyway").tells
        'REFYEAR'
    """

    columns: Annotated[
        SomeColumns, AfterValidator(_one_or_two), Field(json_schema_extra={"maxItems": MOST_COLUMNS})
    ] = Field(description="The published column, or two that tell something together.", examples=[["YEAR"]])
    tells: str | None = Field(
        default=None,
        description="The QID whose original values they tell; without it the column itself is accepted.",
        examples=["REFYEAR"],
    )
    reason: Reason = Field(
        description="Why it may be published all the same, in words.",
        examples=["the year of the file is public anyway"],
    )
    by: Phrase | None = Field(
        default=None, description="Who accepts it.", examples=["A. Roe, privacy officer"]
    )

    @property
    def named(self) -> tuple[str, ...]:
        """Every column that it names."""
        return self.columns if self.tells is None else (*self.columns, self.tells)

    @property
    def words(self) -> str:
        """Why it is accepted and by whom, on one line."""
        return self.reason if self.by is None else f"{self.reason} ({self.by})"

    @property
    def text(self) -> str:
        """What is accepted, on one line, such as ``'YEAR' tells 'REFYEAR'``."""
        columns = " and ".join(map(repr, self.columns))
        verb = "tells" if len(self.columns) == 1 else "tell"
        return columns if self.tells is None else f"{columns} {verb} {self.tells!r}"


def path_among(accepted: Iterable[Acceptance], column: str) -> FieldPath:
    """Return the path of the first acceptance that names ``column``; empty where none does."""
    for at, acceptance in enumerate(accepted):
        if column in acceptance.columns:
            return ("accepted", at, "columns", acceptance.columns.index(column))
        if column == acceptance.tells:
            return ("accepted", at, "tells")
    return ()

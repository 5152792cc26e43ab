"""The lexicon as values: concepts, their words, and families of short names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from qidguard.sdk import ColumnKind, Role, Sensitivity, Tier, ValueType

HEAD_FIRST = frozenset({"fr", "es", "pt", "it"})
"""Languages that put the noun before what describes it: ``nom du patient``."""
LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "other", "all")


@dataclass(frozen=True, kw_only=True)
class Concept:
    """One thing that a column may be, as a table of a TOML file says it.

    Args:
        name: A plain identifier, such as ``birth_date``.
        title: What it is, in words that a privacy officer knows.
        roles: The roles of such a column, the one that matters most for a release first.
        kind: What its values are.
        tier: Why it is sensitive; None where it is not.
        category: Of what it is sensitive, such as ``health``; its title where nothing is written.
        topic: The subject that a table with several such columns is about, or nothing.
        confidence: The most that its words can say, 0..1.
        is_anywhere: Whether it stays the meaning of a name in which something unknown follows.
        is_weak: Whether its words only ever raise a question.
        types: Types of values that such a column can have; empty allows all.
        most_values: The most distinct values that it plausibly has, or 0.
        fewest_values: The fewest distinct values that its ambiguous words plausibly have, or 0.
        least_share: The least share of records that its distinct values plausibly are, 0..1.
        unless: Sequences of tokens beside which its words mean something else.
        weak_alone: Ambiguous words of it that only ever raise a question.
        endings: Ends of words that are hardly ever anything else.
        note: What a person should know.
        flag: The concept that its ambiguous words mean in a column of two values, or nothing: a death that
            is a yes or a no is no date.
    """

    name: str
    title: str
    roles: tuple[Role, ...]
    kind: ColumnKind
    tier: Tier | None = None
    category: str = ""
    topic: str = ""
    confidence: float = 1.0
    is_anywhere: bool = False
    is_weak: bool = False
    types: tuple[ValueType, ...] = ()
    most_values: int = 0
    fewest_values: int = 0
    least_share: float = 0.0
    unless: tuple[tuple[str, ...], ...] = ()
    weak_alone: frozenset[tuple[str, ...]] = frozenset()
    endings: tuple[str, ...] = ()
    note: str = ""
    flag: str = ""

    @property
    def sensitivity(self) -> Sensitivity | None:
        """By which law or custom it is sensitive; None where it is not."""
        return (
            None if self.tier is None else Sensitivity(tier=self.tier, category=self.category or self.title)
        )


class Word(NamedTuple):  # there are tens of thousands, and a dataclass takes three times as long to make
    """One word of the lexicon.

    Args:
        tokens: Its tokens, evened out.
        concept: What it means.
        language: The language, of ``LANGUAGES``.
        is_alone: Counts only as a whole name, or beside a person or what is neutral.
    """

    tokens: tuple[str, ...]
    concept: Concept
    language: str
    is_alone: bool

    @property
    def is_weak(self) -> bool:
        """Whether it only raises a question."""
        return self.concept.is_weak or (self.is_alone and self.tokens in self.concept.weak_alone)


@dataclass(frozen=True, kw_only=True)
class Family:
    """Short names that mean something within one survey or kind of file.

    Args:
        title: The survey or the kind of file.
        least: How many of them must stand in a table before they count in full, ≥ 1.
        needs_persons: Whether they count only in a table in which other names speak of persons.
        codes: The name as one word → its concept.
        series: How names of a series begin, or end, with a star for the rest (``lbx*``) → its concept; they
            count only where the family stands by names of its own.
        nothing: Names, also with a star, that say nothing of a person: flags of processing.
    """

    title: str
    least: int
    needs_persons: bool
    codes: Mapping[str, Concept]
    series: Mapping[str, Concept]
    nothing: frozenset[str] = frozenset()

    def code(self, name: str) -> Concept | None:
        """Return what a short name means; figures at its end may number a series."""
        return self.codes.get(name) or self.codes.get(name.rstrip("0123456789"))

    def in_series(self, name: str) -> Concept | None:
        """Return what a name means by its longest beginning or end; None where no series has it."""
        fitting = [star for star in self.series if _fits(star, name)]
        return self.series[max(fitting, key=len)] if fitting else None

    def says_nothing(self, name: str) -> bool:
        """Return whether a name is one that says nothing of a person."""
        return any(_fits(star, name) for star in self.nothing)


def _fits(star: str, name: str) -> bool:
    begin, sign, end = star.partition("*")
    return (
        name == star
        if not sign
        else len(name) > len(begin + end) and name.startswith(begin) and name.endswith(end)
    )

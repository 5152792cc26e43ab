"""The lexicon as values: concepts, words, families of short names, and what a table of TOML must be."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple

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


_TEXTS = ("title", "kind", "tier", "category", "topic", "note", "flag")
_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    **dict.fromkeys(_TEXTS, ((str,), "a text")),
    **dict.fromkeys(("anywhere", "weak"), ((bool,), "true or false")),
    **dict.fromkeys(("confidence", "least_share"), ((int, float), "a number")),
    **dict.fromkeys(("most_values", "fewest_values"), ((int,), "a whole number")),
}


def check_table(
    where: str, name: str, table: object, fields: Collection[str], known: Collection[str]
) -> None:
    """Refuse what is no table of a concept; one of words alone must be of a concept that is known.

    Raises:
        ValueError: When it is none; the sentence names the file, the concept and what to write.

    Example:
        >>> check_table("a.toml", "incom", {"en": ["gage"]}, ["en"], ["income_wealth", "income"])
        Traceback (most recent call last):
        ...
        ValueError: a.toml: there is no concept 'incom'; did you mean 'income'?
    """
    if not isinstance(table, dict):
        raise ValueError(f"{where}: {name!r} is no table of a concept; write [{name}]")  # noqa: TRY004 - what is wrong is a text
    if unknown := sorted(set(table) - set(fields)):
        raise ValueError(f"{where}: {name!r} has {unknown[0]!r}, which a concept has not; mend the file")
    for field, given in table.items():
        _check(where, name, field, given)
    if name not in known and not {"title", "roles", "kind"} & set(table):
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "give it title, roles and kind to make it one"
        raise ValueError(f"{where}: there is no concept {name!r}; {hint}")


def _check(where: str, name: str, field: str, given: object) -> None:
    if field == "alone":
        if not isinstance(given, dict) or not set(given) <= set(LANGUAGES):
            raise ValueError(f"{where}: {name!r} has an alone that is no table of languages; correct it")
        for language, words in given.items():
            _check(where, name, language, words)
    elif field in _TYPES:
        kind, words = _TYPES[field]
        if not isinstance(given, kind):
            raise ValueError(f"{where}: {field} of {name!r} must be {words}; correct it")
    elif not (isinstance(given, list) and all(isinstance(one, str) for one in given)):
        raise ValueError(f"{where}: {field} of {name!r} must be a list of texts; correct it")


def listed(table: Any, names: Collection[str] | None = None) -> Any:
    """Return a table in which words that stand in one text, with spaces between them, are a list.

    A text is read many times as quickly as a list, and there are tens of thousands of words. ``names`` are
    the names under which words stand; without it they stand under all. What is no table stays what it is.

    Example:
        >>> listed({"title": "pay of a month", "en": "wage gross_pay", "de": ["lohn"]}, {"en", "de"})
        {'title': 'pay of a month', 'en': ['wage', 'gross_pay'], 'de': ['lohn']}
    """
    if not isinstance(table, dict):
        return table
    return {
        name: given.split() if isinstance(given, str) and (names is None or name in names) else given
        for name, given in table.items()
    }

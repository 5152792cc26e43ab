"""Vocabularies of values: what people write for a sex, a marital status, a country and the like."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from qidguard.sdk import ContentTest, Role
from qidguard_standard.recognizers.lexicon.reading import ASKED, read_name
from qidguard_standard.recognizers.lexicon.vocabulary import standard

_FILES = ("vocabularies.toml", "answers.toml", "places.toml")


@dataclass(frozen=True, kw_only=True)
class ValueVocabulary:
    """Values for one subject.

    Args:
        test: Its test.
        roles: What a column of such values is, the likeliest first; empty for what is harmless.
        is_place: Whether a thing has such a value as well as a person: a product's country.
        is_in_company: Whether the values say so only in a table about persons: elsewhere "good" is a wine.
        is_phrase: Whether its words stand anywhere in a value, so that half of the values are enough.
    """

    test: ContentTest
    roles: tuple[Role, ...]
    is_place: bool = False
    is_in_company: bool = False
    is_phrase: bool = False


@cache
def vocabularies() -> tuple[ValueVocabulary, ...]:
    """Return every vocabulary; what several files hold of one name is one.

    Example:
        >>> sex = next(v for v in vocabularies() if v.test.name == "word_sex")
        >>> sex.test.passes("Weiblich"), sex.test.passes("open"), sex.roles[0].value
        (True, False, 'quasi_identifier')
    """
    folder = files("qidguard_standard.recognizers.content")
    entries: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for file in _FILES:
        for entry in tomllib.loads((folder / file).read_text("utf-8"))["vocabulary"]:
            entries.setdefault(entry["name"], []).append((file, entry))
    return tuple(_vocabulary(name, parts) for name, parts in entries.items())


def _vocabulary(name: str, parts: list[tuple[str, dict[str, Any]]]) -> ValueVocabulary:
    file, first = parts[0]
    # one text with bars between is read many times as quickly as a list
    words = frozenset(word.strip().casefold() for _, entry in parts for word in entry["words"].split("|"))
    is_phrase = first.get("phrase", False)
    beginnings = "|".join(re.escape(word) for word in sorted(words))
    return ValueVocabulary(
        test=ContentTest(
            name=f"word_{name}",
            title=first["title"],
            words=None if is_phrase else words,
            pattern=rf"(?:.*\W)?(?:{beginnings})[^\W_]*(?:\W.*)?" if is_phrase else None,
            chance=first.get("chance", 0.0),
        ),
        roles=tuple(map(Role, first["roles"])),
        is_place=file == "places.toml",
        is_in_company=first.get("in_company", False),
        is_phrase=is_phrase,
    )


def names_a_thing(name: str) -> bool:
    """Return whether a column's name speaks of a thing and of no person.

    Example:
        >>> names_a_thing("country_of_manufacture"), names_a_thing("customer_country"), names_a_thing("c7")
        (True, False, False)
    """
    words = standard()
    tokens = set(words.tokens(name))
    return bool(tokens & (words.things | words.institutions)) and not tokens & words.persons


def counts_things(name: str) -> bool:
    """Return whether a column's name speaks of how many or how long, so that its numbers are no ages.

    Example:
        >>> counts_things("months_since_last_visit"), counts_things("age_in_months"), counts_things("c7")
        (True, False, False)
    """
    tokens = standard().tokens(name)
    return not standard().counting.isdisjoint(tokens) and "age" not in tokens


def is_named_otherwise(name: str, roles: tuple[Role, ...]) -> bool:
    """Return whether a column's name says for sure that it is something of none of these roles.

    Example:
        >>> sex = (Role.QUASI_IDENTIFIER,)
        >>> is_named_otherwise("charge_degree", sex), is_named_otherwise("c7", sex)
        (True, False)
    """
    match = read_name(name, standard())
    return match is not None and match.confidence > ASKED and not set(match.word.concept.roles) & set(roles)

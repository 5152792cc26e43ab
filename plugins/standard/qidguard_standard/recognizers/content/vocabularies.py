"""Vocabularies of values: what people write for a sex, a marital status, a country and the like."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from qidguard.sdk import ContentTest, Role
from qidguard_standard.recognizers.lexicon.vocabulary import Vocabulary as Words
from qidguard_standard.recognizers.lexicon.vocabulary import standard_words

_PLACES = "places.toml"


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Values for one subject.

    Args:
        test: Its test.
        roles: What a column of such values is, the likeliest first; empty for what is harmless.
        is_place: Whether a thing has such a value as well as a person: a product's country.
    """

    test: ContentTest
    roles: tuple[Role, ...]
    is_place: bool = False


@cache
def vocabularies() -> tuple[Vocabulary, ...]:
    """Return every vocabulary.

    Example:
        >>> sex = next(v for v in vocabularies() if v.test.name == "word_sex")
        >>> sex.test.passes("Weiblich"), sex.test.passes("open"), sex.roles[0].value
        (True, False, 'quasi_identifier')
    """
    folder = files("qidguard_standard.recognizers.content")
    entries = [
        (entry, name == _PLACES)
        for name in ("vocabularies.toml", _PLACES)
        for entry in tomllib.loads((folder / name).read_text("utf-8"))["vocabulary"]
    ]
    return tuple(
        Vocabulary(
            test=ContentTest(
                name=f"word_{entry['name']}",
                title=entry["title"],
                words=frozenset(word.casefold() for word in entry["words"]),
                chance=entry.get("chance", 0.0),
            ),
            roles=tuple(map(Role, entry["roles"])),
            is_place=is_place,
        )
        for entry, is_place in entries
    )


@cache
def _lexicon() -> Words:
    return Words.of([standard_words()])


def names_a_thing(name: str) -> bool:
    """Return whether a column's name speaks of a thing and of no person.

    Example:
        >>> names_a_thing("country_of_manufacture"), names_a_thing("customer_country"), names_a_thing("c7")
        (True, False, False)
    """
    tokens, words = set(_lexicon().tokens(name)), _lexicon()
    return bool(tokens & (words.things | words.institutions)) and not tokens & words.persons

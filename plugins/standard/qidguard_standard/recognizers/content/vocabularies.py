"""Vocabularies of values: what people write for a sex, a marital status, a country and the like."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from qidguard.sdk import ContentTest, Role


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Values for one subject.

    Args:
        test: Its test.
        roles: What a column of such values is, the likeliest first; empty for what is harmless.
    """

    test: ContentTest
    roles: tuple[Role, ...]


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
        entry
        for name in ("vocabularies.toml", "places.toml")
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
        )
        for entry in entries
    )

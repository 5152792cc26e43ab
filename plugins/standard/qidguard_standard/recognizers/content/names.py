"""Names of persons: forenames, surnames, and both in a row."""

# ruff: noqa: E501, SIM905 - lists of words are read as words

import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files

from qidguard.sdk import ContentTest

_WORD = r"[^\W\d_][\w.'’-]*"
_NO_PERSON = frozenset(
    "hospital clinic center centre medical school university college church street avenue road inc ltd llc gmbh ag "
    "corp company co & and und et y e of the der die das saint st ms ss hurricane storm park city lake".split()
)


@cache
def _names(kind: str) -> frozenset[str]:
    text = (files("qidguard_standard.recognizers.content") / "names.toml").read_text("utf-8")
    return frozenset(_folded(name) for names in tomllib.loads(text)[kind].values() for name in names.split())


def _folded(word: str) -> str:
    """Return a word small, without accents and without digits behind it, which made-up patients carry."""
    letters = unicodedata.normalize("NFKD", word.casefold().rstrip("0123456789"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def is_forename(text: str) -> bool:
    """Return whether one word is a common forename, or two joined by a hyphen are.

    Example:
        >>> is_forename("Jean-Pierre"), is_forename("Aaron697"), is_forename("lamp")
        (True, True, False)
    """
    return all(_folded(part) in _names("forenames") for part in text.split("-"))


def is_surname(text: str) -> bool:
    """Return whether one word, or the last of several joined by hyphens, is a common surname.

    Example:
        >>> is_surname("Müller"), is_surname("van Dijk"), is_surname("lamp")
        (True, True, False)
    """
    return _folded(re.split("[ -]", text)[-1]) in _names("surnames")


def is_full_name(text: str) -> bool:
    """Return whether some words are a forename and a further name, in either order, and no organization.

    Example:
        >>> is_full_name("Braund, Mr. Owen Harris"), is_full_name("Anna Weber"), is_full_name("Thomas & Co")
        (True, True, False)
    """
    _, comma, given = text.partition(",")
    words = [w for w in re.split(r"[ ,]+", text) if w]
    if any(word.casefold().strip(".") in _NO_PERSON for word in words):
        return False
    first = [word for word in (given if comma else text).split() if not word.endswith(".")]
    if not first:
        return False
    return is_forename(first[0]) or (not comma and is_surname(words[0]) and is_forename(words[-1]))


NAMES = (
    ContentTest(name="forename", title="forenames", pattern=rf"{_WORD}", holds=is_forename),
    ContentTest(
        name="surname",
        title="surnames",
        pattern=rf"(?:(?:van|von|de|der|den|di|da|dos|el|al|le|la|mac|o') ?){{0,2}}{_WORD}",
        holds=is_surname,
    ),
    ContentTest(
        name="full_name",
        title="names of persons",
        pattern=rf"{_WORD},?(?: {_WORD}){{1,4}}",
        holds=is_full_name,
    ),
)
"""Tests of names; a list of common names holds a part of any population's, so a part is enough."""

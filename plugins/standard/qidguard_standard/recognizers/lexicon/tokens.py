"""A name as its tokens: what is compared with the words of the lexicon."""

import re
import unicodedata
from collections.abc import Mapping

# letters that Unicode does not take apart into a base letter and an accent
_FOLDED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})

_PLAIN = re.compile("[a-z]+(?:[-_ ][a-z]+)*")
_BETWEEN = re.compile("[-_ ]")
LONGEST_NAME = 1_000
"""Characters of a name that are read."""
SHORTEST_PLURAL = 5
"""A token that is shorter keeps its s: French ``pays`` is a country, not a payment."""


def split_name(name: str) -> tuple[str, ...]:
    """Return the tokens of a column name: lower case, accents folded, camelCase and snake_case split."""
    letters = name[:LONGEST_NAME]
    if not letters.isascii():
        apart = unicodedata.normalize("NFKD", letters)
        letters = "".join([c for c in apart if not unicodedata.combining(c)])
    if _PLAIN.fullmatch(letters):
        return tuple(_BETWEEN.split(letters))
    words: list[str] = []
    for at, character in enumerate(letters):
        before = letters[at - 1] if at else " "
        after = letters[at + 1] if at + 1 < len(letters) else " "
        if not character.isalnum():
            continue
        if _is_start(before, character, after):
            words.append("")
        words[-1] += character
    return tuple(word.casefold().translate(_FOLDED) for word in words)


def _is_start(before: str, character: str, after: str) -> bool:
    """Whether a token starts here: after a separator, between letters and digits, at the hump of a camel."""
    if not before.isalnum() or before.isdigit() != character.isdigit():
        return True
    return character.isupper() and (before.islower() or (before.isupper() and after.islower()))


def evened(token: str, abbreviations: Mapping[str, str]) -> str:
    """Return a token without plural or abbreviation, so that one word stands for its spellings.

    Example:
        >>> evened("comments", {}), evened("address", {}), evened("nbr", {"nbr": "number"})
        ('comment', 'address', 'number')
    """
    token = abbreviations.get(token, token)
    if len(token) >= SHORTEST_PLURAL and token.endswith("s") and token[-2] not in "sui":
        token = token[:-1]
    return abbreviations.get(token, token)


def is_within(tokens: tuple[str, ...], sequence: tuple[str, ...]) -> bool:
    """Return whether ``sequence`` stands in ``tokens``, as whole tokens next to each other.

    Example:
        >>> is_within(("date", "of", "birth"), ("of", "birth")), is_within(("report",), ("ort",))
        (True, False)
    """
    return any(tokens[at : at + len(sequence)] == sequence for at in range(len(tokens) - len(sequence) + 1))


def joined(name: str) -> str:
    """Return a name as one word: what the short codes of surveys are compared by.

    Example:
        >>> joined("ph.ecog"), joined("PB220A")
        ('phecog', 'pb220a')
    """
    return "".join(split_name(name))

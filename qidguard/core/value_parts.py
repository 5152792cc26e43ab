"""Whether a sentence of a plugin holds a value of the table that the plugin has seen."""

import re
from collections.abc import Collection, Iterator

SMALL_CLASS = 10
"""A value that fewer records than this hold is of a small class."""

_SHORTEST = 3
_LONGEST = 200
_FIGURE = re.compile(r"[\d.,:%/ -]{1,6}")
_EDGE = re.compile(r"(?<=\W)|(?=\W)|^|$")


def holds_value(sentence: str, values: Collection[str]) -> bool:
    """Return whether a part of a sentence is one of some case-folded values; a short figure is none.

    Example:
        >>> holds_value("most are of Basel, 41 of them", {"basel"}), holds_value("41 of 98", {"41"})
        (True, False)
    """
    return bool(values) and any(part in values for part in _parts(sentence.casefold()))


def _parts(sentence: str) -> Iterator[str]:
    """Yield what of a sentence stands between two edges of words, up to 200 characters long."""
    edges = [match.start() for match in _EDGE.finditer(sentence)]
    for at, start in enumerate(edges):
        for end in edges[at + 1 :]:
            if end - start > _LONGEST:
                break
            part = sentence[start:end].strip()
            if len(part) >= _SHORTEST and _FIGURE.fullmatch(part) is None:
                yield part

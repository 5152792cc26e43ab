"""Values where none should be: in a sentence of a plugin that has seen the table, and as a column's name."""

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


_FORMS = (
    r"[^@\s]+@[^@\s]+\.\w+",  # an address of e-mail
    r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[ T]\d.*)?",  # a date
    r"[-+]?[$€£]?\s*\d[\d.,' ]*\s*[%$€£]?",  # a number, a share, a price
    r"\+?\(?\d[\d \-/().]{6,}",  # a telephone or a card
    r"[A-Za-z]{0,3}[-_ ]?\d{5,}",  # a number of a person or a case
    r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f-]+",  # a UUID
    r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,}[A-Z0-9 ]*",  # an IBAN
)
_VALUE = re.compile("|".join(f"(?:{form})" for form in _FORMS))


_SHORT = re.compile(r"\d{1,4}")
"""Years and small numbers, which pivoted tables have for names."""


def told_name(name: str, place: int) -> str:
    """Return a column's name in quotes, or its place where the name has the form of somebody's value.

    For sentences on a column that no person named: they go into logs and records, and the name may be a cell
    of a first line that was taken for a header. A number of up to four digits, such as a year, is a name.

    Example:
        >>> told_name("age", 1), told_name("2019", 2), told_name("ann@x.org", 3)
        ("'age'", "'2019'", '3, whose name looks like a value,')
    """
    if looks_like_a_value(name) and not _SHORT.fullmatch(name.strip()):
        return f"{place}, whose name looks like a value,"
    return repr(name)


def looks_like_a_value(name: str) -> bool:
    """Return whether a name has the form of a number, a date, an address or an identifier.

    Example:
        >>> [looks_like_a_value(t) for t in ("age", "30d_mortality", "1971-03-04", "ann@x.org", "P0012345")]
        [False, False, True, True, True]
    """
    return _VALUE.fullmatch(name.strip()) is not None

"""Whether a text that stands where a column's name is expected looks like a value of somebody."""

import re

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

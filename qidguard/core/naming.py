"""Names that people type: two spellings of one name are one, and what a misspelled one probably means."""

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache


@lru_cache(maxsize=1024)
def folded(name: str) -> str:
    """Return a name without case, in Unicode's NFC, to be compared.

    Example:
        >>> folded("Visits") == folded("VISITS")
        True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


LONGEST_LIST = 12
"""More known names than this are not listed."""


def did_you_mean(word: str, known: Iterable[str], *, is_listed: bool = True) -> str:
    """Return a remedy for the unknown ``word``: the closest known name, or all of them if they are few.

    Example:
        >>> did_you_mean("quasi_identifer", ["quasi_identifiers", "sensitive"])
        "did you mean 'quasi_identifiers'?"
        >>> did_you_mean("zzz", ["csv", "parquet"])
        "choose from: 'csv', 'parquet'"
    """
    names = list(dict.fromkeys(known))
    by_fold = {name.casefold(): name for name in reversed(names)}
    close = get_close_matches(word.casefold(), list(by_fold), n=1, cutoff=0.6)
    if close:
        return f"did you mean {by_fold[close[0]]!r}?"
    if is_listed and names and len(names) <= LONGEST_LIST:
        return "choose from: " + ", ".join(repr(name) for name in names)
    return ""

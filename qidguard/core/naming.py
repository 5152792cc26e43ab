"""Names that people type: two spellings of one name are one."""

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=1024)
def folded(name: str) -> str:
    """Return a name without case, in Unicode's NFC, to be compared.

    Example:
        >>> folded("Visits") == folded("VISITS")
        True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())

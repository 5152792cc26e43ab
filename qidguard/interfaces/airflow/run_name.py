"""The name of a release that a run makes: the same for every try of it."""

import re
from hashlib import sha256

LONGEST = 100
"""Longest name of a release, in characters."""

_DIGITS = 8
_FORBIDDEN = re.compile(r"[^A-Za-z0-9._-]+")


def release_name(text: str) -> str:
    """Return a text as the name of a release: a short hash is added where it had to be changed.

    Args:
        text: For example the names of a DAG and of its run.

    Returns:
        At most 100 letters, digits, ``.``, ``_`` and ``-``, not beginning with ``.`` or ``-``.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> release_name("gate-2026-11"), release_name("gate-manual__2026-11-21T12:00:00+00:00")
        ('gate-2026-11', 'gate-manual__2026-11-21T12-00-00-00-00-1650da0a')
    """
    name = _FORBIDDEN.sub("-", text)
    if not name or name[0] in ".-":
        name = f"_{name}"
    if name == text and len(name) <= LONGEST:
        return name
    mark = sha256(text.encode()).hexdigest()[:_DIGITS]
    return f"{name[: LONGEST - _DIGITS - 1]}-{mark}"

"""Column names of a source: every one reachable, none twice."""

from collections import Counter
from collections.abc import Sequence

from qidguard.core.errors import DataError


def check_names(names: Sequence[object], source: str) -> tuple[str, ...]:
    """Return the names as a tuple of texts.

    Args:
        names: At least one name; ``a`` and ``A`` are two names.
        source: What the columns belong to, for the message.

    Returns:
        The names in their order.

    Raises:
        DataError: when there is no column, a name is no text or empty, or a name occurs twice.

    Example:
        >>> check_names(["a", "A"], "the table")
        ('a', 'A')
    """
    if not names:
        raise DataError(f"A table needs at least one column, and {source} has none.")
    checked: list[str] = []
    for position, name in enumerate(names, start=1):
        if not isinstance(name, str):
            raise DataError(
                f"Column names must be texts, and column {position} of {source} is named by a"
                f" {type(name).__name__} ({name!r}); rename it."
            )
        if not name or "\0" in name:
            raise DataError(f"Column {position} of {source} has no readable name; name it.")
        checked.append(name)
    name, count = Counter(checked).most_common(1)[0]
    if count > 1:
        raise DataError(
            f"Column names must be unique, and {source} has {count} columns named {name!r}; rename them."
        )
    return tuple(checked)

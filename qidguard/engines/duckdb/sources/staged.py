"""A source inside the connection, ready to be loaded, and the check of its column names."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from qidguard.core.errors import DataError


def check_names(names: Sequence[object], source: str) -> tuple[str, ...]:
    """Return the names as a tuple of texts.

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
                f" {type(name).__name__}; rename it."
            )
        if not name or "\0" in name:
            raise DataError(f"Column {position} of {source} has no readable name; name it.")
        checked.append(name)
    name, count = Counter(checked).most_common(1)[0]
    if count > 1:
        # a first line of data that was taken for a header is not repeated
        places = [str(place) for place, other in enumerate(checked, start=1) if other == name]
        raise DataError(
            f"Column names must be unique, and columns {', '.join(places[:-1])} and {places[-1]} of {source}"
            " have the same name; rename them."
        )
    return tuple(checked)


@dataclass(frozen=True, kw_only=True)
class Staged:
    """What stands after FROM once a source was opened.

    Args:
        names: The real column names, in the source's order; none twice.
        relation: SQL text that can stand after FROM and gives the columns c0, c1, … in that order.
        is_text: Whether all columns are texts of a CSV, whose types are still to be inferred.
        rows: Number of records, or None where it is not known before loading.
        is_materialized: Whether ``relation`` is a table of the connection, which stays after release.
        file_bytes: Size of the source file in bytes, or None.
        notes: Sentences on how the source was read, for the report.
        digest: The digest of the bytes that it was read from, where they were copied and hashed.
        checks: What raises ChangedError where a file that is read in place is another one by now.
        on_release: What gives back the things that only loading needs.
    """

    names: tuple[str, ...]
    relation: str
    is_text: bool
    rows: int | None = None
    is_materialized: bool = False
    file_bytes: int | None = None
    notes: tuple[str, ...] = ()
    digest: str | None = None
    checks: tuple[Callable[[], None], ...] = field(default=(), repr=False)
    on_release: tuple[Callable[[], None], ...] = field(default=(), repr=False)

    def release(self) -> None:
        """Unregister, detach or remove what only loading needs; a second call does no harm."""
        for give_back in self.on_release:
            give_back()


@contextmanager
def loading(staged: Staged) -> Iterator[None]:
    """Release a source when it was loaded; ChangedError, before any other, where it changed meanwhile."""

    def check() -> None:
        for changed in staged.checks:
            changed()

    try:
        yield
        check()
    except DataError:
        check()
        raise
    finally:
        staged.release()

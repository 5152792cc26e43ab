"""A source inside the connection, ready to be loaded."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Staged:
    """What stands after FROM once a source was opened.

    Args:
        names: The real column names, in the source's order; none twice.
        relation: SQL text that can stand after FROM and gives the columns c0, c1, … in that order.
        is_text: Whether all columns are texts of a CSV, whose types are still to be inferred.
        rows: Number of records, or None where it is not known before loading.
        is_materialised: Whether ``relation`` is a table of the connection, which stays after release.
        file_bytes: Size of the source file in bytes, or None.
        notes: Sentences on how the source was read, for the report.
        on_release: What gives back the things that only loading needs.
    """

    names: tuple[str, ...]
    relation: str
    is_text: bool
    rows: int | None = None
    is_materialised: bool = False
    file_bytes: int | None = None
    notes: tuple[str, ...] = ()
    on_release: tuple[Callable[[], None], ...] = field(default=(), repr=False)

    def release(self) -> None:
        """Unregister, detach or remove what only loading needs; a second call does no harm."""
        for give_back in self.on_release:
            give_back()

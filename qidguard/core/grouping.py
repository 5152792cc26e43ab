"""What a table is grouped by."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """Equivalence classes of ``qids``; cells within them by ``sensitive`` where one is given.

    Args:
        qids: At least one column name, none twice.
        sensitive: The attribute whose values make the cells, not one of the QIDs: the sensitive one, or the
            target or treatment for a metric that is measured beside it.
    """

    qids: tuple[str, ...]
    sensitive: str | None = None

    def __post_init__(self) -> None:
        if not self.qids:
            raise ValueError("a grouping needs at least one QID")
        if len(set(self.qids)) != len(self.qids):
            raise ValueError("a grouping names a QID twice")
        if self.sensitive in self.qids:
            raise ValueError(f"{self.sensitive!r} cannot be a QID and sensitive at once")

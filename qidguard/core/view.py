"""What a metric sees of a table: groupings, cells and codes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from qidguard.core.column import ColumnFacts
from qidguard.core.order import ValueOrder
from qidguard.core.versions import Changes, History

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """Equivalence classes of ``qids``; cells within them by ``sensitive`` where one is given.

    A suppressed value is no value. A record whose QIDs are all suppressed stands in no class, unless those of
    every record are: then they are one class. A suppressed value of ``sensitive`` makes no cell, and a class
    without a cell is left out, since there is nothing to learn; the size of a class counts all its persons.

    Args:
        qids: At least one column name, none twice.
        sensitive: The attribute whose values make the cells, not one of the QIDs: the sensitive one, or the
            target, treatment or weight for a metric that is measured beside it.
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


@dataclass(frozen=True, kw_only=True)
class Cells:
    """The cells of a grouping as parallel arrays, in no particular order.

    Args:
        class_id: For each cell, the number of its class, 0..classes−1.
        value: For each cell, the rank of the sensitive value among the table's values, from 0; NULL, where
            it occurs, has the rank 0 and the real values follow in their order, where they have one
            (``TableView.order``).
        n: For each cell, the persons in it, ≥ 1.
        size: For each *class*, the persons in it, ≥ 1.
        table_n: For each *value*, the persons of the whole table with it.
        has_missing: Whether rank 0 stands for NULL.
    """

    class_id: "NDArray[np.int64]"
    value: "NDArray[np.int64]"
    n: "NDArray[np.int64]"
    size: "NDArray[np.int64]"
    table_n: "NDArray[np.int64]"
    has_missing: bool


@dataclass(frozen=True, kw_only=True)
class Codes:
    """The QID columns as dictionary codes.

    Args:
        codes: Shape (rows, columns), the QIDs first; row r stands for ``records[r]`` equal records. NULL has
            the code 0.
        records: Shape (rows,), how many records each row stands for, ≥ 1.
        entity: Shape (rows,), a number for each entity, or None in a table without an entity column.
        suppressed: For each column the code of the declared suppression mark, or −1 where it does not occur.
    """

    codes: "NDArray[np.int32]"
    records: "NDArray[np.int64]"
    entity: "NDArray[np.int64] | None"
    suppressed: tuple[int, ...]


class TableView(Protocol):
    """A read-only look at an opened table, for metrics that are no group-by."""

    @property
    def columns(self) -> tuple[ColumnFacts, ...]:
        """Facts of every column of the table, in the source's order."""

    @property
    def sampling_fraction(self) -> float | None:
        """Share of the population that is in the table, 0 < f ≤ 1, or None if nobody said."""

    @property
    def has_entities(self) -> bool:
        """Whether persons are entities (an entity column was given) or records."""

    @property
    def history(self) -> History | None:
        """The earlier releases, or None where nobody gave them (an audit outside a release)."""

    @property
    def changes(self) -> Changes | None:
        """The original table beside this one, or None where nobody gave it (an audit of a table alone)."""

    @property
    def is_interrupted(self) -> bool:
        """Whether the caller asked to stop; long loops look at it."""

    def class_sizes(self, qids: tuple[str, ...]) -> "NDArray[np.int64]":
        """Return the size of every class, in persons; shape (classes,)."""

    def cells(self, grouping: Grouping) -> Cells:
        """Return the cells of a grouping that names a sensitive attribute."""

    def codes(self, qids: tuple[str, ...], beside: tuple[str, ...] = ()) -> Codes:
        """Return the QID columns as codes, rows that are equal (and of one entity) collapsed.

        Records that stand in no class of the QIDs are left out; without QIDs none is. The columns ``beside``
        follow the QIDs.
        """

    def order(self, name: str) -> ValueOrder:
        """Return the order of a column's values: of numbers, of dates, declared, or why there is none."""

    def numbers(self, name: str) -> "NDArray[np.float64]":
        """Return for each code of a column its value as a number, NaN for missing; shape (codes,).

        A Boolean counts 0 or 1, a date or timestamp in days since 1970. NotMeasurable for a column of text,
        which has no numbers. For arithmetic only: what comes out of it must tell no single value.
        """

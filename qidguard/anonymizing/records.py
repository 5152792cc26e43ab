"""A snapshot as anonymizers, attacks and metrics of loss see it: each column is read once."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from qidguard.core.column import ColumnValues

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.engines.base import Snapshot


class SnapshotRecords:
    """The records of a snapshot; it closes nothing.

    Args:
        snapshot: The snapshot, which stays open while this is used.
        suppression_mark: The text that stands for a suppressed cell.
    """

    def __init__(self, snapshot: "Snapshot", suppression_mark: str | None = None) -> None:
        self._snapshot = snapshot
        self._mark = suppression_mark
        self._columns: dict[str, ColumnValues] = {}

    @property
    def snapshot(self) -> "Snapshot":
        """The snapshot itself."""
        return self._snapshot

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in the source's order."""
        return self._snapshot.names

    @property
    def records(self) -> int:
        """Number of records."""
        return self._snapshot.records

    def codes(self, columns: Sequence[str]) -> "NDArray[np.int32]":
        """Return codes of the columns, shape (records, columns): equal values have equal codes, NULL is 0."""
        import numpy as np

        if not columns:
            return np.empty((self.records, 0), dtype=np.int32)
        self.read(columns)
        return np.stack([self.column(name).codes for name in columns], axis=1)

    def column(self, name: str) -> ColumnValues:
        """Return one column with its values, which nobody may change; DataError when there is none."""
        self.read((name,))
        return self._columns[name]

    def read(self, names: Iterable[str]) -> None:
        """Read columns in one go, those that were not read before; DataError when there is none of a name."""
        missing = tuple(name for name in dict.fromkeys(names) if name not in self._columns)
        if not missing:
            return
        for column in self._snapshot.columns(missing, suppression_mark=self._mark):
            # the same arrays are what the loss is measured against afterward
            column.codes.flags.writeable = False
            if column.numbers is not None:
                column.numbers.flags.writeable = False
            self._columns[column.name] = column

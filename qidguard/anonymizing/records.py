"""A snapshot as anonymizers, attacks and metrics of loss see it: each column is read once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.core.column import ColumnValues
from qidguard.core.kind import ColumnKind
from qidguard.core.spelling import Normalized

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.engines.base import Snapshot


class SnapshotRecords:
    """The records of a snapshot; it closes nothing.

    Args:
        snapshot: The snapshot, which stays open while this is used.
        suppression_mark: The text that stands for a suppressed cell.
        normalized: Columns of which some texts are one value; codes follow it, and columns hold all texts.
        kinds: Column → what its values are, for those of which somebody knows it.
    """

    def __init__(
        self,
        snapshot: "Snapshot",
        suppression_mark: str | None = None,
        normalized: Sequence[Normalized] = (),
        kinds: Mapping[str, ColumnKind] | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._mark = suppression_mark
        self._normalized = {one.column: one for one in normalized}
        self._columns: dict[str, ColumnValues] = {}
        self._same: dict[str, NDArray[np.int32]] = {}
        self._kinds: dict[str, ColumnKind] = dict(kinds or {})

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
        return np.stack([self._codes(name) for name in columns], axis=1)

    def _codes(self, name: str) -> "NDArray[np.int32]":
        """Return the codes of one column, in the order of the first of the values that are one."""
        import numpy as np

        own = self.column(name).codes
        if name not in self._normalized:
            return own
        if name not in self._same:
            group = self._snapshot.codes((name,), (self._normalized[name],), self._mark)[:, 0]
            first = np.full(int(group.max(initial=0)) + 1, np.iinfo(np.int32).max, dtype=np.int32)
            first[0] = 0
            np.minimum.at(first, group, own)
            used = np.unique(first[group])
            # 0 stays what is missing, whether it occurs or not
            place = np.searchsorted(used, first[group]) + (0 if used[:1] == 0 else 1)
            self._same[name] = place.astype(np.int32)
            self._same[name].flags.writeable = False
        return self._same[name]

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
            self._columns[column.name] = replace(column, kind=self._kinds.get(column.name))

    def columns_at(self, names: Sequence[str], places: "NDArray[np.int64]") -> tuple[ColumnValues, ...]:
        """Return columns of some records; what was not read before is read of these alone."""
        read = getattr(self._snapshot, "columns_at", None)
        missing = tuple(name for name in names if name not in self._columns)
        if read is None or not missing:
            return tuple(self.column(name).at(places) for name in names)
        found = {one.name: one for one in read(missing, places, suppression_mark=self._mark)}
        return tuple(found[name] if name in found else self.column(name).at(places) for name in names)

    def tell_kinds(self, kinds: Mapping[str, ColumnKind]) -> None:
        """Take over what an audit says of the kinds of columns; those that it says nothing of have none."""
        self._kinds = dict(kinds)
        for name, column in self._columns.items():
            if column.kind is not kinds.get(name):
                self._columns[name] = replace(column, kind=kinds.get(name))

    @property
    def kinds(self) -> Mapping[str, ColumnKind]:
        """Column → its kind, for those of which it is known."""
        return self._kinds

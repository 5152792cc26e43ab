"""A table as a change publishes it, put together from the table as it is."""

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.auditing.rest import FEWEST_PERSONS, UNIQUE_SHARE
from qidguard.core.column import ColumnValues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from qidguard.anonymizing.rehearsed_table import RehearsedTable
    from qidguard.core.column import Recoded
    from qidguard.engines.base import Snapshot


@dataclass(frozen=True, kw_only=True)
class CopyOnDemand:
    """The copy that a change would make, made only where columns that tell are read back."""

    snapshot: "Snapshot"
    columns: "Mapping[str, Recoded]"
    kept: "NDArray[np.bool_]"

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.kept.sum())

    @contextmanager
    def recode(self, columns: "Mapping[str, Recoded]", kept: "NDArray[np.bool_]") -> "Iterator[Snapshot]":
        """Give the copy with other values in further columns, while it is needed."""
        with self.snapshot.recode(self.columns, self.kept) as own, own.recode(columns, kept) as made:
            yield made


class ColumnsAfter:
    """The columns of a rehearsed table; those that a change leaves as they are cost nothing to put together.

    Args:
        done: The rehearsed table.
    """

    def __init__(self, done: "RehearsedTable") -> None:
        self._done = done
        self._same: dict[str, ColumnValues] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return self._done.names

    @property
    def records(self) -> int:
        """Number of records that are kept."""
        return self._done.records

    def codes(self, columns: Sequence[str]) -> "NDArray[np.int32]":
        """Return codes of columns."""
        return self._done.codes(columns)

    def column(self, name: str) -> ColumnValues:
        """Return one column with the values that occur, in the order of the original."""
        if name in self._done.done.columns:
            return self._done.column(name)
        if name not in self._same:
            own, kept = self._done.before.column(name), self._done.kept
            self._same[name] = own if kept.all() else own.at(np.flatnonzero(kept))
        return self._same[name]


def is_telling(codes: "NDArray[np.int32]", person: "NDArray[np.int32] | None") -> bool:
    """Return whether nearly all persons with a value have one that nobody else has."""
    present = codes > 0
    held = codes[present]
    if person is None:
        alone, persons = int((np.bincount(held) == 1).sum()), len(held)
    else:
        who = person[present]
        low = np.full(int(held.max(initial=0)) + 1, np.iinfo(np.int32).max)
        high = np.full(len(low), -1)
        np.minimum.at(low, held, who)
        np.maximum.at(high, held, who)
        alone, persons = len(np.unique(low[low == high])), len(np.unique(who))
    return persons >= FEWEST_PERSONS and alone >= UNIQUE_SHARE * persons

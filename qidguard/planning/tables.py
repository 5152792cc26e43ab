"""The tables of a series: the one that is at hand, and earlier files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from qidguard.core.errors import DataError
from qidguard.core.kind import ColumnKind
from qidguard.measuring.memory_records import MemoryRecords
from qidguard.trials.rehearsing import records_of

if TYPE_CHECKING:
    from qidguard.anonymizing.protocol import AnonymizationTask
    from qidguard.auditing.context import AuditContext
    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.host import Host


@dataclass(frozen=True, kw_only=True)
class TableReader:
    """How the tables of a series are read.

    Args:
        columns: The columns that are held beside the entity's.
        left_on: The column that tells who left, whose records are left out; None where there is none.
        engine: The engine that opens them.
        read: How they are read.
        settings: Memory limit and threads.
        kinds: Column → what its values are, where the policy says so.
        host: The plugins.
    """

    columns: tuple[str, ...]
    left_on: str | None
    engine: str
    read: "ReadOptions"
    settings: "EngineSettings"
    kinds: Mapping[str, ColumnKind]
    host: "Host"

    @classmethod
    def of(cls, context: "AuditContext", task: "AnonymizationTask") -> Self:
        """Return how the tables are read that a plan was asked for."""
        policy = context.policy
        series = getattr(policy, "series", None)
        target = [] if task.target is None else [task.target]
        names = dict.fromkeys((*task.quasi_identifiers, *task.sensitive, *target))
        return cls(
            columns=tuple(name for name in names if name != task.entity),
            left_on=None if series is None else series.left_on,
            engine=context.engine.name,
            read=context.read,
            settings=context.settings,
            kinds=task.kinds,
            host=context.host,
        )

    def held(self, source: Any, *, entity: str | None = None, also: Sequence[str] = ()) -> MemoryRecords:
        """Return the records of who is present, their persons numbered where ``entity`` names a column.

        DataError when the table cannot be read, lacks a column or has nobody present.
        """
        wanted = dict.fromkeys((*self.columns, *also, *([self.left_on] if self.left_on else [])))
        found = records_of(
            source,
            [name for name in wanted if name != entity],
            entity=entity,
            read=self.read,
            settings=self.settings,
            engine=self.engine,
            host=self.host,
        )
        if self.left_on is None:
            return found.of_kinds(self.kinds)
        present = np.flatnonzero(found.column(self.left_on).codes == 0)
        if not len(present):
            raise DataError(f"by its column {self.left_on!r} nobody of the table is present")
        codes = {n: found.column(n).codes[present] for n in found.names if n != self.left_on}
        return found.recoded(codes).of_kinds(self.kinds)

"""Batches in DuckDB: opened where they are, without a DataFrame."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from qidguard.engines.base import ReadOptions
from qidguard.interfaces.gx.batches.reader import label_of
from qidguard.interfaces.gx.duckdb.origin import Origin


@dataclass(frozen=True, kw_only=True)
class DuckDBBatch:
    """A batch on the ``DuckDBExecutionEngine``.

    Args:
        execution_engine: The execution engine that holds the batch.
        domain: Which batch it is, as metrics are told.
    """

    execution_engine: Any
    domain: Mapping[str, Any]

    @property
    def label(self) -> str:
        """Data source and asset."""
        return label_of(self.execution_engine, self.domain.get("batch_id"))

    def names(self) -> tuple[str, ...]:
        """Return the column names."""
        return self._origin.names()

    @contextmanager
    def source(self, columns: Sequence[str] | None) -> Iterator[tuple[Any, ReadOptions]]:
        """Return the file or the relation; a query of the wanted columns where there are more."""
        origin = self._origin
        if columns is not None and set(columns) != set(origin.names()):
            origin = origin.narrowed(columns)
        yield origin.source, origin.options

    @property
    def _origin(self) -> Origin:
        origin: Origin = self.execution_engine.origin(self.domain.get("batch_id"))
        return origin

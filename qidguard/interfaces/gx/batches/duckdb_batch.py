"""Batches in DuckDB: opened where they are, without a DataFrame."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from qidguard.engines.base import ReadOptions
from qidguard.interfaces.gx.batches.held import HeldBatch
from qidguard.interfaces.gx.duckdb.origin import Origin


class DuckDBBatch(HeldBatch):
    """A batch on the ``DuckDBExecutionEngine``."""

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

"""Batches that are pandas DataFrames: read in place, never changed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.sources.names import check_names
from qidguard.interfaces.gx.batches.held import HeldBatch


class PandasBatch(HeldBatch):
    """A batch on the ``PandasExecutionEngine``."""

    def names(self) -> tuple[str, ...]:
        """Return the column names."""
        return check_names(list(self._frame.columns), "the DataFrame")

    @contextmanager
    def source(self, columns: Sequence[str] | None) -> Iterator[tuple[Any, ReadOptions]]:
        """Return the frame itself, or one of some of its columns that shares their values."""
        frame = self._frame
        if columns is None or set(columns) == set(frame.columns):
            yield frame, ReadOptions()
            return
        import pandas as pd

        part = {name: frame[name] for name in columns}
        yield pd.DataFrame(part, index=frame.index, copy=False), ReadOptions()

    @property
    def _frame(self) -> Any:
        return self.execution_engine.get_domain_records(dict(self.domain))

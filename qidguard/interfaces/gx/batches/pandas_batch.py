"""Batches that are pandas DataFrames: read in place, never changed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.sources.names import check_names
from qidguard.interfaces.gx.batches.reader import label_of


@dataclass(frozen=True, kw_only=True)
class PandasBatch:
    """A batch on the ``PandasExecutionEngine``.

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

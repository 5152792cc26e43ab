"""Batches that are Spark DataFrames: the wanted columns are fetched as an Arrow table."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.sources.names import check_names
from qidguard.interfaces.gx.batches.held import HeldBatch


class SparkBatch(HeldBatch):
    """A batch on the ``SparkDFExecutionEngine``."""

    def names(self) -> tuple[str, ...]:
        """Return the column names."""
        return check_names(list(self._frame.columns), "the Spark DataFrame")

    @contextmanager
    def source(self, columns: Sequence[str] | None) -> Iterator[tuple[Any, ReadOptions]]:
        """Return the columns as an Arrow table; Spark is asked by position, since it may ignore case."""
        names = self.names()
        wanted = [at for at, name in enumerate(names) if columns is None or name in columns]
        numbered = self._frame.toDF(*(f"c{at}" for at in range(len(names))))
        fetched = numbered.select(*(f"c{at}" for at in wanted)).toArrow()
        yield fetched.rename_columns([names[at] for at in wanted]), ReadOptions()

    @property
    def _frame(self) -> Any:
        return self.execution_engine.get_domain_records(dict(self.domain))

"""What every kind of batch gives: its column names, and its records as a source that an engine opens."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from qidguard.engines.base import ReadOptions


class Reader(Protocol):
    """One batch; nothing is read before it is asked for.

    Whatever the library below raises is raised as it is: its text may hold values of the table, and the one
    who asks keeps it to himself.
    """

    @property
    def label(self) -> str:
        """What reports call it: data source and asset, never the options that chose its records."""

    def names(self) -> tuple[str, ...]:
        """Return the column names without reading a record; DataError where one stands twice."""

    def source(self, columns: Sequence[str] | None) -> AbstractContextManager[tuple[Any, ReadOptions]]:
        """Return a source of these columns alone, or of all, and what an engine must know to open it.

        It may be used until the context ends. Markers of missing values come on top of the options.
        """


def label_of(execution_engine: Any, batch_id: str | None) -> str:
    """Return what reports call a batch.

    Args:
        execution_engine: An execution engine of Great Expectations.
        batch_id: The batch; None for the active one.

    Returns:
        Data source and asset with a slash between them; ``batch`` for one that belongs to no data source.

    Units:
        None.

    Raises:
        Nothing of its own.

    Example:
        >>> from great_expectations.execution_engine import PandasExecutionEngine
        >>> label_of(PandasExecutionEngine(), None)
        'batch'
    """
    batches = execution_engine.batch_manager
    batch = batches.batch_cache.get(batch_id or batches.active_batch_id)
    source, asset = getattr(batch, "datasource", None), getattr(batch, "data_asset", None)
    if source is None or asset is None:
        return "batch"
    return f"{source.name}/{asset.name}"

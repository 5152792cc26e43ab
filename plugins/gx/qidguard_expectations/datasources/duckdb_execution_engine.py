"""The execution engine of DuckDB batches: our expectations run in DuckDB, all others on a DataFrame."""

from functools import cached_property
from typing import TYPE_CHECKING

from great_expectations.execution_engine import PandasExecutionEngine
from great_expectations.execution_engine.pandas_batch_data import PandasBatchData

from qidguard_expectations.datasources.relation_origin import RelationOrigin

if TYPE_CHECKING:
    import pandas as pd


class DuckDBBatchData(PandasBatchData):
    """The records of one batch, which become a DataFrame only when an expectation asks for one.

    Args:
        execution_engine: The execution engine.
        origin: Where the records are.
    """

    def __init__(self, execution_engine: "DuckDBExecutionEngine", origin: RelationOrigin) -> None:
        super().__init__(execution_engine, dataframe=None)
        self.origin = origin

    @cached_property
    def dataframe(self) -> "pd.DataFrame":
        """All records as a DataFrame."""
        return self.origin.frame()

    @property
    def has_dataframe(self) -> bool:
        """Whether an expectation asked for the DataFrame."""
        return "dataframe" in self.__dict__


class DuckDBExecutionEngine(PandasExecutionEngine):
    """Metrics that are not made for DuckDB find those made for pandas."""

    def origin(self, batch_id: str | None) -> RelationOrigin:
        """Return where the records of a batch are.

        Example:
            >>> DuckDBExecutionEngine().origin("visits")
            Traceback (most recent call last):
            ...
            KeyError: 'visits'
        """
        batches = self.batch_manager
        data = batches.batch_data_cache[batch_id or batches.active_batch_data_id]
        origin: RelationOrigin = data.origin
        return origin

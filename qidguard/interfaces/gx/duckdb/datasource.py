"""The data source: ``context.data_sources.add_duckdb(name=…, database=…)``."""

import os
from typing import Annotated, Any, ClassVar, Literal

from great_expectations.compatibility import pydantic
from great_expectations.datasource.fluent.config_str import ConfigStr
from great_expectations.datasource.fluent.interfaces import DataAsset, Datasource, TestConnectionError

from qidguard.core.errors import QidguardError
from qidguard.interfaces.gx.duckdb.assets import DataFrameAsset, QueryAsset, TableAsset
from qidguard.interfaces.gx.duckdb.execution_engine import DuckDBExecutionEngine
from qidguard.interfaces.gx.duckdb.origin import attached

_Asset = Annotated[TableAsset | QueryAsset | DataFrameAsset, pydantic.Field(discriminator="type")]


class DuckDBDatasource(Datasource):
    """A database of DuckDB, opened for reading by DuckDB itself.

    A database that this process has open for writing cannot be opened a second time: give a relation of that
    connection to a DataFrame asset.

    Args:
        name: What the data source is called.
        database: The file of the database; ``${NAME}`` stands for a variable of the project's configuration.
            None for a data source of relations that are given when a suite runs.
        assets: Its assets.
    """

    asset_types: ClassVar[list[type[DataAsset]]] = [TableAsset, QueryAsset, DataFrameAsset]
    _EXTRA_EXCLUDED_EXEC_ENG_ARGS: ClassVar[set[str]] = {"database"}

    type: Literal["duckdb"] = "duckdb"
    database: ConfigStr | str | None = None
    assets: list[_Asset] = pydantic.Field(default_factory=list)

    @pydantic.validator("database", pre=True)
    def _as_text(cls, database: Any) -> Any:  # noqa: N805 - a validator of pydantic
        return os.fspath(database) if isinstance(database, os.PathLike) else database

    @property
    def path(self) -> str:
        """The file of the database, variables of the configuration replaced."""
        if self.database is None:
            raise TestConnectionError('this data source has no database; give it one: database="x.duckdb"')
        if isinstance(self.database, ConfigStr):
            return str(self.database.get_config_value(self._config_provider))
        return str(self.database)

    @property
    def execution_engine_type(self) -> Any:
        """The execution engine."""
        return DuckDBExecutionEngine

    def test_connection(self, test_assets: bool = True) -> None:  # noqa: FBT001, FBT002 - GX calls it so
        """Raise TestConnectionError when the database cannot be opened for reading."""
        if self.database is None:
            return
        try:
            with attached(self.path):
                pass
        except QidguardError as error:
            raise TestConnectionError(str(error)) from None
        for asset in self.assets if test_assets else ():
            asset._datasource = self  # noqa: SLF001 - this is how a data source tells its assets
            asset.test_connection()

    def add_table_asset(
        self,
        name: str,
        table_name: str,
        schema_name: str | None = None,
        batch_metadata: dict[str, Any] | None = None,
    ) -> TableAsset:
        """Add a table or a view.

        Args:
            name: What the asset is called.
            table_name: The table.
            schema_name: Its schema; ``main`` if not given.
            batch_metadata: What every batch of it carries along.

        Returns:
            The asset.

        Raises:
            TestConnectionError: When the database has no such table.
        """
        asset = TableAsset(
            name=name, table_name=table_name, schema_name=schema_name, batch_metadata=batch_metadata or {}
        )
        return self._add_asset(asset)  # type: ignore[no-any-return]

    def add_query_asset(
        self, name: str, query: str, batch_metadata: dict[str, Any] | None = None
    ) -> QueryAsset:
        """Add a query.

        Args:
            name: What the asset is called.
            query: One SELECT.
            batch_metadata: What every batch of it carries along.

        Returns:
            The asset.

        Raises:
            TestConnectionError: When it is not one SELECT that the database can answer.
        """
        return self._add_asset(QueryAsset(name=name, query=query, batch_metadata=batch_metadata or {}))  # type: ignore[no-any-return]

    def add_dataframe_asset(self, name: str, batch_metadata: dict[str, Any] | None = None) -> DataFrameAsset:
        """Add a relation of any connection of DuckDB, one in memory too, that is given when a suite runs.

        Args:
            name: What the asset is called.
            batch_metadata: What every batch of it carries along.

        Returns:
            The asset.
        """
        return self._add_asset(DataFrameAsset(name=name, batch_metadata=batch_metadata or {}))  # type: ignore[no-any-return]

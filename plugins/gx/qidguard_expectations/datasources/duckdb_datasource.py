"""The data source: ``context.data_sources.add_duckdb(name=…, database=…)``."""

import os
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal

from great_expectations.compatibility import pydantic
from great_expectations.core.batch import BatchMarkers, LegacyBatchDefinition
from great_expectations.core.batch_spec import BatchSpec
from great_expectations.datasource.fluent.batch_identifier_util import make_batch_identifier
from great_expectations.datasource.fluent.batch_request import BatchRequest
from great_expectations.datasource.fluent.config_str import ConfigStr
from great_expectations.datasource.fluent.interfaces import Batch, DataAsset, Datasource, TestConnectionError
from great_expectations.exceptions import InvalidBatchRequestError
from great_expectations.exceptions.exceptions import BuildBatchRequestError

from qidguard.sdk import QidguardError, database_frame
from qidguard_expectations.datasources.duckdb_execution_engine import (
    DuckDBBatchData,
    DuckDBExecutionEngine,
    RelationOrigin,
)

RELATION = "dataframe"
"""The batch parameter of a relation: the one whose value Great Expectations never prints."""


class _DuckDBAsset(DataAsset, ABC):
    """One asset, which is one batch as a whole."""

    @abstractmethod
    def _origin(self, options: dict[str, Any]) -> RelationOrigin:
        """Return where the records are."""

    @property
    def _stated(self) -> dict[str, Any]:
        """What results say of the asset."""
        return {}

    def test_connection(self) -> None:
        """Raise TestConnectionError when the asset cannot be read."""
        try:
            self._origin({}).names()
        except QidguardError as error:
            raise TestConnectionError(str(error)) from None

    def get_batch_parameters_keys(self, partitioner: Any = None) -> tuple[str, ...]:  # noqa: ARG002 - GX asks so
        """Return the names of what is given when a suite runs: nothing."""
        return ()

    def build_batch_request(
        self, options: dict[str, Any] | None = None, batch_slice: Any = None, partitioner: Any = None
    ) -> BatchRequest:
        """Return the request for the one batch there is."""
        given = dict(options or {})
        if set(given) != set(self.get_batch_parameters_keys()):
            names = ", ".join(self.get_batch_parameters_keys()) or "none"
            raise BuildBatchRequestError(message=f"the batch parameters of this asset are: {names}")
        if batch_slice is not None or partitioner is not None:
            raise BuildBatchRequestError(
                message="a DuckDB asset is one batch; write a query for a part of it"
            )
        return BatchRequest(datasource_name=self.datasource.name, data_asset_name=self.name, options=given)

    def get_batch_identifiers_list(self, batch_request: BatchRequest) -> list[dict[str, Any]]:
        """Return what identifies the one batch."""
        self._validate_batch_request(batch_request)
        return [make_batch_identifier(batch_request.options)]

    def get_batch(self, batch_request: BatchRequest) -> Batch:
        """Return the batch; nothing of it is read yet."""
        self._validate_batch_request(batch_request)
        engine = self.datasource.get_execution_engine()
        metadata = self._get_batch_metadata_from_batch_request(
            batch_request=batch_request, ignore_options=(RELATION,)
        )
        return Batch(
            datasource=self.datasource,
            data_asset=self,
            batch_request=batch_request,
            data=DuckDBBatchData(engine, self._origin(batch_request.options)),
            metadata=metadata,
            batch_markers=BatchMarkers({"ge_load_time": f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}"}),
            batch_spec=BatchSpec(self._stated),
            batch_definition=LegacyBatchDefinition(
                datasource_name=self.datasource.name,
                data_connector_name="fluent",
                data_asset_name=self.name,
                batch_identifiers=make_batch_identifier(batch_request.options),
                batch_spec_passthrough=None,
            ),
        )

    def _validate_batch_request(self, batch_request: BatchRequest) -> None:
        is_ours = (batch_request.datasource_name, batch_request.data_asset_name) == (
            self.datasource.name,
            self.name,
        )
        if not is_ours or set(batch_request.options) != set(self.get_batch_parameters_keys()):
            raise InvalidBatchRequestError(f"the batch request is not one of the asset {self.name!r}")


class TableAsset(_DuckDBAsset):
    """A table or a view of the database.

    Args:
        name: What the asset is called.
        table_name: The table.
        schema_name: Its schema; ``main`` if not given.
    """

    type: Literal["table"] = "table"
    table_name: str
    schema_name: str | None = None

    def _origin(self, options: dict[str, Any]) -> RelationOrigin:  # noqa: ARG002 - a table needs nothing else
        schema = self.schema_name or "main"
        return RelationOrigin(database=self.datasource.path, schema=schema, table=self.table_name)

    @property
    def _stated(self) -> dict[str, Any]:
        return {"table_name": self.table_name, "schema_name": self.schema_name or "main"}

    def add_batch_definition_whole_table(self, name: str) -> Any:
        """Return a new batch definition of the whole table."""
        return self.add_batch_definition(name=name, partitioner=None)


class QueryAsset(_DuckDBAsset):
    """What one SELECT over the database gives.

    Args:
        name: What the asset is called.
        query: The SELECT.
    """

    type: Literal["query"] = "query"
    query: str

    def _origin(self, options: dict[str, Any]) -> RelationOrigin:  # noqa: ARG002 - a query needs nothing else
        return RelationOrigin(database=self.datasource.path, query=self.query.strip().rstrip(";"))

    @property
    def _stated(self) -> dict[str, Any]:
        return {"query": self.query}

    def add_batch_definition_whole_query(self, name: str) -> Any:
        """Return a new batch definition of all that the query gives."""
        return self.add_batch_definition(name=name, partitioner=None)


class DataFrameAsset(_DuckDBAsset):
    """A relation of DuckDB that is given when a suite runs, as the batch parameter ``dataframe``.

    Args:
        name: What the asset is called.
    """

    type: Literal["dataframe"] = "dataframe"

    def _origin(self, options: dict[str, Any]) -> RelationOrigin:
        return RelationOrigin(relation=options[RELATION])

    def test_connection(self) -> None:
        """Do nothing: the relation is not there yet."""

    def get_batch_parameters_keys(self, partitioner: Any = None) -> tuple[str, ...]:  # noqa: ARG002 - GX asks so
        """Return the one batch parameter."""
        return (RELATION,)

    def _validate_batch_request(self, batch_request: BatchRequest) -> None:
        super()._validate_batch_request(batch_request)
        relation = batch_request.options[RELATION]
        if type(relation).__name__ != "DuckDBPyRelation":
            kind = type(relation).__name__
            raise InvalidBatchRequestError(f"{RELATION} must be a relation of DuckDB, not a {kind}")

    def add_batch_definition_whole_dataframe(self, name: str) -> Any:
        """Return a new batch definition of the whole relation."""
        return self.add_batch_definition(name=name, partitioner=None)


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
            database_frame(self.path, query="SELECT 1")
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

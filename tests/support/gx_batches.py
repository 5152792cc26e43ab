"""One small table as every kind of batch of Great Expectations."""

import datetime as dt
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import great_expectations as gx
import pandas as pd
import pyarrow as pa
import sqlalchemy as sa
from great_expectations.core.expectation_validation_result import ExpectationValidationResult

Columns = Mapping[str, Sequence[Any]]
"""Column → its values, None for NULL; all of one kind."""

_SQL: dict[type, Any] = {
    int: sa.BigInteger(),
    float: sa.Double(),
    str: sa.Text(),
    bool: sa.Boolean(),
    dt.date: sa.Date(),
    dt.datetime: sa.DateTime(),
    Decimal: sa.Numeric(20, 4),
}
_SPARK = {int: "bigint", float: "double", str: "string", bool: "boolean", dt.date: "date"}
_SPARK |= {dt.datetime: "timestamp_ntz", Decimal: "decimal(20,4)"}


def frame(columns: Columns) -> pd.DataFrame:
    """Return a table as a DataFrame; whole numbers stay whole beside NULL."""
    kinds: dict[type, str] = {int: "Int64", float: "float64", str: "str", bool: "boolean"}
    return pd.DataFrame(
        {
            name: pd.Series(list(values), dtype=kinds.get(kind(values), "object"))
            for name, values in columns.items()
        }
    )


def kind(values: Sequence[Any]) -> type:
    """Return the type of a column's values; text where there is none."""
    return next((type(value) for value in values if value is not None), str)


def records(columns: Columns) -> list[tuple[Any, ...]]:
    """Return the rows of a table."""
    return list(zip(*columns.values(), strict=True))


@dataclass(frozen=True, kw_only=True)
class GxTable:
    """A table as a batch.

    Args:
        definition: Its batch definition.
        parameters: What is given when it is validated.
        context: Its data context.
    """

    definition: Any
    context: Any
    parameters: dict[str, Any] = field(default_factory=dict)

    def batch(self) -> Any:
        """Return the batch."""
        return self.definition.get_batch(batch_parameters=self.parameters or None)

    def validate(self, *expectations: Any, **given: Any) -> list[ExpectationValidationResult]:
        """Return the results of a suite of these expectations, in their order."""
        return list(self.run(*expectations, **given).results)

    def run(self, *expectations: Any, parameters: Mapping[str, Any] | None = None, **given: Any) -> Any:
        """Return the result of a suite of these expectations."""
        name = uuid.uuid4().hex
        suite = self.context.suites.add(gx.ExpectationSuite(name=name, expectations=list(expectations)))
        definition = self.context.validation_definitions.add(
            gx.ValidationDefinition(name=name, data=self.definition, suite=suite)
        )
        return definition.run(
            batch_parameters=self.parameters or None, expectation_parameters=parameters, **given
        )


def pandas_table(context: Any, table: Columns | pd.DataFrame, _folder: Path | None = None) -> GxTable:
    """Return a table as a pandas batch."""
    given = table if isinstance(table, pd.DataFrame) else frame(table)
    asset = context.data_sources.add_pandas(uuid.uuid4().hex).add_dataframe_asset("table")
    definition = asset.add_batch_definition_whole_dataframe("whole")
    return GxTable(definition=definition, context=context, parameters={"dataframe": given})


def sql_table(context: Any, table: Columns, url: str) -> GxTable:
    """Return a table as a batch of a database behind SQLAlchemy."""
    engine = sa.create_engine(url)
    columns = [
        sa.Column(sa.quoted_name(n, True), _SQL[kind(v)], key=f"c{i}")
        for i, (n, v) in enumerate(table.items())
    ]
    made = sa.Table("visits", sa.MetaData(), *columns)
    made.create(engine)
    rows = [{f"c{i}": value for i, value in enumerate(row)} for row in records(table)]
    with engine.begin() as connection:
        if rows:
            connection.execute(made.insert(), rows)
    engine.dispose()
    add = context.data_sources.add_sqlite if url.startswith("sqlite") else context.data_sources.add_postgres
    source = add(uuid.uuid4().hex, connection_string=url)
    definition = source.add_table_asset("table", table_name="visits").add_batch_definition_whole_table(
        "whole"
    )
    return GxTable(definition=definition, context=context)


def sqlite_table(context: Any, table: Columns, folder: Path) -> GxTable:
    """Return a table as a batch of SQLite."""
    return sql_table(context, table, f"sqlite:///{folder / uuid.uuid4().hex}.sqlite")


def duckdb_file(table: Columns, folder: Path) -> Path:
    """Return a new DuckDB file whose table ``visits`` is this one."""
    path = folder / f"{uuid.uuid4().hex}.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", pa.table({n: pa.array(list(v)) for n, v in table.items()}))
        connection.execute("CREATE TABLE visits AS SELECT * FROM given")
    return path


def duckdb_table(context: Any, table: Columns, folder: Path) -> GxTable:
    """Return a table as a batch of a DuckDB file."""
    source = context.data_sources.add_duckdb(uuid.uuid4().hex, database=duckdb_file(table, folder))
    definition = source.add_table_asset("table", table_name="visits").add_batch_definition_whole_table(
        "whole"
    )
    return GxTable(definition=definition, context=context)


def relation_table(context: Any, table: Columns, _folder: Path | None = None) -> GxTable:
    """Return a table as a batch that is a relation of DuckDB in memory."""
    connection = duckdb.connect()
    relation = connection.from_arrow(pa.table({n: pa.array(list(v)) for n, v in table.items()}))
    source = context.data_sources.add_duckdb(uuid.uuid4().hex)
    definition = source.add_dataframe_asset("table").add_batch_definition_whole_dataframe("whole")
    return GxTable(definition=definition, context=context, parameters={"dataframe": relation})


def spark_table(context: Any, table: Columns, spark: Any) -> GxTable:
    """Return a table as a batch of Spark."""
    fields = ", ".join(f"`{n.replace('`', '``')}` {_SPARK[kind(v)]}" for n, v in table.items())
    given = spark.createDataFrame(records(table), fields)
    source = context.data_sources.add_spark(uuid.uuid4().hex, persist=False)
    definition = source.add_dataframe_asset("table").add_batch_definition_whole_dataframe("whole")
    return GxTable(definition=definition, context=context, parameters={"dataframe": given})


MAKERS: dict[str, Callable[[Any, Columns, Path], GxTable]] = {
    "pandas": pandas_table,
    "sqlite": sqlite_table,
    "duckdb": duckdb_table,
    "relation": relation_table,
}
"""The kinds of batches that need no server."""


def figures(results: Sequence[ExpectationValidationResult]) -> list[Any]:
    """Return whether each passed and what it measured, without what is called after the asset."""
    return [
        (r.success, r.result.get("observed_value"), without_names(r.result.get("details"))) for r in results
    ]


def without_names(details: Any) -> Any:
    """Return details without what differs between two runs of the same audit: its time and its source."""
    if not isinstance(details, dict):
        return details
    document = details.get("document")
    if document is None:
        return details
    return details | {"document": {k: v for k, v in document.items() if k not in {"seconds", "source"}}}

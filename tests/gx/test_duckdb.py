"""DuckDB as a data source: opened by DuckDB itself, and a DataFrame only for those who ask for one."""

import json
import uuid

import duckdb
import great_expectations as gx
import great_expectations.expectations as gxe
import pandas as pd
import pyarrow as pa
import pytest
from great_expectations.datasource.fluent.interfaces import TestConnectionError as ConnectionTestError
from great_expectations.exceptions import GreatExpectationsError

from gx_batches import GxTable, duckdb_file, duckdb_table, relation_table
from qidguard.core.errors import DataError
from qidguard.engines.duckdb.connection import database_frame
from qidguard.policy.origin import value_digest
from qidguard_expectations import (
    ExpectTableColumnsToBeAsApproved,
    ExpectTableKAnonymityToBeAtLeast,
    ExpectTableToMeetPrivacyPolicy,
)
from qidguard_expectations.datasources.duckdb_execution_engine import RelationOrigin

pytestmark = pytest.mark.gx

TABLE = {
    "age": [30, 30, 41, 41, None, None],
    "sex": ["f", "f", "m", "m", "m", "m"],
    "visit": [1, 2, 3, 4, 5, 6],
}


def k(*qids, at_least=2):
    """Return an expectation of k-anonymity."""
    return ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=list(qids), at_least=at_least)


def whole(**changes):
    """Return an expectation of a whole policy."""
    policy = {
        "qidguard": 1,
        "name": "p",
        "roles": {"quasi_identifiers": ["age", "sex"], "insensitive": ["visit"]},
        "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
    } | changes
    return ExpectTableToMeetPrivacyPolicy(policy=policy, policy_sha256=value_digest(policy))


def from_query(context, path, query):
    """Return what a query of a file gives, as a batch."""
    asset = context.data_sources.add_duckdb(uuid.uuid4().hex, database=path).add_query_asset("q", query=query)
    return GxTable(definition=asset.add_batch_definition_whole_query("whole"), context=context)


@pytest.mark.parametrize("maker", [duckdb_table, relation_table])
def test_ours_make_no_frame(context, tmp_path, maker):
    """Our expectations run in DuckDB; the first one of another kind makes the DataFrame."""
    table = maker(context, TABLE, tmp_path)

    def has_frame():
        engine = table.definition.data_asset.datasource.execution_engine
        return engine.batch_manager.active_batch_data.has_dataframe

    found = table.validate(k("age"), whole(), ExpectTableColumnsToBeAsApproved(columns=["age"]))
    assert ([result.success for result in found], has_frame()) == ([True, True, False], False)
    found = table.validate(k("age"), gxe.ExpectTableRowCountToEqual(value=6))
    assert ([result.success for result in found], has_frame()) == ([True, True], True)


@pytest.mark.parametrize("maker", [duckdb_table, relation_table])
def test_all_other_expectations_work(context, tmp_path, maker):
    """Expectations that know nothing of DuckDB stand beside ours in one suite."""
    found = maker(context, TABLE, tmp_path).run(
        gxe.ExpectColumnValuesToNotBeNull(column="age"),
        gxe.ExpectColumnMaxToBeBetween(column="visit", max_value=6),
        gxe.ExpectColumnDistinctValuesToBeInSet(column="sex", value_set=["f", "m"]),
        gxe.ExpectTableColumnsToMatchSet(column_set=["age", "sex", "visit"]),
        k("age"),
    )
    assert [result.success for result in found.results] == [False, True, True, True, True]


def test_query_asset(context, tmp_path):
    """A query is a batch; a comment at its end and a semicolon do no harm."""
    path = duckdb_file(TABLE, tmp_path)
    table = from_query(context, path, "SELECT age, sex FROM visits WHERE age > 40 -- the old;")
    found = table.validate(k("age"), gxe.ExpectTableRowCountToEqual(value=2))
    assert [result.result["observed_value"] for result in found] == [2, 2]
    assert (
        from_query(context, path, "SELECT 1 AS a UNION ALL SELECT 1;\n").validate(k("a"))[0].success is True
    )


def test_schemas_and_views(context, tmp_path):
    """A table of another schema, and a view, are found by schema and name."""
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE SCHEMA "s p"')
        connection.execute("CREATE TABLE visits AS SELECT 1 AS a UNION ALL SELECT 2")
        connection.execute('CREATE TABLE "s p".visits AS SELECT 1 AS a UNION ALL SELECT 1')
        connection.execute('CREATE VIEW seen AS SELECT a, 5 AS b FROM "s p".visits')
    source = context.data_sources.add_duckdb("d", database=path)
    assets = [
        source.add_table_asset("main", table_name="visits"),
        source.add_table_asset("other", table_name="visits", schema_name="s p"),
        source.add_table_asset("view", table_name="seen"),
    ]
    tables = [GxTable(definition=a.add_batch_definition_whole_table("w"), context=context) for a in assets]
    counts = [gxe.ExpectColumnMaxToBeBetween(column="a", max_value=m) for m in (2, 1, 1)]
    found = [table.validate(k("a"), count) for table, count in zip(tables, counts, strict=True)]
    assert [[r.result["observed_value"] for r in both] for both in found] == [[1, 2], [2, 1], [2, 1]]


def test_project_is_saved_and_read_again(tmp_path, monkeypatch):
    """A data source that a project stores is there when the project is opened again."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLINIC", str(tmp_path))
    duckdb_file(TABLE, tmp_path).rename(tmp_path / "clinic.duckdb")
    project = gx.get_context(mode="file", project_root_dir=str(tmp_path / "project"))
    source = project.data_sources.add_duckdb("clinic", database="${CLINIC}/clinic.duckdb")
    source.add_table_asset("visits", table_name="visits").add_batch_definition_whole_table("whole")
    source.add_query_asset("old", query="SELECT * FROM visits").add_batch_definition_whole_query("whole")
    project.data_sources.add_duckdb("memory").add_dataframe_asset("r").add_batch_definition_whole_dataframe(
        "w"
    )

    again = gx.get_context(mode="file", project_root_dir=str(tmp_path / "project"))
    stored = (tmp_path / "project" / "gx" / "great_expectations.yml").read_text()
    found = [
        again.data_sources.get("clinic")
        .get_asset(name)
        .get_batch_definition("whole")
        .get_batch()
        .validate(k("age"))
        for name in ("visits", "old")
    ]
    assert [result.success for result in found] == [True, True]
    assert "${CLINIC}/clinic.duckdb" in stored
    assert str(tmp_path) not in stored
    relation = duckdb.connect().sql("SELECT 1 AS age UNION ALL SELECT 1")
    batch = again.data_sources.get("memory").get_asset("r").get_batch_definition("w")
    assert batch.get_batch({"dataframe": relation}).validate(k("age")).success is True


def test_data_source_is_updated_and_deleted(context, tmp_path):
    """The other ways of a data source are there as for any."""
    first, second = duckdb_file(TABLE, tmp_path), duckdb_file({"age": [1]}, tmp_path)
    context.data_sources.add_duckdb("d", database=first)
    context.data_sources.add_or_update_duckdb("d", database=second).add_table_asset("t", table_name="visits")
    source = context.data_sources.get("d")
    assert source.database == str(second)
    assert source.assets[0].build_batch_request().options == {}
    context.data_sources.delete("d")
    assert "d" not in context.data_sources.all()


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (
            lambda c, p: c.data_sources.add_duckdb("d", database=p / "no.duckdb"),
            "There is no DuckDB database",
        ),
        (lambda c, p: c.data_sources.add_duckdb("d", database=p / "x.txt"), "cannot be opened as a DuckDB"),
        (lambda c, _: c.data_sources.get("s").add_table_asset("t", table_name="nope"), "has not one table"),
        (lambda c, _: c.data_sources.get("s").add_query_asset("q", query="SELECT nope"), "Binder error"),
        (
            lambda c, _: c.data_sources.get("s").add_query_asset("q", query="DELETE FROM visits"),
            "must be one SELECT",
        ),
        (
            lambda c, _: c.data_sources.get("s").add_query_asset("q", query="SELECT 1); SELECT (2"),
            "must be one SELECT",
        ),
        (lambda c, _: c.data_sources.get("m").add_table_asset("t", table_name="t"), "has no database"),
    ],
)
def test_what_cannot_be_read_is_refused(context, tmp_path, made, sentence):
    """A file, a table or a query that cannot be read is refused when it is added, in one sentence."""
    (tmp_path / "x.txt").write_text("hello")
    context.data_sources.add_duckdb("s", database=duckdb_file(TABLE, tmp_path))
    context.data_sources.add_duckdb("m")
    with pytest.raises(ConnectionTestError, match=sentence):
        made(context, tmp_path)


def test_database_that_is_being_written_is_refused(context, tmp_path):
    """A file that this program has open for writing is refused with what to do; its relation is read."""
    path = duckdb_file(TABLE, tmp_path)
    with duckdb.connect(str(path)) as connection:
        with pytest.raises(ConnectionTestError, match="give a relation of its connection"):
            context.data_sources.add_duckdb("d", database=path)
        asset = context.data_sources.add_duckdb("m").add_dataframe_asset("r")
        batch = asset.add_batch_definition_whole_dataframe("w").get_batch(
            {"dataframe": connection.table("visits")}
        )
        assert batch.validate(k("age")).success is True


def test_database_that_is_gone_fails(context, tmp_path):
    """A file that is gone when the suite runs fails, with the engine's sentence."""
    table = duckdb_table(context, TABLE, tmp_path)
    (path,) = tmp_path.glob("*.duckdb")
    path.unlink()
    (result,) = table.validate(k("age"))
    assert result.success is False
    assert path.name in result.result["details"]["reason"]


def test_only_columns_of_the_figure_are_read(context, tmp_path):
    """A column that holds no plain values is no matter of a figure that does not name it."""
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE visits AS SELECT 1 AS a, [1, 2] AS many FROM range(2)")
    source = context.data_sources.add_duckdb("d", database=path)
    definition = source.add_table_asset("t", table_name="visits").add_batch_definition_whole_table("w")
    found = GxTable(definition=definition, context=context).validate(k("a"), k("many"))
    assert [result.success for result in found] == [True, False]
    relation = duckdb.connect().sql("SELECT 1 AS a, [1, 2] AS many FROM range(2)")
    asset = context.data_sources.add_duckdb("m").add_dataframe_asset("r")
    batch = asset.add_batch_definition_whole_dataframe("w").get_batch({"dataframe": relation})
    assert [batch.validate(one).success for one in (k("a"), k("many"))] == [True, False]


def test_file_is_not_changed(context, tmp_path):
    """A database is opened for reading only."""
    table = duckdb_table(context, TABLE, tmp_path)
    (path,) = tmp_path.glob("*.duckdb")
    before = path.read_bytes()
    table.validate(k("age"), whole(), gxe.ExpectTableRowCountToEqual(value=6))
    assert path.read_bytes() == before
    with pytest.raises(DataError, match="DuckDB cannot read"):
        database_frame(str(path), query="CREATE TABLE other AS SELECT 1 AS a")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "parameters",
    [None, {}, {"dataframe": pd.DataFrame({"a": [1]})}, {"dataframe": "visits"}, {"relation": 1}],
)
def test_what_is_no_relation_is_refused(context, parameters):
    """An asset of relations takes one relation and nothing else."""
    definition = (
        context.data_sources.add_duckdb("m")
        .add_dataframe_asset("r")
        .add_batch_definition_whole_dataframe("w")
    )
    with pytest.raises(GreatExpectationsError, match="dataframe"):
        definition.get_batch(parameters)


def test_relation_shows_no_value(context):
    """The text of a relation is its first records; no result carries it."""
    table = relation_table(context, {"age": ["Xq7secret"] * 3})
    run = table.run(k("age", at_least=9), whole())
    assert "Xq7secret" not in json.dumps(run.to_json_dict())
    assert "Xq7secret" not in str(run)
    assert "Xq7secret" not in repr(RelationOrigin(relation=table.parameters["dataframe"]))


def test_table_asset_takes_no_parameters(context, tmp_path):
    """A table is one batch: there is nothing to choose."""
    table = duckdb_table(context, TABLE, tmp_path)
    with pytest.raises(GreatExpectationsError, match="are: none"):
        table.definition.get_batch({"year": 2020})


def test_frame_has_the_records(tmp_path):
    """The DataFrame of a file and of a relation is the table."""
    given = {"a": [1, 2], "b": ["x", None]}
    path = duckdb_file(given, tmp_path)
    relation = duckdb.connect().from_arrow(pa.table(given))
    origins = [
        RelationOrigin(database=str(path), table="visits"),
        RelationOrigin(database=str(path), query="SELECT * FROM visits"),
        RelationOrigin(relation=relation),
    ]
    frames = [origin.frame() for origin in origins]
    assert [list(frame["a"]) for frame in frames] == [[1, 2]] * 3
    assert [list(frame["b"].isna()) for frame in frames] == [[False, True]] * 3

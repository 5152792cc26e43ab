"""Rows of a database: NULL stays NULL, whole numbers stay exact, and no two values become one."""

import datetime as dt
import uuid
from decimal import Decimal

import pytest
import sqlalchemy as sa

from gx_batches import GxTable, sql_table, sqlite_table
from qidguard.core.errors import DataError
from qidguard_expectations import ExpectTableColumnsToBeAsApproved, ExpectTableKAnonymityToBeAtLeast
from qidguard_expectations.batches import readers
from qidguard_expectations.batches.arrow import arrow_table

pytestmark = pytest.mark.gx

UTC = dt.UTC
EAST = dt.timezone(dt.timedelta(hours=2))
DAY = dt.datetime(2020, 1, 1, 5)  # noqa: DTZ001 - one without a zone is the point


def k(*qids, at_least=2):
    """Return an expectation of k-anonymity."""
    return ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=list(qids), at_least=at_least)


def column(*batches):
    """Return the values of a column that comes in batches."""
    return arrow_table(["a"], [[(value,) for value in batch] for batch in batches]).column("a").to_pylist()


@pytest.mark.parametrize(
    ("batches", "expected"),
    [
        ([], []),
        ([[None, None]], [None, None]),
        ([[1, None], [2]], [1, None, 2]),
        ([[2**63 - 1]], [2**63 - 1]),
        ([[None], ["a"]], [None, "a"]),
        ([[True, None], [False]], [True, None, False]),
        ([[1], [2.5]], [1.0, 2.5]),
        ([[1, 2.5], [3]], [1.0, 2.5, 3.0]),
        ([[Decimal("1.5")], [Decimal("10.25")]], [Decimal("1.50"), Decimal("10.25")]),
        ([[dt.date(2020, 1, 1), None]], [dt.date(2020, 1, 1), None]),
        ([[DAY]], [DAY]),
        ([[dt.datetime(2020, 1, 1, 5, tzinfo=UTC)]], [dt.datetime(2020, 1, 1, 5, tzinfo=UTC)]),
        (
            [[dt.datetime(2020, 1, 1, 5, tzinfo=EAST)], [dt.datetime(2020, 1, 1, 3, tzinfo=UTC)]],
            [dt.datetime(2020, 1, 1, 3, tzinfo=UTC)] * 2,
        ),
        ([[dt.timedelta(days=1)]], [dt.timedelta(days=1)]),
        ([[dt.time(1, 2), None]], ["01:02:00", None]),
        ([[uuid.UUID(int=1)]], ["00000000-0000-0000-0000-000000000001"]),
    ],
)
def test_values_stay_what_they_are(batches, expected):
    """Every kind of value comes out as it went in, in one batch or in several."""
    assert column(*batches) == expected


def test_nan_is_not_missing():
    """NaN is a value of its own, apart from NULL."""
    first, second = column([float("nan"), None])
    assert first != first  # noqa: PLR0124 - NaN is the value that differs from itself
    assert second is None


@pytest.mark.parametrize(
    "batches",
    [
        [[1, "1"]],
        [[1], ["1"]],
        [[True, 1]],
        [[True], [1]],
        [[2**53 + 1, 2.5]],
        [[2**53 + 1], [2.5]],
        [[2**63]],
        [[Decimal(1), 1]],
        [[Decimal("0.1")], [0.1]],
        [[Decimal("NaN"), Decimal(1)]],
        [[dt.date(2020, 1, 1), DAY]],
        [[dt.date(2020, 1, 1)], [DAY]],
        [[DAY, DAY.replace(tzinfo=UTC)]],
        [[DAY], [DAY.replace(tzinfo=UTC)]],
        [[b"x"]],
        [[b"x"], ["x"]],
        [[[1]]],
        [[{"a": 1}]],
        [["\ud800"]],
    ],
)
def test_values_that_could_meet_are_refused(batches):
    """What would have to be rounded, cut or mixed is refused by the column's name."""
    with pytest.raises(DataError, match=r"^Column 'a' of the SQL batch .*; cast it in a query asset"):
        column(*batches)


def test_records_come_in_several_fetches(context, tmp_path, monkeypatch):
    """A table that is fetched in parts is measured as a whole."""
    monkeypatch.setattr(readers, "RECORDS_A_FETCH", 3)
    (result,) = sqlite_table(context, {"a": [1, 1, 2, 2, 1, 2, 1]}, tmp_path).validate(k("a"))
    assert result.result["observed_value"] == 3
    assert result.result["details"]["records"] == 7


def query(context, table, text):
    """Return what a query gives, as a batch of the same data source."""
    asset = table.definition.data_asset.datasource.add_query_asset(uuid.uuid4().hex, query=text)
    return GxTable(definition=asset.add_batch_definition_whole_table("whole"), context=context)


def test_query_asset(context, tmp_path):
    """A query is a batch like a table."""
    table = sqlite_table(context, {"a": [1, 1, 2], "b": [1, 2, 3]}, tmp_path)
    found = query(context, table, "SELECT a AS x FROM visits WHERE a < 2").validate(
        k("x", at_least=2), ExpectTableColumnsToBeAsApproved(columns=["x"])
    )
    assert [result.success for result in found] == [True, True]


def test_columns_of_one_name_fail(context, postgres_url):
    """A query that names two columns alike cannot be judged."""
    table = sql_table(context, {"a": [1, 1, 2], "b": [1, 2, 3]}, postgres_url)
    (result,) = query(context, table, "SELECT a, b AS a FROM visits").validate(k("a"))
    assert result.success is False
    assert "have the same name" in result.result["details"]["reason"]


def test_part_of_a_table_is_a_batch(context, postgres_url):
    """A batch of one month is measured alone, and its label holds no value of the table."""
    days = [DAY] * 2 + [DAY.replace(month=2)] * 3
    table = sql_table(context, {"a": [1, 1, 1, 1, 1], "day": days}, postgres_url)
    asset = table.definition.data_asset
    monthly = GxTable(
        definition=asset.add_batch_definition_monthly("monthly", column="day"),
        context=context,
        parameters={"year": 2020, "month": 2},
    )
    (result,) = monthly.validate(k("a"))
    assert result.result["observed_value"] == 3
    label = readers.SqlBatch(
        execution_engine=asset.datasource.execution_engine, domain={"batch_id": monthly.batch().id}
    ).label
    assert label == f"{asset.datasource.name}/table"


def test_table_that_is_gone_fails(context, tmp_path):
    """A table that was dropped between two runs fails, and the database's words are not shown."""
    table = sqlite_table(context, {"a": [1]}, tmp_path)
    url = table.definition.data_asset.datasource.connection_string
    batch = table.batch()
    engine = sa.create_engine(str(url))
    with engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE visits"))
    engine.dispose()
    result = batch.validate(k("a"))
    assert result.success is False
    assert result.result["details"]["reason"] == "internal error (OperationalError)"


def test_postgresql_keeps_types(context, postgres_url):
    """Numbers, dates, instants and texts of PostgreSQL are grouped as what they are."""
    table = {
        "n": [2**62, 2**62 + 1, None],
        "d": [Decimal("1.10"), Decimal("1.1"), Decimal("1.2")],
        "t": [DAY, DAY, None],
        "b": [True, False, None],
        "f": [float("nan"), None, 1.5],
    }
    found = sql_table(context, table, postgres_url).validate(*(k(name) for name in table))
    assert [result.result["details"]["classes"]["classes"] for result in found] == [3, 2, 2, 3, 3]


def test_postgresql_types_that_cannot_be_grouped(context, postgres_url):
    """An array or a JSON document of PostgreSQL is refused by its name; the column beside it is read."""
    table = sql_table(context, {"a": [1, 1]}, postgres_url)
    one = "'00000000-0000-0000-0000-000000000001'::uuid"
    text = f"SELECT a, ARRAY[a] AS many, '{{\"a\": 1}}'::jsonb AS doc, {one} AS id FROM visits"
    found = query(context, table, text).validate(k("many"), k("doc"), k("id"), k("a"))
    assert [result.success for result in found] == [False, False, True, True]
    assert "'many'" in found[0].result["details"]["reason"]

"""Tests that an audit of a snapshot sees what an audit of its source sees."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qidguard
from examples import examples, holds_a_value
from qidguard.core.statistic import CLASSES, PERSONS, SMALLEST_CLASS, UNIQUES
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.engines.duckdb.snapshot.snapshot import DuckdbSnapshot
from qidguard.sdk import EngineSettings, Grouping, Needs, ReadOptions

pytestmark = pytest.mark.slow

BASIC = (CLASSES, SMALLEST_CLASS, PERSONS, UNIQUES)
SETTINGS = EngineSettings(threads=2)
ADULT = ("marital-status", "education", "native-country", "workclass", "occupation", "salary-class")
"""The columns of Adult that the audit below has no question about."""


def looked_at(source: object, needs: Needs, options: ReadOptions, groupings: list[Grouping]) -> list[Any]:
    """Return all that an audit may see of a table."""
    with ENGINE.open(source, options, needs, SETTINGS) as table:
        seen: list[Any] = [table.records, table.entities, table.missing_entities, table.columns]
        seen += [table.has_population, table.notes]
        for grouping in groupings:
            seen.append(table.statistics(grouping, BASIC))
            seen.append(sorted(table.class_sizes(grouping.qids).tolist()))
            if grouping.sensitive is not None:
                cells = table.cells(grouping)
                seen.append(sorted(zip(cells.size[cells.class_id], cells.value, cells.n, strict=True)))
                seen.append(cells.table_n.tolist())
            codes = table.codes(grouping.qids)
            seen.append(sorted(zip(*codes.codes.T.tolist(), codes.records.tolist(), strict=True)))
    return seen


@contextmanager
def snapshot_of(source: object, options: ReadOptions) -> Iterator[DuckdbSnapshot]:
    """Give a snapshot."""
    with ENGINE.snapshot(source, options, SETTINGS) as taken:
        yield taken


def check_same(source: object, needs: Needs, groupings: list[Grouping], **options: Any) -> None:
    """Check that a source and its snapshot show the same; a snapshot forgets how it was read."""
    given_options = ReadOptions(**options)
    expected = looked_at(source, needs, given_options, groupings)
    with snapshot_of(source, given_options) as taken:
        assert ENGINE.can_open(taken)
        assert ENGINE.column_names(taken, ReadOptions(), SETTINGS) == taken.names
        assert looked_at(taken, needs, ReadOptions(), groupings) == expected
        assert (
            looked_at(taken, needs, ReadOptions(missing=("f", "1"), is_trimmed=True), groupings) == expected
        )


@pytest.mark.realdata
@pytest.mark.parametrize("columns", [None, ("race", "gender", "age", "readmitted")])
def test_the_hospital_table(data, columns):
    """100,000 records with entities, weights of none, and a sensitive attribute."""
    groupings = [
        Grouping(qids=("race", "gender", "age")),
        Grouping(qids=("age", "gender"), sensitive="readmitted"),
    ]
    path = data / "hospital" / "diabetic_data.csv"
    check_same(path, Needs(columns=columns, entity="patient_nbr"), groupings, missing=("?",))
    check_same(path, Needs(columns=columns), groupings, missing=("?",))


@pytest.mark.realdata
@pytest.mark.parametrize("columns", [None, ("age", "race", "marital-status")])
def test_adult(data, columns):
    """30,000 records of texts whose types are inferred: an ordered sensitive attribute keeps its order."""
    path = data / "adult" / "adult_arx.csv"
    groupings = [Grouping(qids=("race",), sensitive="age"), Grouping(qids=("age", "marital-status"))]
    check_same(path, Needs(columns=columns), groupings)


@pytest.mark.realdata
def test_a_whole_audit(data):
    """Report and verdict of an audit are those of the file, t-closeness of an ordered attribute included."""
    policy = {
        "qidguard": 1,
        "name": "adult",
        "roles": {"quasi_identifiers": ["race", "sex"], "sensitive": ["age"], "insensitive": [*ADULT]},
        "thresholds": [
            {"metric": "k_anonymity", "at_least": 3},
            {"metric": "t_closeness_ordered", "at_most": 0.1},
            {"metric": "share_unique", "at_most": 0.01},
        ],
    }
    path = data / "adult" / "adult_arx.csv"
    with snapshot_of(path, ReadOptions()) as taken:
        reports = []
        for source in (path, taken):
            with qidguard.audit(source, policy=policy) as found:
                reports.append(found.report)
        assert reports[0].columns == reports[1].columns
        values = [
            [(t.measurement.metric, t.measurement.value) for t in r.verdict.thresholds] for r in reports
        ]
        assert values[0] == values[1]
        assert len(values[0]) == 3


CELL = st.one_of(st.none(), st.sampled_from(["1", "01", "2.5", "x", "*", "2020-01-01", " 7"]))


@given(
    rows=st.lists(st.tuples(CELL, CELL, st.sampled_from(["1", "2", "10"])), min_size=1, max_size=12),
    is_planned=st.booleans(),
)
@settings(max_examples=examples(30, fewest=4), deadline=None)
def test_texts_of_any_kind(tmp_path_factory, rows, is_planned):
    """Types of texts are inferred from a snapshot as from the file, the suppression mark left out."""
    path = tmp_path_factory.mktemp("texts") / "x.csv"
    pd.DataFrame(rows, columns=["a", "b", "c"]).to_csv(path, index=False)
    needs = Needs(columns=("a", "c") if is_planned else None, suppression_mark="*")
    check_same(path, needs, [Grouping(qids=("a",), sensitive="c")], has_header=True, delimiter=",")


@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.floats(width=16),
            st.none() | st.sampled_from(["x", "y", ""]),
            st.none() | st.integers(0, 3),
            st.none() | st.dates(),
        ).filter(holds_a_value),
        min_size=1,
        max_size=12,
    )
)
@settings(max_examples=examples(30, fewest=4), deadline=None)
def test_typed_columns_of_any_kind(rows):
    """Numbers, NaN, texts, dates and NULL of a typed table are grouped in a snapshot as they are in it."""
    columns = zip(*rows, strict=True)
    kinds = (pa.float64(), pa.string(), pa.int64(), pa.date32())
    table = pa.table(
        [pa.array(c, k) for c, k in zip(columns, kinds, strict=True)], names=["x", "t", "n", "d"]
    )
    groupings = [Grouping(qids=("x", "t"), sensitive="n"), Grouping(qids=("d",), sensitive="x")]
    check_same(table, Needs(), groupings)
    check_same(table, Needs(columns=("x", "t", "n", "d")), groupings)


def test_a_large_table_is_collapsed_alike():
    """A snapshot of many records is read by the same shortcuts as its source, with the same figures."""
    n = 200_000
    frame = pd.DataFrame(
        {"a": np.arange(n) % 7, "b": [f"v{i % 11}" for i in range(n)], "id": np.arange(n) // 3}
    )
    check_same(frame, Needs(columns=("a", "b")), [Grouping(qids=("a", "b"))])
    check_same(frame, Needs(columns=("a", "b"), entity="id"), [Grouping(qids=("a",), sensitive="b")])


def test_a_population_and_weights():
    """A population is compared with a snapshot as with the source, and may itself be a snapshot."""
    frame = pd.DataFrame({"a": ["x", "x", "y"], "w": [2.0, 2.0, 4.0]})
    population = pd.DataFrame({"a": ["x"] * 5 + ["y"] * 3})
    with snapshot_of(population, ReadOptions()) as other:
        for given_population in (population, other):
            check_same(frame, Needs(population=given_population, weight="w"), [Grouping(qids=("a",))])


def test_a_snapshot_of_a_snapshot(tmp_path):
    """It is a source like any other: a snapshot of it holds the same, texts as texts."""
    (tmp_path / "x.csv").write_text("a,b\n01,\n1,x\n", encoding="utf-8")
    with snapshot_of(tmp_path / "x.csv", ReadOptions()) as first, snapshot_of(first, ReadOptions()) as second:
        assert second.content_digest(["a", "b"]) == first.content_digest(["a", "b"])
        assert (second.format, second.records, second.notes) == ("csv", 2, first.notes)
        assert second.copied.path != first.copied.path


def test_an_opened_table_is_locked_and_lives_on():
    """The table of a snapshot reaches no file, and needs the snapshot only while it is opened."""
    taken = ENGINE.snapshot(pd.DataFrame({"a": [1, 1, 2]}), ReadOptions(), SETTINGS)
    for needs in (Needs(), Needs(columns=("a",))):
        table = ENGINE.open(taken, ReadOptions(), needs, SETTINGS)
        database = table._connection.duckdb
        assert database.execute("SELECT current_setting('enable_external_access')").fetchall() == [(False,)]
        found = database.execute("SELECT path FROM duckdb_databases() WHERE path IS NOT NULL").fetchall()
        assert found == []
        if needs.columns:
            taken.close()
        assert table.statistics(Grouping(qids=("a",)), (CLASSES,)) == {"classes": 2}
        table.close()


def test_only_snapshots_of_this_engine_are_sources():
    """A thing that merely looks like a snapshot is none."""

    class Other:
        names = ("a",)
        copied = None

    assert not ENGINE.can_open(Other())
    assert ENGINE.can_open(DuckdbSnapshot.__new__(DuckdbSnapshot))

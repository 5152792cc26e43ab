"""Tests of an opened table on DuckDB."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.errors import MemoryLimitError
from qidguard.core.statistic import CLASSES, PERSONS, SMALLEST_CLASS, UNIQUES, RowSource
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import engine as loading
from qidguard.engines.duckdb import lockdown
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.engines.duckdb.table import DuckdbTable
from qidguard.sdk import (
    ClassValue,
    DataError,
    Grouping,
    NotMeasurable,
    PluginError,
    Statistic,
    ValueType,
    exact_sum,
)

DISTANCE = ClassValue(name="d", sql=exact_sum("greatest(share - table_share, 0)"))
BASIC = (CLASSES, SMALLEST_CLASS, PERSONS, UNIQUES)
SMALL = pd.DataFrame(
    {
        "sex": ["f", "f", "m", "m", None, None],
        "age": [30, 30, 41, 42, 42, 42],
        "illness": ["flu", "flu", "flu", "cough", "cough", "flu"],
        "patient": [1, 1, 2, 3, 4, 5],
    }
)


def opened(frame: object, needs: Needs | None = None, **options: object) -> DuckdbTable:
    """Return an opened table."""
    return ENGINE.open(frame, ReadOptions(**options), needs or Needs(), EngineSettings())  # type: ignore[arg-type]


BY_SEX = Grouping(qids=("sex",))
OF_SEX = {"classes": 3, "smallest_class": 2, "persons": 6, "uniques": 0}
OF_PATIENTS = {"classes": 3, "smallest_class": 1, "persons": 5, "uniques": 1}


def test_null_is_a_group_and_entities_are_counted_not_records():
    """Two records without sex are one class; patient 1 has two records and is unique; nobody is missing."""
    with opened(SMALL) as table:
        assert table.statistics(BY_SEX, BASIC) == OF_SEX
    with opened(SMALL, Needs(entity="patient")) as table:
        assert (table.records, table.entities, table.missing_entities) == (6, 5, 0)
        assert table.statistics(BY_SEX, BASIC) == OF_PATIENTS
    with opened(SMALL.assign(patient=[1, 1, None, 3, 4, 5]), Needs(entity="patient")) as table:
        assert table.missing_entities == 1


def test_facts_are_public_and_right():
    """Type, distinct values, missing values and single-column risk of each column."""
    with opened(SMALL) as table:
        facts = {f.name: (f.value_type, f.distinct, f.missing, f.groups) for f in table.columns}
        assert facts["sex"] == (ValueType.TEXT, 2, 2, 3)
        assert facts["age"] == (ValueType.INTEGER, 3, 0, 3)
        assert table.columns[0].risk == 3 / 6


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["a", "b", None]), st.integers(0, 2), st.floats(allow_infinity=False, width=16)
        ),
        min_size=1,
        max_size=30,
    )
)
@settings(max_examples=examples(40), deadline=None)
def test_classes_equal_pandas(rows):
    """The number and the sizes of classes are those of pandas with dropna=False."""
    frame = pd.DataFrame(rows, columns=["x", "y", "z"])
    sizes = frame.groupby(["x", "y", "z"], dropna=False).size()
    with opened(frame) as table:
        found = table.statistics(Grouping(qids=("x", "y", "z")), BASIC)
        assert found["classes"] == len(sizes)
        assert found["smallest_class"] == sizes.min()
        assert found["uniques"] == (sizes == 1).sum()
        assert sorted(table.class_sizes(("x", "y", "z"))) == sorted(sizes)


def test_planned_and_lazy_coding_agree():
    """Columns that are coded while loading and columns that are coded when first asked give one answer."""
    with opened(SMALL, Needs(columns=("sex", "age"))) as planned, opened(SMALL) as lazy:
        for qids in (("sex",), ("age",), ("age", "sex")):
            grouping = Grouping(qids=qids)
            assert planned.statistics(grouping, BASIC) == lazy.statistics(grouping, BASIC)
        assert planned.columns == lazy.columns


def test_a_column_that_was_not_planned_is_asked_for_in_vain():
    """A table that was opened for some columns says so when another one is named."""
    with (
        opened(SMALL, Needs(columns=("sex",))) as table,
        pytest.raises(DataError, match="'age' was not kept"),
    ):
        table.statistics(Grouping(qids=("age",)), BASIC)


def test_collapsing_while_loading_changes_nothing(monkeypatch):
    """A source that is collapsed while it is read gives the same statistics and facts as one that is not."""
    frame = pd.concat([SMALL] * 40, ignore_index=True)
    grouping = Grouping(qids=("sex", "age"), sensitive="illness")
    with opened(frame) as plain:
        monkeypatch.setattr(loading, "_SAMPLE", 100)
        with opened(frame, Needs(columns=("sex", "age", "illness"))) as collapsed:
            coded = collapsed._connection.duckdb.execute("SELECT count(*) FROM coded")
            assert coded.fetchall() == [(5,)]
            one, two = ((t.statistics(grouping, BASIC), t.columns, t.records) for t in (plain, collapsed))
            assert (one, two[2]) == (two, 240)


def test_cells_number_classes_and_rank_values():
    """Three classes of sex; illness is ranked cough 0, flu 1; persons of cells add up to those of classes."""
    with opened(SMALL) as table:
        cells = table.cells(Grouping(qids=("sex",), sensitive="illness"))
    rows = list(zip(cells.class_id, cells.value, cells.n, strict=True))
    by_class = {tuple(sorted((v, n) for c, v, n in rows if c == i)) for i in range(3)}
    assert by_class == {((1, 2),), ((0, 1), (1, 1))}
    assert (cells.size.tolist(), cells.table_n.tolist(), cells.has_missing) == ([2, 2, 2], [2, 4], False)


def test_cells_agree_between_packed_and_wide_keys():
    """With more codes than one 64-bit key holds, classes are still told apart."""
    generator = np.random.default_rng(7)
    wide = pd.DataFrame({f"q{i}": generator.integers(0, 50, 200) for i in range(14)})
    wide["s"] = generator.integers(0, 3, 200)
    qids = tuple(f"q{i}" for i in range(14))
    with opened(wide) as table:
        cells = table.cells(Grouping(qids=qids, sensitive="s"))
        assert len(table._layout(Grouping(qids=qids)).keys) > 1
    assert np.bincount(cells.class_id, weights=cells.n).tolist() == cells.size.tolist()
    assert cells.size.sum() == 200


def test_a_missing_sensitive_value_has_rank_zero():
    """NULL, where it occurs, is rank 0 and the real values follow."""
    with opened(pd.DataFrame({"q": [1, 1, 1], "s": ["b", None, "a"]})) as table:
        cells = table.cells(Grouping(qids=("q",), sensitive="s"))
    assert (cells.has_missing, sorted(cells.value.tolist())) == (True, [0, 1, 2])


def test_numbers_as_text_rank_by_number_and_stay_apart_as_text(tmp_path):
    """In a CSV, 9 ranks before 10, and 01 and 1 are two values."""
    path = tmp_path / "t.csv"
    path.write_text("q,s\nx,10\nx,9\nx,01\nx,1\n", encoding="utf-8")
    with opened(path) as table:
        cells = table.cells(Grouping(qids=("q",), sensitive="s"))
        assert cells.table_n.tolist() == [1, 1, 1, 1]
        assert table.columns[1].value_type is ValueType.INTEGER
        connection = table._connection.duckdb
        ranked = connection.execute("SELECT value FROM dictionary_1 ORDER BY code").fetchall()
    assert [value for (value,) in ranked] == ["01", "1", "9", "10"]


def test_codes_hold_the_mark_and_multiplicity():
    """The suppression mark has a code of its own, equal rows are collapsed, two entities are two rows."""
    frame = pd.DataFrame({"a": ["*", "x", "x"], "b": ["y", "y", "y"]})
    with opened(frame, Needs(suppression_mark="*")) as table:
        codes = table.codes(("a", "b"))
    assert (codes.suppressed[0] > 0, codes.suppressed[1], codes.entity) == (True, -1, None)
    assert (sorted(codes.records.tolist()), codes.codes.shape) == ([1, 2], (2, 2))
    with opened(SMALL, Needs(entity="patient")) as table:
        apart = table.codes(("sex",))
    assert (len(apart.records), len(set(apart.entity.tolist()))) == (5, 5)


ABSENT = "sum(CASE WHEN size = 0 THEN 1 ELSE 0 END)"
OF_POPULATION = (
    Statistic(name="smallest", sql="min(population_size)"),
    Statistic(name="largest", sql="max(population_size)"),
    Statistic(name="absent", sql=ABSENT, source=RowSource.POPULATION),
)


@pytest.mark.parametrize(
    ("values", "population", "expected"),
    [
        ([30, 30, 41, 42, 42, 42], ["30"] * 3 + ["41"] + ["42"] * 3 + ["99"], (1, 3, 1)),
        ([1.5, 1.5, 2.0], ["1.50", "1.5", "1.5", "2"], (1, 3, 0)),
        ([Decimal("1.50"), Decimal("1.5"), Decimal(2)], ["1.50", "1.5", "1.5", "2"], (1, 3, 0)),
    ],
)
def test_a_population_table_gives_population_sizes(values, population, expected):
    """Values that only the population has make classes of their own; however they are written."""
    needs = Needs(columns=("x", "y"), population=pd.DataFrame({"x": population}))
    with opened(pd.DataFrame({"x": values, "y": 1}), needs) as table:
        found = table.statistics(Grouping(qids=("x",)), OF_POPULATION)
        assert found == dict(zip(("smallest", "largest", "absent"), expected, strict=True))
        with pytest.raises(NotMeasurable, match="no column 'y'"):
            table.statistics(Grouping(qids=("y",)), OF_POPULATION)


def test_without_a_population_nothing_is_measured_against_it():
    """The lack of a population table is said, not guessed around."""
    with opened(SMALL) as table, pytest.raises(NotMeasurable, match="population table"):
        table.statistics(BY_SEX, OF_POPULATION)


def test_sampling_weights_give_the_sampling_fraction():
    """Four records that stand for 40 people are a tenth of the population."""
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "w": [5.0, 5.0, 10.0, 20.0]})
    with opened(frame, Needs(weight="w")) as table:
        assert table.sampling_fraction == 0.1


@pytest.mark.parametrize("bad", [None, 0.0, -1.0, float("inf")])
def test_a_bad_weight_is_an_error(bad):
    """A weight is a finite number above zero in every record."""
    frame = pd.DataFrame({"a": [1, 2], "w": [1.0, bad]})
    with pytest.raises(DataError, match="weight column 'w'"):
        opened(frame, Needs(weight="w"))


def test_nan_and_null_are_two_values_where_the_source_tells_them_apart():
    """In Arrow data NaN is a value of its own; it is counted and grouped apart from NULL."""
    import pyarrow as pa

    with opened(pa.table({"x": [1.0, float("nan"), float("nan"), None]})) as table:
        assert table.columns[0].not_a_number == 2
        assert table.columns[0].missing == 1
        assert table.statistics(Grouping(qids=("x",)), BASIC)["classes"] == 3


@pytest.mark.parametrize(
    "sql",
    [
        "min(size) FROM classes) AS a; DROP TABLE coded; --",
        "(SELECT max(content) FROM read_text('/etc/hostname'))",
        "(SELECT count(*) FROM '/etc/hostname')",
        "getenv('HOME')",
        "no_such_function(size)",
        "max(CAST(size AS VARCHAR))",
    ],
)
def test_hostile_statistics_are_refused(sql):
    """A plugin's SQL cannot write, read files or give text; the error tells no value, the table lives on."""
    with opened(SMALL) as table:
        with pytest.raises(PluginError):
            table.statistics(Grouping(qids=("sex",)), [Statistic(name="hostile", sql=sql)])
        assert table.statistics(Grouping(qids=("sex",)), BASIC)["classes"] == 3


@pytest.mark.slow
def test_hostile_column_names_are_only_names():
    """Quotes, SQL words, spaces, emoji and newlines in names change nothing, nor do 300 columns."""
    names = ['a"b', "select", "x y", "🙂", "a\nb", "'; DROP TABLE coded; --", "A", "a"]
    names += [f"column {i}" for i in range(292)]
    expected = {"classes": 2, "smallest_class": 2, "persons": 4, "uniques": 0}
    with opened(pd.DataFrame([[i % 2] * 300 for i in range(4)], columns=names)) as table:
        assert table.statistics(Grouping(qids=tuple(names)), BASIC) == expected


def test_the_callers_frame_is_never_changed():
    """Opening and measuring leaves the DataFrame as it was."""
    frame = SMALL.copy()
    with opened(frame, Needs(columns=("sex",), suppression_mark="f")) as table:
        table.statistics(Grouping(qids=("sex",)), BASIC)
    pd.testing.assert_frame_equal(frame, SMALL)


@pytest.mark.slow
def test_figures_do_not_depend_on_the_number_of_threads():
    """Sums of fractions are the same to the last digit with one thread and with four."""
    generator = np.random.default_rng(11)
    frame = pd.DataFrame(
        {"q": generator.integers(0, 90_000, 300_000), "s": generator.integers(0, 7, 300_000)}
    )
    share = ClassValue(name="squares", sql=exact_sum("share * share"))
    wanted = (
        Statistic(name="inverse", sql="1.0 / (size + 2)", source=RowSource.PERSONS),
        Statistic(name="total_squares", sql=exact_sum("squares"), values=(share,)),
    )
    found = set()
    for threads in (1, 4, 4, 3):
        settings_ = EngineSettings(threads=threads)
        with ENGINE.open(frame, ReadOptions(), Needs(columns=("q", "s")), settings_) as table:
            found.add(tuple(table.statistics(Grouping(qids=("q",), sensitive="s"), wanted).values()))
    assert len(found) == 1


def test_step_by_step_gives_the_same_numbers(monkeypatch):
    """Where memory is short for one statement, a table a step gives the same and leaves none behind."""
    wanted = (
        *BASIC,
        Statistic(name="l", sql="min(v)", values=(ClassValue(name="v", sql="count(n)"),)),
        Statistic(name="t", sql="max(d)", values=(DISTANCE,)),
    )
    grouping = Grouping(qids=("sex",), sensitive="illness")
    for needs in (Needs(columns=("sex", "illness")), Needs(entity="patient", columns=("sex", "illness"))):
        with opened(SMALL, needs) as table:
            at_once = table.statistics(grouping, wanted)
            tables = table._connection.duckdb.execute("SHOW TABLES").fetchall()
            original = lockdown.run_select

            def too_large(connection: object, sql: str, original: object = original) -> object:
                if sql.startswith("WITH"):
                    raise MemoryLimitError("too small")
                return original(connection, sql)

            with monkeypatch.context() as patch:
                patch.setattr(lockdown, "run_select", too_large)
                assert table.statistics(grouping, wanted) == at_once
                hostile = Statistic(name="h", sql="1 FROM classes) AS x; DROP TABLE coded; --")
                with pytest.raises(PluginError):
                    table.statistics(grouping, [hostile])
            assert table._connection.duckdb.execute("SHOW TABLES").fetchall() == tables

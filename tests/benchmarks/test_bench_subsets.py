"""All subsets of columns: in memory against one SQL query a subset, on real and large tables."""

# ruff: noqa: PD011 - the values are a SubsetFigures's, and no pandas

from functools import partial
from pathlib import Path as File

import numpy as np
import pandas as pd
import pytest

from in_turns import distances, in_turns
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.measuring.cost import Path
from qidguard.measuring.question import Question
from qidguard.measuring.subset_measurer import SubsetMeasurer

pytestmark = [pytest.mark.bench, pytest.mark.realdata, pytest.mark.timeout(900)]

NAMES = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "income",
)  # fmt: skip
CLASSES = ("k_anonymity", "average_class_size", "discernibility", "sample_uniques", "persons_below_k")
"""Smallest class, number of classes, sum of squared sizes, uniques and persons below 5."""
CELLS = ("t_closeness", "distinct_l_diversity", "entropy_l_diversity")
ADULT = ReadOptions(format="csv", has_header=False, columns=NAMES, is_trimmed=True)
ONE = EngineSettings(threads=1)
LARGE = """
    import json, sys
    from pathlib import Path as File
    import duckdb
    from in_turns import in_turns
    from qidguard.core.parameter import bind
    from qidguard.engines.base import EngineSettings, Needs, ReadOptions
    from qidguard.engines.duckdb.engine import ENGINE
    from qidguard.host import load_host
    from qidguard.measuring.question import Question
    from qidguard.measuring.subset_measurer import SubsetMeasurer

    source, most, metrics = File(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(",")
    host = load_host()
    figures = [
        Question(metric=m, arguments=bind(m.parameters, {})) for m in map(host.metric, metrics)
    ]
    columns, told = ENGINE.column_names(source, ReadOptions(), EngineSettings()), {}

    def counted():
        duckdb.sql(f"SELECT count(*) FROM (SELECT DISTINCT * FROM '{source}')").fetchall()

    def measured():
        with ENGINE.open(source, ReadOptions(), Needs(columns=columns), EngineSettings()) as table:
            measurer = SubsetMeasurer(table, columns, figures, expected_sets=1000)
            told.update(sets=len(measurer.every(range(1, most + 1)).sets), path=measurer.plan.path.value)

    group_by, seconds = in_turns(counted, measured, repeats=1)
    print(json.dumps({"group_by_s": group_by, "seconds": seconds, "ratio": seconds / group_by, **told}))
"""


def questions_of(names: tuple[str, ...], attribute: str | None = None) -> list[Question]:
    """Return figures with the metrics' default arguments."""
    host = load_host()
    metrics = [host.metric(name) for name in names]
    return [
        Question(metric=m, arguments=bind(m.parameters, {}), attribute=attribute, owner=m.name)
        for m in metrics
    ]


@pytest.fixture
def adult(data):
    """Return adult.data, opened on one thread."""
    with ENGINE.open(data / "adult" / "adult.data", ADULT, Needs(columns=NAMES), ONE) as table:
        yield table


@pytest.fixture(scope="module")
def million(data, tmp_path_factory) -> File:
    """Return 1M records of Adult's 13 QIDs, re-sampled, each value redrawn from its marginal with p = 0.1."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = pd.read_csv(data / "adult" / "adult.data", names=NAMES, skipinitialspace=True)
    generator = np.random.default_rng(7)
    rows = generator.integers(0, len(frame), 1_000_000)
    columns = {}
    for name in NAMES:
        if name in {"fnlwgt", "income"}:
            continue
        codes, values = pd.factorize(frame[name])
        taken = codes[rows]
        is_redrawn = generator.random(len(rows)) < 0.1
        taken[is_redrawn] = generator.choice(codes, int(is_redrawn.sum()))
        columns[name] = pa.array(np.asarray(values)[taken].tolist())
    path = tmp_path_factory.mktemp("million") / "million.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def random_sets(generator: np.random.Generator, columns: tuple[str, ...], sets: int) -> list[frozenset[str]]:
    """Return random sets of columns, none empty."""
    chosen = generator.random((sets, len(columns))) < 0.4
    return [frozenset(np.array(columns)[one]) or frozenset(columns[:1]) for one in chosen]


def test_all_subsets_of_adult(adult, figures):
    """All 32,767 on one thread with numpy alone, 60 times as fast as SQL, equal on a sample.

    The time begins with an opened table: reading the codes, the walk, five metrics for every set.
    """
    asked = questions_of(CLASSES)
    found = []

    def whole() -> None:
        found[:] = [SubsetMeasurer(adult, NAMES, asked, path=Path.LATTICE).every(range(1, 16))]

    whole()
    [every] = found
    sample = np.random.default_rng(1).choice(len(every.sets), 300, replace=False)
    sets = [frozenset(every.names(int(row))) for row in sample]
    values = []

    def by_sql() -> None:
        values[:] = [SubsetMeasurer(adult, NAMES, asked, path=Path.SQL).measure(sets)]

    sql, seconds = in_turns(by_sql, whole, repeats=2)
    ratio = sql / len(sets) * len(every.sets) / seconds
    figures(sets=len(every.sets), seconds=seconds, sql_ms_a_set=1000 * sql / len(sets), ratio=ratio)
    assert len(every.sets) == 32_767
    np.testing.assert_array_equal(values[0], every.values[sample])
    assert ratio > 60


def test_cells_of_adult(adult, figures):
    """Distinct values, t and entropy of an attribute over all sets up to 3 of 14 columns, against SQL."""
    columns, asked = NAMES[:14], questions_of(CELLS, "income")

    def whole() -> None:
        SubsetMeasurer(adult, columns, asked, path=Path.LATTICE).every(range(1, 4))

    sets = [frozenset({columns[i], columns[i - 3]}) for i in range(14)]
    sql, lattice = in_turns(lambda: SubsetMeasurer(adult, columns, asked, path=Path.SQL).measure(sets), whole)
    sql, lattice = sql / len(sets), lattice / 469
    figures(lattice_ms_a_set=1000 * lattice, sql_ms_a_set=1000 * sql, ratio=sql / lattice)
    assert sql / lattice > 5


def test_a_search_on_adult(adult, figures):
    """1,500 random and neighboring sets, 50 at a time: 4 times as fast by refinement as by SQL."""
    columns = NAMES[:14]
    generator = np.random.default_rng(3)
    generation = generator.random((50, 14)) < 0.5
    batches = []
    for _ in range(30):
        generation = generation[generator.integers(0, 50, 50)] ^ (generator.random((50, 14)) < 0.1)
        generation[:, 0] |= ~generation.any(axis=1)
        batches.append([frozenset(np.array(columns)[one]) for one in generation])
    asked = questions_of(CLASSES)
    measured = []

    def search() -> None:
        measurer = SubsetMeasurer(adult, columns, asked)
        for sets in batches:
            measurer.measure(sets)
        measured[:] = [measurer]

    sql, seconds = in_turns(
        lambda: SubsetMeasurer(adult, columns, asked, path=Path.SQL).measure(batches[0]), search
    )
    [measurer], ratio = measured, len(batches) * sql / seconds
    figures(seconds=seconds, ratio=ratio, distinct=measurer.evaluations, path=measurer.plan.path.value)
    assert measurer.plan.path is Path.REFINEMENT
    assert ratio > 4


def test_a_million_records(million, figures, in_own_process):
    """1M × 13, all 1,092 sets up to 4, opening and collapsing included: at most 65 times one GROUP BY."""
    found = in_own_process(LARGE, str(million), "4", ",".join(CLASSES))
    figures(**found)
    assert (found["sets"], found["path"]) == (1092, "lattice")
    assert found["ratio"] <= 65


def test_ten_million_records(large_parquet, figures, in_own_process):
    """10M × 8, all 255 sets, opening and collapsing included: at most 5 times one GROUP BY."""
    found = in_own_process(LARGE, str(large_parquet), "8", ",".join(CLASSES))
    figures(**found)
    assert (found["sets"], found["path"]) == (255, "lattice")
    assert found["ratio"] <= 5


@pytest.mark.parametrize(("sets", "width"), [(2, 14), (30, 14), (300, 14), (5000, 14), (200, 6)])
def test_the_choice_is_never_much_slower_than_the_best(adult, figures, sets, width):
    """The way that the cost model takes costs at most thrice the best, or three yardsticks of distances."""
    columns = NAMES[:width]
    generator = np.random.default_rng(sets)
    asked = questions_of(CLASSES)
    chosen = [
        frozenset(np.array(columns)[generator.random(width) < 0.4]) or frozenset({"age"}) for _ in range(sets)
    ]

    def measuring(path: Path | None) -> None:
        SubsetMeasurer(adult, columns, asked, path=path, expected_sets=sets).measure(chosen)

    plan = SubsetMeasurer(adult, columns, asked, expected_sets=sets).plan
    ways = [path for path in Path if path is not Path.SQL or sets <= 300]
    works = [partial(measuring, path) for path in (None, *ways)]
    yardstick, by_plan, *taken = in_turns(distances, *works, repeats=1)
    by_way = {path.value: spent for path, spent in zip(ways, taken, strict=True)}
    figures(plan=plan.path.value, by_plan=by_plan, yardstick=yardstick, **by_way)
    assert by_plan < 3 * max(min(taken), yardstick)


def test_the_coefficients_of_the_cost_model(adult, figures):
    """Print what each way costs here, to be compared with ``qidguard.measuring.cost.COEFFICIENTS``.

    To measure again: run this test alone on a quiet machine, ``pytest -m bench -k coefficients -s``, and put
    the printed seconds per set and per set and row into the table there; ``begin_row`` is the time of one
    single set divided by rows and columns.
    """
    asked = questions_of(CLASSES)
    columns = NAMES[:14]
    rows = len(adult.codes(columns).records)
    generator = np.random.default_rng(9)
    sets = [
        frozenset(np.array(columns)[generator.random(14) < 0.4]) or frozenset({"age"}) for _ in range(200)
    ]
    few = [frozenset({columns[i % 14], columns[(i + 3) % 14]}) for i in range(14)]
    of_cells = questions_of(CELLS, "income")
    for path in Path:
        begin, every, cells = in_turns(
            lambda path=path: SubsetMeasurer(adult, columns, asked, path=path).measure(sets[:1]),
            lambda path=path: SubsetMeasurer(adult, columns, asked, path=path).measure(sets),
            lambda path=path: SubsetMeasurer(adult, columns, of_cells, path=path).measure(few),
            repeats=1,
        )
        each = (every - begin) / (len(sets) - 1)
        figures(
            path=path.value, rows=rows, begin_row=begin / rows / 14, a_set=each, a_set_and_row=each / rows,
            cells_a_set_and_row=cells / len(few) / rows,
        )  # fmt: skip
        assert every > begin

"""What every anonymizer publishes, opened as its reader would: missing values, sets, and types of columns."""

import re
from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd
import pytest

import qidguard
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.sdk import AnonymizationTask
from quick import mostly_slow
from snapshots import run_anonymizer

HOST = load_host()
SENSITIVE = "illness"
NEW_TABLES = {"noisy_marginals", "private_synthetic"}
BOUNDS = {"age": [18, 40], "income": [0, 50], "visits": [0, 5], "born": [0, 8000]}
ARGUMENTS = {
    "anneal": {"k": 3, "effort": 0.0},
    "full_domain": {"k": 3, "most_suppressed": 0.1},
    "hybrid_dp": {"k": 3, "bounds": BOUNDS},
    "kept_groups": {"k": 3, "leavers_stay": "until_k", "sensitive_changes": "never"},
    "pram": {"p": 0.7},
    "pram_sensitive": {"p": 0.7, "columns": "job, insured"},
    "rounding": {"base": "age=5, income=10"},
    "small_class_suppression": {"k": 2, "most_suppressed": 1.0},
    "top_bottom_coding": {"k": 3, "top": "age=25", "publish": "limit"},
    "zheng_l_diversity": {"k": 3, "l": 2},
}
SEARCHED = {"anneal", "mo_obam"}
ANONYMIZERS = [*sorted({*HOST.anonymizers} - NEW_TABLES - SEARCHED), *sorted(SEARCHED)]
CENTERS = {"anneal", "mdav", "mo_obam", "v_mdav", "zheng_l_diversity"}
"""Those that publish means and modes unless they are told otherwise."""
WITHOUT_K = {"pram", "pram_sensitive", "rounding", "small_class_suppression", "top_bottom_coding"}
TYPED = {"age": "BIGINT", "income": "DOUBLE", "visits": "BIGINT", "born": "DATE", "insured": "BOOLEAN"}


def people(records=40):
    """Return a table with an integer, a float, a date, a Boolean and a text with gaps; some records agree."""
    draw = np.random.default_rng(8)
    frame = pd.DataFrame(
        {
            "age": draw.integers(20, 28, records),
            "income": draw.choice([10.5, 20.25, 31.0], records),
            "visits": pd.array(draw.integers(0, 3, records), dtype="Int64"),
            "born": pd.to_datetime(draw.choice(["1980-01-01", "1981-07-31"], records)).date,
            "insured": pd.array(draw.random(records) < 0.6, dtype="boolean"),
            "job": draw.choice(list("abcdefg"), records),
            SENSITIVE: draw.choice(["flu", "cold"], records),
        }
    )
    for name in ("income", "visits", "born", "insured", "job"):
        frame.loc[draw.random(records) < 0.1, name] = None
    at = np.arange(records)
    at[1::5] = at[::5]
    return pd.concat([frame.iloc[at, :-1].reset_index(drop=True), frame[[SENSITIVE]]], axis=1)


QIDS = tuple(people(2).columns[:-1])


@dataclass(frozen=True)
class Opened:
    """A source and what was published of its records, cell by cell as text, None where it is missing."""

    source: dict
    cells: dict
    folder: object
    kept: np.ndarray


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Return the table as a CSV and as Parquet."""
    folder = tmp_path_factory.mktemp("sources")
    people().to_csv(folder / "people.csv", index=False)
    people().to_parquet(folder / "people.parquet")
    return {kind: str(folder / f"people.{kind}") for kind in ("csv", "parquet")}


def opened(name, source, folder, **options):
    """Run an anonymizer on a file, write what it made as both formats, and read the CSV as plain texts."""
    anonymizer = HOST.anonymizer(name)
    given = ARGUMENTS.get(name, {"k": 3}) | options
    task = AnonymizationTask(
        combinations=(QIDS,), entity=None, sensitive=(SENSITIVE,), seed=4, is_rehearsal=True
    )
    with ENGINE.snapshot(source, ReadOptions(), EngineSettings()) as snapshot:
        run = run_anonymizer(anonymizer, snapshot, bind(anonymizer.parameters, given), task, owner="test")
        with run.after as after:
            for kind in ("csv", "parquet"):
                after.write(folder / f"out.{kind}", after.names, kind, seed=None)
    return Opened(source=_texts(source), cells=_texts(folder / "out.csv"), folder=folder, kept=run.done.kept)


def _texts(path):
    """Return the cells of a file as texts."""
    sql = f"read_csv('{path}', all_varchar=true)" if str(path).endswith("csv") else f"'{path}'"
    frame = duckdb.sql(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {sql}").df()
    return {name: [None if pd.isna(cell) else cell for cell in frame[name]] for name in frame}


def types_of(path):
    """Return DuckDB's type of each column of a file."""
    found = duckdb.sql(f"SELECT * FROM '{path}'")
    return dict(zip(found.columns, map(str, found.types), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("kind", mostly_slow(["csv", "parquet"]))
@pytest.mark.parametrize("name", mostly_slow(ANONYMIZERS, len(ANONYMIZERS) - len(SEARCHED)))
def test_a_missing_value_stays_missing_or_is_marked(sources, tmp_path, name, kind):
    """It is in no set and no interval, and nothing is put in its place; no set has more than four values."""
    found = opened(name, sources[kind], tmp_path)
    for column in QIDS:
        before = [cell for cell, kept in zip(found.source[column], found.kept, strict=True) if kept]
        pairs = list(zip(before, found.cells[column], strict=True))
        assert {after for cell, after in pairs if cell is None} <= {None, "*"}
        texts = {after for _, after in pairs if after is not None}
        sets = [text[1:-1].split(", ") for text in texts if text.startswith("{")]
        assert all(2 <= len(members) <= 4 and all(members) for members in sets)
        assert not any(re.search(r"None|NULL|nan|NaT|\[,|, \]", text) for text in texts)
        if name not in CENTERS:
            assert all(after is not None for cell, after in pairs if cell is not None)


@pytest.mark.samples(1)
@pytest.mark.parametrize("name", mostly_slow(ANONYMIZERS, 5))
def test_what_is_all_numbers_arrives_as_numbers(sources, tmp_path, name):
    """In Parquet a column has the source's type as long as its cells are all such values, or missing."""
    found = opened(name, sources["parquet"], tmp_path)
    types = types_of(tmp_path / "out.parquet")
    patterns = {
        "BIGINT": r"-?\d+",
        "DOUBLE": r"-?\d+(\.\d+)?([eE][-+]?\d+)?",
        "DATE": r"\d{4}-\d\d-\d\d",
        "BOOLEAN": "true|false",
    }
    for column, kind in TYPED.items():
        texts = {cell for cell in found.cells[column] if cell is not None}
        if texts and all(re.fullmatch(patterns[kind], text) for text in texts):
            assert (column, types[column]) == (column, kind)


@pytest.mark.parametrize("name", mostly_slow(["mdav", *sorted(CENTERS - {"mdav"})]))
def test_centers_keep_the_types_of_a_typed_source(sources, tmp_path, name):
    """Means of integers are rounded to integers; readers of both formats find numbers, dates and Booleans."""
    opened(name, sources["parquet"], tmp_path)
    assert types_of(tmp_path / "out.parquet") == TYPED | {"job": "VARCHAR", SENSITIVE: "VARCHAR"}
    assert types_of(tmp_path / "out.csv") == TYPED | {"job": "VARCHAR", SENSITIVE: "VARCHAR"}
    assert '"' not in (tmp_path / "out.csv").read_text()
    for frame in (
        pd.read_csv(tmp_path / "out.csv", dtype_backend="numpy_nullable", parse_dates=["born"]),
        pd.read_parquet(tmp_path / "out.parquet", dtype_backend="numpy_nullable"),
    ):
        assert [str(frame[name].dtype) for name in ("age", "income", "visits", "insured")] == [
            "Int64", "Float64", "Int64", "boolean",
        ]  # fmt: skip
        assert pd.to_datetime(frame["born"]).notna().any()


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_slow(["v_mdav", *sorted(CENTERS - {"v_mdav"})]))
def test_centers_of_a_csv_are_typed_in_parquet(sources, tmp_path, name):
    """Its columns are texts until then; ``True`` is no text that a Boolean prints as."""
    opened(name, sources["csv"], tmp_path)
    expected = TYPED | {"insured": "VARCHAR", "job": "VARCHAR", SENSITIVE: "VARCHAR"}
    assert types_of(tmp_path / "out.parquet") == expected


@pytest.mark.parametrize("name", mostly_slow(["mondrian", "k_member", "blocks"]))
def test_means_are_a_parameter(sources, tmp_path, name):
    """``publish: means`` keeps numbers numbers where a method shows sets unless it is asked."""
    opened(name, sources["parquet"], tmp_path, publish="means")
    assert types_of(tmp_path / "out.parquet") == TYPED | {"job": "VARCHAR", SENSITIVE: "VARCHAR"}


@pytest.mark.parametrize("name", mostly_slow((n for n in ANONYMIZERS if n != "hybrid_dp"), quick=0))
def test_through_the_door(sources, tmp_path, name):
    """``qidguard.anonymize`` audits and writes the same: the limit holds, and pandas finds the cells."""
    limit = (
        {"metric": "persons_below_k", "at_most": 100_000}
        if name in WITHOUT_K
        else {"metric": "k_anonymity", "at_least": 3}
    )
    policy = {
        "qidguard": 1,
        "name": "people",
        "roles": {"quasi_identifiers": list(QIDS), "sensitive": [SENSITIVE]},
        "thresholds": [limit],
    }
    with qidguard.anonymize(
        sources["csv"], policy, anonymizer=name, parameters=ARGUMENTS.get(name, {"k": 3})
    ) as tried:
        assert tried.is_passed, tried.sentences
        assert all(claim.is_kept for claim in tried.claims)
        tried.write(str(tmp_path / "out.csv"))
    frame = pd.read_csv(tmp_path / "out.csv")
    assert (
        not frame[list(QIDS)].astype(str).apply(lambda cells: cells.str.contains(r"\{,|, ,|nan,")).any().any()
    )
    if name in CENTERS:
        assert [frame[column].dtype.kind for column in ("age", "income", "visits")] == ["i", "f", "f"]
    if name not in WITHOUT_K:
        assert frame.groupby(list(QIDS), dropna=False).size().min() >= 3

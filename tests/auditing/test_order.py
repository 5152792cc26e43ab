"""An order of values comes from numbers, dates or a declaration; texts have none."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qidguard
from examples import examples
from qidguard import sdk
from qidguard.engines.base import ReadOptions
from reaudits import again, figures
from releases import Place

GRADES = ("low", "medium", "high")
ROWS = [("x", "low")] * 4 + [("x", "medium")] * 2 + [("y", "medium")] * 2 + [("y", "high")] * 4
Q, S = [row[0] for row in ROWS], [row[1] for row in ROWS]
FAR = 1 / 3
"""Two thirds of x are low and one third medium, of all a third each: (1/3 + 1/3) / 2, as Li et al. reckon."""

TEXTS = "column 's' has no order: its values are texts; declare order: {s: [...]}"


def closeness(table: Any, order: Mapping[str, tuple[str, ...]] | None = None, **read: Any) -> Any:
    """Return the ordered t-closeness, or the sentence where it has none."""
    options = ReadOptions(order=order or {}, **read)
    found = qidguard.measure(table, "t_closeness_ordered", qids=["q"], sensitive="s", read=options)
    return found.reason if found.value is None else found.value


def frame(**more: Any) -> pd.DataFrame:
    """Return the records as a pandas frame."""
    return pd.DataFrame({"q": Q, "s": S}).assign(**more)


def in_pandas(*, ordered: bool) -> pd.DataFrame:
    """Return the records with a Categorical."""
    return frame(s=pd.Categorical(S, categories=GRADES, ordered=ordered))


def in_polars(dtype: Any) -> pl.DataFrame:
    """Return the records of a type of polars."""
    return pl.DataFrame({"q": Q, "s": pl.Series(S, dtype=dtype)})


def in_arrow(*, ordered: bool) -> pa.Table:
    """Return the records with a dictionary of Arrow."""
    codes = pa.array([GRADES.index(one) for one in S])
    return pa.table({"q": Q, "s": pa.DictionaryArray.from_arrays(codes, pa.array(GRADES), ordered=ordered)})


def pandas_of_arrow() -> pd.DataFrame:
    """Return the records of Arrow in a frame of pandas."""
    return frame(s=pd.arrays.ArrowExtensionArray(in_arrow(ordered=True)["s"]))


def enum_file(tmp_path: Path) -> Path:
    """Return a DuckDB file with an ENUM."""
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(f"CREATE TYPE grade AS ENUM {GRADES}")
        database.execute("CREATE TABLE t (q VARCHAR, s grade)")
        database.executemany("INSERT INTO t VALUES (?, ?)", ROWS)
    return path


def enum_relation(tmp_path: Path) -> Any:
    """Return a relation of a connection of somebody else's."""
    return duckdb.connect(str(enum_file(tmp_path))).table("t")


def csv(tmp_path: Path) -> Path:
    """Return the records as a CSV."""
    frame().to_csv(tmp_path / "x.csv", index=False)
    return tmp_path / "x.csv"


LACKS = (
    "column 's' has no order: 1 of its 3 values is not in its declared order (of the form aaaaaa); name"
    " every value in order: {s: [...]}"
)
NUMBERED = frame(s=[GRADES.index(one) * 2 % 3 for one in S])
SOURCES = {
    "pandas, ordered": (in_pandas(ordered=True), None, FAR),
    "pandas, not ordered": (in_pandas(ordered=False), None, TEXTS),
    "polars Enum": (in_polars(pl.Enum(GRADES)), None, FAR),
    "polars Categorical": (in_polars(pl.Categorical), None, TEXTS),
    "Arrow, ordered": (in_arrow(ordered=True), None, FAR),
    "Arrow reader, ordered": (lambda _: in_arrow(ordered=True).to_reader(), None, FAR),
    "Arrow, not ordered": (in_arrow(ordered=False), None, TEXTS),
    "pandas of Arrow, ordered": (pandas_of_arrow(), None, FAR),
    "DuckDB ENUM": (enum_file, None, FAR),
    "DuckDB relation with an ENUM": (enum_relation, None, FAR),
    "CSV with an order": (csv, GRADES, FAR),
    "CSV without": (csv, None, TEXTS),
    "Categorical and another order": (in_pandas(ordered=True), ("low", "high", "medium"), 1 / 6),
    "a value is missing in the order": (csv, ("low", "high"), LACKS),
    "labels that are numbers": (NUMBERED, ("0", "2", "1"), FAR),
}
"""Where the records come from, an order that is declared beside, and the figure or the sentence."""


@pytest.mark.parametrize("name", SOURCES)
def test_an_order_comes_from_the_source_or_is_declared(name: str, tmp_path: Path) -> None:
    """An ordered dtype or what somebody declares, which goes first; nothing else orders texts."""
    source, declared, expected = SOURCES[name]
    made = source(tmp_path) if callable(source) else source
    found = closeness(made, None if declared is None else {"s": declared})
    assert found == (expected if isinstance(expected, str) else pytest.approx(expected))


NUMBERS = [3, 4, 5, 6, 8, 11, 7, 9, 10]
SOME = NUMBERS[:-1]
FORMS = {
    "footnote": ([*map(str, SOME), "10*"], "1 of its 9 values is no number (of the form 99*)"),
    "thousands": ([f"{one},000" for one in NUMBERS], "9 of its 9 values are no numbers (of the form 99,999)"),
    "unit": ([f"{one} EUR" for one in NUMBERS], "9 of its 9 values are no numbers (of the form 99 aaa)"),
    "other dates": (
        [f"{one}/1/2024" for one in NUMBERS], "9 of its 9 values are no numbers (of the form 99/9/9999)",
    ),
    "no date":
        ([*(f"2024-01-{one:02}" for one in SOME), "soon"], "1 of its 9 values is no date (of the form aaaa)"),
}  # fmt: skip
"""How numbers were made texts, and what is said."""


@pytest.mark.parametrize("name", FORMS)
def test_what_keeps_texts_from_being_numbers_is_counted(name: str, tmp_path: Path) -> None:
    """No order of characters takes their place: a sentence counts them by their form, and tells no value."""
    texts, said = FORMS[name]
    pd.DataFrame({"q": list("aaabbbccc"), "s": texts}).to_csv(tmp_path / "x.csv", index=False)
    sentence = closeness(tmp_path / "x.csv")
    assert sentence.startswith(f"column 's' has no order: {said}; declare how ")
    assert not any(text in sentence for text in texts if len(text) > 1)


def test_numbers_dates_and_one_value_have_an_order() -> None:
    """Numbers by size (.375, Li et al. 2007, section 5.1); as texts of a typed source none; one value: 0."""
    table = pd.DataFrame({"q": list("aaabbbccc"), "s": [3, 4, 5, 6, 8, 11, 7, 9, 10]})
    assert closeness(table) == pytest.approx(0.375)
    assert closeness(table.assign(s=pd.to_datetime(table.s, unit="D"))) == pytest.approx(0.375)
    stored = "column 's' has no order: its numbers are stored as texts; store them as numbers, or declare"
    assert closeness(table.assign(s=table.s.astype(str))).startswith(stored)
    assert closeness(table.assign(s="same")) == 0
    assert "its values are texts" in closeness(table.assign(s=[*"ab"] * 4 + ["b"]))


@settings(max_examples=examples(40), deadline=None)
@given(
    names=st.permutations(["a", "b", "c", "10", "9"]),
    picks=st.lists(st.integers(0, 4), min_size=2, max_size=9),
)
def test_names_of_a_declared_order_play_no_part(names: list[str], picks: list[int]) -> None:
    """Whatever the values are called, the figure is that of their places."""
    q = ["xyz"[at % 3] for at in range(len(picks))]
    by_name = pd.DataFrame({"q": q, "s": [names[at] for at in picks]})
    by_number = closeness(pd.DataFrame({"q": q, "s": picks}))
    assert closeness(by_name, {"s": tuple(names)}) == by_number


POLICY: dict[str, Any] = {
    "qidguard": 1,
    "name": "o",
    "roles": {"quasi_identifiers": ["q"], "sensitive": ["s"]},
    "kinds": {"s": "ordinal"},
    "thresholds": [{"metric": "t_closeness_ordered", "at_most": 0.4}],
}


@pytest.mark.parametrize(("kind", "table", "more"), [
    ("csv", frame(), {"order": {"s": list(GRADES)}}), ("parquet", in_pandas(ordered=True), {}),
], ids=["the policy's order", "an ordered Categorical"])  # fmt: skip
def test_a_release_keeps_its_verdict(
    kind: str, table: pd.DataFrame, more: dict[str, Any], tmp_path: Path
) -> None:
    """What is published is judged as the table was: by the policy's order, or as it was measured then."""
    place = Place(tmp_path)
    asked = POLICY | more | {"release": {"data_set": "people", "format": kind}}
    done = place.release(table, asked, release_id="r1")
    found = figures(done)["t_closeness_ordered"]
    assert (done.is_published, found) == (True, pytest.approx(FAR))
    made = again(place, asked)
    assert (made.is_passed, figures(made)["t_closeness_ordered"]) == (True, found)


def test_a_policy_that_orders_no_column_of_the_table_is_refused() -> None:
    """A misspelled column would leave the right one without its order."""
    with pytest.raises(qidguard.PolicyError, match="no column 'z'"):
        qidguard.audit(frame(), POLICY | {"order": {"z": ["a", "b"]}})


def test_a_hierarchy_merges_neighbors_of_a_declared_order() -> None:
    """Without one the most frequent stay, and the others are one group."""
    codes = np.array([1, 1, 2, 3, 4], dtype=np.int32)
    texts = (None, "w", "x", "y", "z")
    column = sdk.ColumnValues(name="s", value_type=sdk.ValueType.TEXT, codes=codes, texts=texts)
    ordered = replace(column, declared=("z", "x", "w", "y"))
    assert set(sdk.automatic_hierarchy(ordered).labels[1][1:]) == {"{z, x}", "{w, y}"}
    assert sdk.automatic_hierarchy(column).labels[1][1:] == ("w", "{x, y, z}")

"""A new table that an anonymizer answers with: checked by the host, a snapshot of its own, and no copy."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import snapshots
from plugged import OWNER, Doing, chosen
from qidguard.anonymizing.in_memory import rehearse_on
from qidguard.anonymizing.reproduced import reproduced
from qidguard.anonymizing.run import copying
from qidguard.host import load_host
from qidguard.sdk import (
    AnonymizationTask,
    Bound,
    Guarantee,
    Limit,
    NewTable,
    NewTableKind,
    NotMeasurable,
    Original,
    PluginError,
    Recoded,
    Solution,
    Solutions,
    new_values,
    records_of,
)
from snapshots import cells

MARK = "Zq7Wx9Kp"
TASK = AnonymizationTask(
    combinations=(("age", "city"),),
    entity="person",
    sensitive=("illness",),
    seed=0,
    direct_identifiers=("name",),
)


FIVE = pd.DataFrame(
    {
        "person": [f"{MARK}1", f"{MARK}1", f"{MARK}2", f"{MARK}3", f"{MARK}3"],
        "name": [f"{MARK}n"] * 5,
        "age": [30, 30, 41, 50, 50],
        "city": ["a", "a", "b", None, "b"],
        "illness": ["flu", "asthma", "flu", "flu", "flu"],
    }
)
"""Five records of three persons: two alike in age and city, one without a city."""


def ran(answer, table=FIVE):
    """Run an anonymizer that answers so."""
    return snapshots.ran(lambda *_: answer, table, TASK)


def rehearsed(answer, **more):
    """Rehearse an anonymizer that answers so."""
    return rehearse_on(records_of(FIVE), chosen(Doing(lambda *_: answer)), TASK, **more)


def coded(*values, codes=None) -> Recoded:
    """Return a column that holds each value once, or by its codes."""
    return Recoded(codes=np.arange(len(values)) if codes is None else np.array(codes), values=values)


def synthetic(**columns) -> NewTable:
    """Return synthetic records."""
    return NewTable(kind=NewTableKind.SYNTHETIC_RECORDS, columns=columns)


def counted(counts="n", **columns) -> NewTable:
    """Return a table of counts."""
    return NewTable(kind=NewTableKind.COUNTS, columns=columns, counts=counts)


COUNTED = counted(city=coded("a", "b"), n=coded(7, -2))
THREE = synthetic(city=coded("b", None, "c"), age=coded(41, 30, 41, codes=[0, 1, 2]))


def test_synthetic_records_take_the_place_of_all_records():
    """Columns stand in the source's order and in their types; what is not named is not published.

    No record of the source is published, so of cells and suppressed records there is no figure, not nought.
    Of the new ones (41, b) is alone in the source; (30, NULL) and (41, c) are nobody's.
    """
    with ran(THREE) as made:
        after, receipt = made.after, made.receipt
        assert (after.names, after.records) == (("age", "city"), 3)
        assert (cells(after, "age"), cells(after, "city")) == (["41", "30", "41"], ["b", None, "c"])
        assert after.types() == {"age": "BIGINT", "city": "VARCHAR"}
    assert receipt.new_table.kind is NewTableKind.SYNTHETIC_RECORDS
    assert (receipt.records_before, receipt.records_after) == (5, 3)
    assert (receipt.records_suppressed, receipt.total_cells_changed) == (None, None)
    assert (dict(receipt.cells_changed), receipt.columns_changed) == ({}, ())
    on_qids, on_all = receipt.reproduced
    assert (on_qids.columns, on_all.columns) == (("age", "city"), ("age", "city"))
    assert (on_qids.equal, on_qids.new_records, on_qids.share) == (1, 3, 1 / 3)
    told = [(one.smallest, one.largest, one.records, one.reproduced) for one in on_qids.by_size]
    assert told == [(1, 1, 3, 1), (2, 4, 2, 0), (5, None, 0, 0)]


def test_null_equals_null_and_a_number_is_itself_however_it_is_written():
    """30.0 is 30, so of three new records (30, NULL) and (41, b) equal one; (41, NULL) is nobody's."""
    source = pd.DataFrame({"age": [30.0, 41.0, 30.5], "city": [None, "b", "b"]})
    new = pd.DataFrame({"age": [30, 41, 41], "city": [None, "b", None]})
    for found in reproduced(records_of(source), records_of(new), ["age", "city"]):
        assert (found.equal, found.new_records) == (2, 3)
        assert (found.by_size[0].records, found.by_size[0].reproduced) == (3, 2)


@pytest.mark.samples(1)
@pytest.mark.parametrize("seed", range(5))
def test_equal_records_are_those_that_a_join_finds(seed):
    """An independent count by pandas gives the same figures."""
    generator, three = np.random.default_rng(seed), ["age", "city", "illness"]
    table = pd.DataFrame(generator.integers(0, 4, (40, 3)), columns=three)
    table["person"], table["name"] = range(40), "x"
    new = generator.integers(0, 5, (30, 3))
    columns = {name: coded(*range(5), codes=new[:, i]) for i, name in enumerate(three)}
    with ran(synthetic(**columns), table) as made:
        for found in made.receipt.reproduced:
            names = list(found.columns)
            own = pd.DataFrame(new, columns=three)[names]
            sizes = table.groupby(names).size()
            met = set(map(tuple, own.to_numpy().tolist()))
            assert found.equal == sum(tuple(row) in sizes.index for row in own.to_numpy().tolist())
            alone = {key for key, size in sizes.items() if size == 1}
            assert (found.by_size[0].records, found.by_size[0].reproduced) == (len(alone), len(alone & met))


def test_a_table_of_counts_has_a_column_of_its_own():
    """It comes last, holds numbers, negative ones too, and can equal no record; in memory it is there too."""
    with ran(COUNTED) as made:
        assert (made.after.names, made.after.types()) == (("city", "n"), {"city": "VARCHAR", "n": "BIGINT"})
        assert cells(made.after, "n") == ["7", "-2"]
        assert (made.receipt.new_table.counts, made.receipt.reproduced) == ("n", ())
    assert rehearsed(COUNTED).to_frame().to_dict("list") == {"city": ["a", "b"], "n": [7, -2]}


def test_a_new_table_of_a_text_source_is_text(tmp_path):
    """As with everything else that is made of a CSV."""
    FIVE.to_csv(tmp_path / "five.csv", index=False)
    with ran(THREE, str(tmp_path / "five.csv")) as made:
        assert (made.after.format, set(made.after.types().values())) == ("csv", {"VARCHAR"})
        assert cells(made.after, "age") == ["41", "30", "41"]


def many(records):
    """Return so many records in next to no memory."""
    return Recoded(codes=np.broadcast_to(np.int8(0), records), values=("a",))


def written_to():
    """Return a column whose codes were changed after they were checked."""
    column = coded("a", "b")
    column.codes[0] = 9
    return column


CITY = {"city": coded("a")}
CLAIM = Guarantee(metric="k_anonymity", limit=Limit(bound=Bound.AT_LEAST, value=2), qids=("illness",))
HOSTILE = {
    "a kind that is text": (NewTable(kind="synthetic_records", columns=CITY), "no NewTableKind"),
    "no columns": (synthetic(), "columns are no mapping"),
    "a list of columns": (NewTable(kind=NewTableKind.COUNTS, columns=[coded("a")]), "columns are no mapping"),
    "a column the source lacks": (synthetic(town=coded("a")), "a column that the table does not have"),
    "a name that is no text": (replace(THREE, columns={5: coded(1)}), "not have"),
    "a direct identifier": (synthetic(name=coded("x"), age=coded(1)), "'name', a direct identifier"),
    "the entity": (synthetic(person=coded("x"), age=coded(1)), "'person', which says who a person is"),
    "a bare array": (synthetic(city=np.array([1])), "no Recoded"),
    "uneven columns": (synthetic(city=coded("a", "b"), age=coded(1)), "the same number of records"),
    "no record": (synthetic(city=coded("a", codes=np.zeros(0, dtype=int))), "without a record"),
    "too many records": (synthetic(city=many(100_000_001)), "more than 100,000,000"),
    "codes written to": (synthetic(city=written_to()), "lies outside"),
    "an original": (synthetic(city=coded(Original(1))), "an Original value"),
    "NaN": (synthetic(age=coded(float("nan"))), "not finite"),
    "infinite": (synthetic(age=coded(float("-inf"))), "not finite"),
    "beyond 64 bits": (synthetic(age=coded(2**63)), "beyond 64 bits"),
    "counts in synthetic records": (replace(THREE, counts="n"), "counts in a table of synthetic"),
    "counts without a name": (counted(None, city=coded("a")), "no plain identifier"),
    "counts with an odd name": (counted("<b>", city=coded("a")), "no plain identifier"),
    "counts that are not there": (counted("n", city=coded("a")), "without the column of counts"),
    "counts alone": (counted("n", n=coded(1)), "nothing but the counts"),
    "counts called like a column": (counted("City", City=coded(1), age=coded(1)), "a column of the source"),
    "a count that is text": (counted("n", n=coded("7"), city=coded("a")), "no number"),
    "a count that is missing": (counted("n", n=coded(None), city=coded("a")), "no number"),
    "notes that are numbers": (replace(THREE, notes=(5,)), "no sentences"),
    "plots that are none": (replace(THREE, plots=("x",)), "no tuple of Plot"),
    "a claim over what is not published": (replace(THREE, guarantees=(CLAIM,)), "no Guarantee over columns"),
    "among several": (
        Solutions(solutions=(Solution(label="x", anonymized=THREE, figures={}),), chosen=0, figures=()),
        "a NewTable among several solutions",
    ),
}


@pytest.mark.parametrize(("answer", "said"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_answer_is_refused(answer, said):
    """The sentence names the plugin and the fault, and no value of the source."""
    with pytest.raises(PluginError, match=said) as caught:
        rehearsed(answer)
    assert str(caught.value).startswith(f"{OWNER}: anonymizer 'doing' ")
    assert MARK not in str(caught.value)


def test_half_a_character_is_refused():
    """No table can hold it."""
    hopeless = synthetic(city=coded("\ud800"))
    with pytest.raises(PluginError, match="values that no table can hold"), ran(hopeless):
        pass


def test_a_rehearsal_in_memory_holds_the_same_table():
    """Names, records, cells and classes are those of the new table, and no record is kept."""
    done = rehearsed(THREE, metrics=load_host())
    assert (done.names, done.records) == (("age", "city"), 3)
    assert done.to_frame().fillna("").to_dict("list") == {"age": [41, 30, 41], "city": ["b", "", "c"]}
    assert done.grouped(("age",)).class_sizes.tolist() == [1, 2]
    assert done.measure("k_anonymity")[0].value == 1
    assert "records of a new table have none" in done.measure("ncp")[0].reason
    with pytest.raises(NotMeasurable, match="none of its records is one of the source's"):
        _ = done.kept


def test_values_of_a_source_become_values_of_a_new_table():
    """Numbers and dates are such, truth values too, and NULL is None."""
    table = pd.DataFrame(
        {
            "age": [30, 41],
            "weight": [1.5, float("inf")],
            "is_ill": [True, False],
            "day": pd.to_datetime(["2026-01-31", "2026-02-01"]).date,
            "city": ["a", None],
        }
    )
    held = records_of(table)
    found = {name: new_values(held.column(name)) for name in held.names}
    assert [str(value) for value in found.pop("day")] == ["None", "2026-01-31", "2026-02-01"]
    assert found == {
        "age": (None, 30, 41),
        "weight": (None, 1.5, None),
        "is_ill": (None, False, True),
        "city": (None, "a"),
    }


def table(records, values, seed):
    """Return three independent columns of so many values each."""
    generator = np.random.default_rng(seed)
    return pd.DataFrame({name: generator.integers(0, values, records) for name in "abc"})


SOURCE = table(200, 30, 0)
CHANGED = SOURCE.assign(c=[value if at % 20 else 99 for at, value in enumerate(SOURCE["c"])])


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("new", "is_copied"),
    [
        (SOURCE, True),
        (SOURCE.sample(frac=1, random_state=1), True),
        (CHANGED, True),
        (SOURCE[["b", "a", "c"]].astype(str), True),
        (SOURCE.head(150), False),
        (table(200, 30, 1), False),
    ],
)
def test_copies_are_refused_and_draws_are_not(new, is_copied):
    """Nearly all of 200 records that are alone; order, types and a changed twentieth hide nothing."""
    told = copying(records_of(SOURCE), records_of(new))
    assert bool(told) == is_copied
    if is_copied:
        assert "records that are alone in the source came back, and of their near neighbors 0 of" in told


def test_what_chance_brings_back_is_no_copy():
    """Of 216 cells 20,000 draws fill all, those of single records and those that the source lacks."""
    source = table(100, 6, 2)
    assert copying(records_of(source), records_of(table(20_000, 6, 3))) == ""
    assert copying(records_of(source), records_of(source)) != ""


def test_few_that_are_alone_tell_nothing():
    """19 are too few."""
    source = SOURCE.head(19)
    assert copying(records_of(source), records_of(source)) == ""

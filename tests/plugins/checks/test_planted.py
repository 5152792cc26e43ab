"""Columns that were planted to undo a generalization are found at every size, and independent ones never."""

import numpy as np
import pytest

from examples import examples
from undone import PLANTED, changed, find_leaks, independent

SIZES = (1_000, 5_000, 50_000)


def _sizes():
    for records in SIZES:
        for case in PLANTED:
            marks = [pytest.mark.slow] if records > SIZES[0] else []
            yield pytest.param(case, records, id=f"{case}, {records}", marks=marks)


def undone(planted, **more):
    """Return what is found, and what of it undoes a planted QID: by the planted columns and no others."""
    qids = [planted.qid, *planted.also]
    found = find_leaks(planted.changes, qids=qids, published=planted.changes.after.names, **more)
    told = [leak for leak in found if leak.is_undone]
    assert {name for leak in told for name in leak.columns} == set(planted.columns)
    assert {leak.qid for leak in told} <= set(qids)
    return found, told


@pytest.mark.parametrize(("case", "records"), list(_sizes()))
def test_what_was_planted_is_found(case, records):
    """The planted columns undo the QID, tell as much as they should, and no other does."""
    least, plant = PLANTED[case]
    found, told = undone(plant(records, np.random.default_rng(records)))
    assert max(leak.told for leak in told) >= least
    assert all(leak.persons <= leak.generalized <= records for leak in told)
    assert found.unexamined == ()


LARGE = ("copy of 99 %", "date of birth", "cipher of two columns", "sum", "copy of unique values")


@pytest.mark.slow
@pytest.mark.parametrize("case", LARGE)
def test_what_was_planted_is_found_by_samples(case):
    """Of a table that is searched by samples every record is confirmed, of persons with two records too."""
    least, plant = PLANTED[case]
    planted = plant(120_000, np.random.default_rng(7))
    for persons in (None, np.arange(120_000) // 2):
        _, told = undone(planted, persons=persons)
        assert max(leak.told for leak in told) >= least
        assert all(len(leak.known) == 120_000 for leak in told)


@pytest.mark.slow
def test_rare_values_are_found_by_whole_groups():
    """A code of three records a value tells, though a sample of the table meets most values once."""
    generator = np.random.default_rng(8)
    code = generator.integers(0, 60_000, 180_000)
    flag = generator.integers(0, 2, 60_000)[code]
    columns = {"flag": flag, "code": code, "number": generator.permutation(180_000)}
    changes = changed(columns, flag=np.zeros(180_000, dtype="i8"))
    [leak] = find_leaks(changes, qids=["flag"], published=tuple(columns))
    assert (leak.columns, leak.is_known, leak.is_undone) == (("code",), False, True)


def _alarms(seeds):
    pairs, alarms = 0, []
    for seed in seeds:
        table = independent(seed)
        published = table.changes.after.names
        alarms += find_leaks(
            table.changes, qids=table.qids, published=published, persons=table.persons, seed=seed
        )
        pairs += table.pairs
    return pairs, alarms


@pytest.mark.slow
def test_independent_columns_tell_nothing():
    """Of one table each with persons once, rows tripled and several records a person nothing is said."""
    assert _alarms(range(3)) == (225, [])


@pytest.mark.slow
def test_ten_thousand_independent_pairs_raise_no_alarm():
    """Nothing is said of 10,050 independent pairs, nearly unique columns among them, where all are drawn."""
    tables = examples(134)
    assert _alarms(range(tables)) == (75 * tables, [])

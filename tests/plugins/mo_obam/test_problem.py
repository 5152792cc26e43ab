"""A table as the model sees it, and what an assignment loses, held against rows counted one by one."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from mo_obam_tables import held, task
from qidguard.sdk import NotMeasurable, k_anonymity_task, records_of
from qidguard_mo_obam.loss import centers_of, entropies, information_loss, least_entropy, most_entropy
from qidguard_mo_obam.problem import problem_of


def problem(frame, qids, units="raw", **task):
    """Return the problem of a frame."""
    records = records_of(frame, entity=task.get("entity"))
    return problem_of(records, k_anonymity_task(2, qids, **task), units)


def test_distinct_combinations_are_rows_in_the_order_of_values():
    """Equal records are one row, whatever their order."""
    frame = pd.DataFrame({"age": [50, 30, 40, 30], "sex": ["f", "f", "m", "f"], "sa": ["a", "a", "b", "c"]})
    found = problem(frame, ["sex", "age"], sensitive=["sa"])
    assert found.names == ("age", "sex")
    assert found.numbers.tolist() == [[30.0], [50.0], [40.0]]
    assert found.codes.tolist() == [[1], [1], [2]]
    assert found.records.tolist() == [2, 1, 1]
    assert sorted(found.combination.tolist()) == [0, 0, 1, 2]
    assert found.sensitive[0].tolist() == [[0, 1, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]
    assert found.deviation == 275.0 + 1


def test_a_person_counts_where_most_records_are():
    """A person with two records of one age and one of another is counted at the first of these ages."""
    frame = pd.DataFrame({"id": [1, 1, 1, 2, 3], "age": [40, 30, 40, 40, 40]})
    found = problem(frame, ["age"], entity="id")
    assert found.records.tolist() == [1, 4]
    assert found.persons.tolist() == [0, 3]


def test_persons_count_at_all_ages():
    """Each has a record of a young and of an old age: about as many count at either, whatever the order."""
    frame = pd.DataFrame({"id": [*range(200)] * 2, "age": [*range(200), *range(1000, 1200)]})
    found = problem(frame, ["age"], entity="id")
    assert found.persons.sum() == 200
    assert 70 <= found.persons[:200].sum() <= 130
    assert problem(frame[::-1], ["age"], entity="id").persons.tolist() == found.persons.tolist()


def test_dates_are_days_and_their_centers_whole():
    """A date is a number of days; NULL is no number."""
    frame = pd.DataFrame({"day": pd.to_datetime(["2026-01-01", "2026-01-04", None]).date, "x": [1.5, 2.5, 2]})
    found = problem(frame, ["day", "x"])
    assert np.diff(found.numbers[found.known[:, 0], 0]).tolist() == [3.0]
    assert found.is_integral.tolist() == [True, False]
    assert np.isnan(found.numbers[:, 0]).sum() == 1


def test_standardized_units_weigh_every_column_alike():
    """Each column's part of (11) is 1; a constant column weighs nothing."""
    frame = pd.DataFrame({"age": [30, 40, 50], "sex": ["f", "m", "f"], "one": ["x", "x", "x"]})
    found = problem(frame, ["age", "sex", "one"], "standardized")
    assert found.deviation == 2.0
    assert found.number_weight.tolist() == [1 / 200]
    assert found.code_weight.tolist() == [1.0, 0.0]


def test_nothing_that_may_be_changed_is_said():
    """A table whose only QID is to stay as it is gives one sentence."""
    frame = pd.DataFrame({"sa": ["a", "b"]})
    with pytest.raises(NotMeasurable, match="no quasi-identifier that may be changed"):
        problem_of(records_of(frame), k_anonymity_task(2, ["sa"], sensitive=["sa"]), as_they_are={"sa"})


CELLS = st.tuples(
    st.sampled_from([None, 1, 2, 5, 9]),
    st.sampled_from([None, "a", "b"]),
    st.integers(0, 2),
    st.integers(0, 2),
)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=12))
def test_losses_and_entropies_are_those_of_rows_one_by_one(rows):
    """Means, modes, NULL and entropy agree with sums over single records, for any assignment of rows."""
    frame = pd.DataFrame(rows, columns=["x", "c", "sa", "to"])
    frame["x"], frame["c"] = frame["x"].astype("Int64"), frame["c"].astype("string")
    found = problem_of(held(frame), task(["x", "c"], ["sa"]))
    to = np.zeros(found.rows, dtype=np.int64)
    to[found.combination] = frame["to"]
    cluster = to[found.combination]
    centers = centers_of(found, to, 3)
    known = frame["x"].dropna().astype(float)
    for one in range(3):
        part = frame[cluster == one]
        there = part["x"].dropna().astype(float)
        nulls = len(part) - len(there)
        shown = float(np.rint(there.mean())) if len(there) else math.nan
        lost = float(((there - shown) ** 2).sum()) if len(there) else 0.0
        if nulls:
            lost = float(((there - known.mean()) ** 2).sum()) if len(there) else 0.0
        counts = part["c"].astype("string").fillna("none").value_counts()
        lost += len(part) - int(counts.max()) if len(part) else 0
        assert centers.losses[one] == pytest.approx(lost, abs=1e-9)
        shares = part["sa"].value_counts(normalize=True)
        expected = float(-(shares * np.log2(shares)).sum()) if len(part) else 0.0
        assert entropies(found, to, 3)[0, one] == pytest.approx(expected, abs=1e-12)
    assert 0 <= least_entropy(found, to) <= most_entropy(found) + 1e-12
    assert information_loss(found, np.arange(found.rows)) == 0.0

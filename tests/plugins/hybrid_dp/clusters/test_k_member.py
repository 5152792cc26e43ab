"""k-member on categories: sizes, diversity, what it depends on, and what it does when it cannot."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard_hybrid_dp.clusters import blocks
from qidguard_hybrid_dp.clusters.categorical import Numeric
from qidguard_hybrid_dp.clusters.k_member import TooFewPersons, clustered, plain_k_member

ROW = st.tuples(st.none() | st.sampled_from("abcdef"), st.sampled_from("pqr"), st.sampled_from("xy"))
ROWS = st.lists(ROW, min_size=6, max_size=40)


def test_equal_categories_stay_together_and_are_a_cluster_by_themselves(columns_of, step, losses):
    """Three equal records are a cluster of k = 3 without loss; the four others are another."""
    rows = [("a", "p")] * 3 + [("b", "q"), ("b", "r"), ("c", "q"), ("c", "r")]
    columns = columns_of(rows)
    labels = clustered(columns, k=3, seed=0, step=step)
    assert labels.tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert losses(columns, labels)[:, :3].sum() == 0


def test_what_is_left_over_joins_where_least_is_lost(columns_of, step):
    """One record cannot be a cluster of k = 2; it joins the pair with which it shares a value."""
    rows = [("a", "p")] * 2 + [("b", "q")] * 2 + [("b", "p")] + [("a", "q")] * 4
    assert clustered(columns_of(rows), k=2, seed=0, step=step).tolist()[4] in {0, 2}


@given(rows=ROWS, k=st.integers(1, 6), seed=st.integers(0, 3))
def test_every_cluster_has_k_records_and_equal_ones_share_it(columns_of, quiet, rows, k, seed):
    """Whatever the table, each cluster has at least k records, and labels are 0..clusters − 1."""
    labels = clustered(columns_of(rows), k=k, seed=seed, step=quiet)
    assert np.bincount(labels).min() >= k
    by_kind = {}
    for row, label in zip(rows, labels.tolist(), strict=True):
        assert by_kind.setdefault(row, label) == label


@given(rows=ROWS, seed=st.integers(0, 3), data=st.data())
def test_the_order_of_the_records_changes_nothing(columns_of, quiet, rows, seed, data):
    """The same records in another order are in the same clusters."""
    order = np.array(data.draw(st.permutations(range(len(rows)))))
    persons = np.arange(len(rows)) % 7
    there = clustered(columns_of(rows), k=3, seed=seed, step=quiet, persons=persons)
    again = clustered(
        columns_of([rows[at] for at in order]), k=3, seed=seed, step=quiet, persons=persons[order]
    )
    np.testing.assert_array_equal(there[order], again)


@given(rows=ROWS, k=st.integers(2, 4), data=st.data())
def test_persons_count_and_not_records(columns_of, quiet, rows, k, data):
    """Each cluster has k distinct persons, or nobody is told apart where there are fewer."""
    persons = np.array(data.draw(st.lists(st.integers(0, 8), min_size=len(rows), max_size=len(rows))))
    if len(set(persons.tolist())) < k:
        with pytest.raises(TooFewPersons, match=f"k = {k} persons"):
            clustered(columns_of(rows), k=k, seed=0, step=quiet, persons=persons)
        return
    labels = clustered(columns_of(rows), k=k, seed=0, step=quiet, persons=persons)
    for cluster in set(labels.tolist()):
        assert len(set(persons[labels == cluster].tolist())) >= k


@given(rows=ROWS, k=st.integers(1, 4), l=st.integers(2, 3), data=st.data())
def test_each_cluster_has_l_values_of_each_sensitive_attribute(columns_of, quiet, rows, k, l, data):  # noqa: E741 - the field's name
    """Missing is no value; where all records together have fewer than l, it says so."""
    codes = st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))
    sensitive = [np.array(data.draw(codes)), np.array(data.draw(codes))]
    if min(len(set(one.tolist()) - {0}) for one in sensitive) < l:
        with pytest.raises(TooFewPersons, match=f"l = {l} values"):
            clustered(columns_of(rows), k=k, seed=0, step=quiet, sensitive=sensitive, l=l)
        return
    labels = clustered(columns_of(rows), k=k, seed=0, step=quiet, sensitive=sensitive, l=l)
    for cluster in set(labels.tolist()):
        assert (labels == cluster).sum() >= k
        for one in sensitive:
            assert len(set(one[labels == cluster].tolist()) - {0}) >= l


@given(rows=st.lists(ROW, min_size=30, max_size=60))
def test_blocks_keep_k(columns_of, quiet, rows):
    """Where more kinds are rare than a block holds, clusters have k records, and equal ones share one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "MOST_KINDS", 4)
        labels = clustered(columns_of(rows), k=3, seed=0, step=quiet)
    assert np.bincount(labels).min() >= 3
    assert len(set(zip(rows, labels.tolist(), strict=True))) == len(set(rows))


def test_too_few_persons_say_what_to_do(columns_of, step):
    """Two records are no cluster of three; no records need none."""
    with pytest.raises(TooFewPersons, match=r"k = 3 persons, and only 2 .*; lower k"):
        clustered(columns_of([("a", "p"), ("b", "q")]), k=3, seed=0, step=step)
    columns = [
        type(one)(name=one.name, codes=one.codes[:0], hierarchy=one.hierarchy)
        for one in columns_of([("a", "p")])
    ]
    assert clustered(columns, k=3, seed=0, step=step).tolist() == []


def test_progress_begins_with_nothing_and_ends_with_all(columns_of, step):
    """The first step says 0, the last one all."""
    clustered(columns_of([(a, b) for a in "abcdef" for b in "pqrs"]), k=3, seed=0, step=step)
    assert step.told[0][1] == 0
    assert step.told[-1][1] == step.told[-1][2] > 0


def test_plain_k_member_takes_numbers(step):
    """Neighbors on a line share a cluster, and what is missing loses all beside a number."""
    numbers = np.array([np.nan, 1.0, 2.0, 50.0, 51.0, 99.0, 100.0])
    age = Numeric(name="age", codes=np.array([1, 2, 3, 4, 5, 6, 0, 0]), numbers=numbers)
    labels = plain_k_member([age], k=2, seed=0, step=step)
    pairs = {tuple(np.flatnonzero(labels == one).tolist()) for one in range(4)}
    assert pairs == {(0, 1), (2, 3), (4, 5), (6, 7)}

"""k-member on categories: sizes, diversity, one cluster's growth, and what it does when it cannot."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard_hybrid_dp.clusters import k_member
from qidguard_hybrid_dp.clusters.growth import PlainGrowth
from qidguard_hybrid_dp.clusters.improving import KindClusters, joined, span_of
from qidguard_hybrid_dp.clusters.k_member import TooFewPersons, clustered, plain_k_member
from qidguard_hybrid_dp.clusters.kinds import WHOLE_LOSS, Numeric, kinds_of

ROW = st.tuples(st.none() | st.sampled_from("abcdef"), st.sampled_from("pqr"), st.sampled_from("xyz"))
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
        patch.setattr(k_member, "MOST_KINDS", 4)
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


def test_plain_k_member_takes_numbers(step):
    """Neighbors on a line share a cluster, and what is missing loses all beside a number."""
    numbers = np.array([np.nan, 1.0, 2.0, 50.0, 51.0, 99.0, 100.0])
    age = Numeric(name="age", codes=np.array([1, 2, 3, 4, 5, 6, 0, 0]), numbers=numbers)
    labels = plain_k_member([age], k=2, seed=0, step=step)
    pairs = {tuple(np.flatnonzero(labels == one).tolist()) for one in range(4)}
    assert pairs == {(0, 1), (2, 3), (4, 5), (6, 7)}


FEW_ROWS = st.lists(ROW, min_size=5, max_size=25)


def lost(columns, rows, losses):
    """Return what one record of a cluster of these rows loses, in whole units."""
    part = [type(one)(name=one.name, codes=one.codes[rows], hierarchy=one.hierarchy) for one in columns]
    labels = np.zeros(len(rows), dtype=int)
    return np.floor(losses(part, labels)[:, 0] * WHOLE_LOSS + 1e-6).astype(int).sum()


@given(rows=FEW_ROWS, k=st.integers(2, 8))
def test_a_cluster_takes_what_loses_least(columns_of, losses, rows, k):
    """Each kind that joins has the least loss of all free ones: with it, over its records or k."""
    columns = columns_of(rows)
    kinds, kind = kinds_of(columns, None, ())
    first_of = np.array([np.flatnonzero(kind == one)[0] for one in range(kinds.count)])
    members, is_enough = PlainGrowth(kinds, k, 1).grown(np.arange(kinds.count), 0)
    assert is_enough == (kinds.people.records[members].sum() >= k)
    for at in range(1, len(members)):
        before = members[:at]
        free = [one for one in range(kinds.count) if one not in before]
        costs = [
            max(kinds.people.records[[*before, one]].sum(), k)
            * lost(columns, first_of[[*before, one]], losses)
            for one in free
        ]
        assert members[at] == free[int(np.argmin(costs))]


@given(rows=FEW_ROWS, data=st.data())
def test_what_joining_costs_is_what_is_lost_more(columns_of, quiet, losses, rows, data):
    """The rise that is told for a kind and a cluster is the difference of the losses counted anew."""
    columns = columns_of(rows)
    kinds, kind = kinds_of(columns, None, ())
    labels = np.array(
        data.draw(st.lists(st.integers(-1, 2), min_size=kinds.count, max_size=kinds.count)), dtype=np.int64
    )
    clusters = KindClusters(kinds, PlainGrowth(kinds, 2, 1), labels, 3)
    if (labels < 0).all():
        return
    joined(clusters, quiet)
    assert (clusters.labels >= 0).all()
    of_record = clusters.labels[kind]
    expected = losses(columns, of_record).sum() * WHOLE_LOSS
    assert clusters.lost.sum() == pytest.approx(expected, abs=len(rows) * len(columns))
    for cluster, members in enumerate(clusters.members):
        if members:
            np.testing.assert_array_equal(
                clusters._spans[cluster, :, 1], span_of(kinds, np.array(members))[:, 1]
            )


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is an extra")
@settings(max_examples=examples(60))
@given(rows=FEW_ROWS, k=st.integers(1, 6), seed=st.integers(0, 2), data=st.data())
def test_machine_code_gives_the_same_labels(columns_of, quiet, rows, k, seed, data):
    """With persons, sensitive values and numbers."""
    persons = np.array(data.draw(st.lists(st.integers(0, 12), min_size=len(rows), max_size=len(rows))))
    sensitive = [np.arange(len(rows)) % 3 + 1]
    codes = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows))))
    age = Numeric(name="age", codes=codes, numbers=np.array([np.nan, 1.0, 2.0, 8.0, 20.0]))
    columns = columns_of(rows)
    found = []
    for kernel in ("numpy", "numba"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("QIDGUARD_KERNEL", kernel)
            k_of = min(k, len(set(persons.tolist())))
            asked = {"k": k_of, "seed": seed, "step": quiet}
            mixed = clustered(columns, persons=persons, sensitive=sensitive, l=2, **asked)
            found.append((mixed.tolist(), plain_k_member([*columns, age], **asked).tolist()))
    assert found[0] == found[1]

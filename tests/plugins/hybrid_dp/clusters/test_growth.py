"""One cluster's growth against a few plain lines, and its two ways against each other."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard_hybrid_dp.clusters.categorical import WHOLE_LOSS, Numeric
from qidguard_hybrid_dp.clusters.growth import PlainGrowth
from qidguard_hybrid_dp.clusters.improving import KindClusters, joined, span_of
from qidguard_hybrid_dp.clusters.k_member import clustered, plain_k_member
from qidguard_hybrid_dp.clusters.kinds import kinds_of

ROW = st.tuples(st.none() | st.sampled_from("abcdef"), st.sampled_from("pqr"), st.sampled_from("xyz"))
ROWS = st.lists(ROW, min_size=5, max_size=25)


def lost(columns, rows, losses):
    """Return what one record of a cluster of these rows loses, in whole units."""
    part = [type(one)(name=one.name, codes=one.codes[rows], hierarchy=one.hierarchy) for one in columns]
    labels = np.zeros(len(rows), dtype=int)
    return np.floor(losses(part, labels)[:, 0] * WHOLE_LOSS + 1e-6).astype(int).sum()


@given(rows=ROWS, k=st.integers(2, 8))
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


@given(rows=ROWS, data=st.data())
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
@given(rows=ROWS, k=st.integers(1, 6), seed=st.integers(0, 2), data=st.data())
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

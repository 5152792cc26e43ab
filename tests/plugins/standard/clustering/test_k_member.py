"""k-member clustering against a naive version, and Zheng's growth by hand."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.progress import SILENT
from qidguard.sdk import AnonymizationTask
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.k_member import (
    Growth,
    KMember,
    ZhengLDiversity,
    ground,
    k_member_classes,
)
from qidguard_standard.anonymizers.clustering.space import space
from qidguard_standard.anonymizers.clustering.wanted import Wanted

# powers of two apart, so that sums of shares are exact and ties fall alike
TABLES = st.lists(
    st.tuples(st.sampled_from([0, 8, 16, 24, 32]), st.sampled_from("abc")), min_size=2, max_size=30
).filter(lambda records: {0, 32} <= {age for age, _ in records} and len({job for _, job in records}) == 3)


def span(members):
    """Return what a class spans: the range of ages, and the further jobs."""
    ages, jobs = zip(*members, strict=True)
    return (max(ages) - min(ages)) / 32 + (len(set(jobs)) - 1) / 2


def naive(records, k, first):
    """Return the classes of sorted records, as Byun et al. have them."""
    records, classes = sorted(records), []
    left, last = list(range(len(records))), first
    while len(left) >= k:
        last = max(left, key=lambda i: (span([records[i], records[last]]), -i))
        members = [last]
        left.remove(last)
        while len(members) < k:
            own = [records[i] for i in members]
            last = min(left, key=lambda i: (span([*own, records[i]]), i))
            members.append(last)
            left.remove(last)
        classes.append(members)
    for i in left:
        lost = [
            (len(c) + 1) * span([*(records[m] for m in c), records[i]])
            - len(c) * span([records[m] for m in c])
            for c in classes
        ]
        classes[lost.index(min(lost))].append(i)
    return {frozenset(members) for members in classes}


def test_it_is_the_naive_one(clustering):
    """Costs that are kept while a class spans no more change no class."""

    @settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
    @given(TABLES, st.integers(1, 4))
    def check(records, k):
        if len(records) < k:
            return
        table = clustering.Records(age=[age for age, _ in records], job=[job for _, job in records])
        task = AnonymizationTask(combinations=(("age", "job"),), entity=None, sensitive=(), seed=0)
        every = ground(space((table.column("age"), table.column("job")), task))
        growth, seed = Growth(rule=ClassRule(wanted=Wanted(k=k))), 4
        found = k_member_classes(every, growth, seed, SILENT, "k_member")
        first = int(np.random.default_rng(seed).integers(len(records)))
        assert clustering.classes(found) == naive(records, k, first)

    check()


def test_the_last_place_is_kept_for_a_new_value_or_the_class_goes_on(clustering):
    """The one takes a far record with another illness as its second; the other near ones first."""
    table = clustering.Records(age=[0, 1, 2, 3, 32, 31, 30, 29], ill=list("ffffgggg"))
    options = {"sensitive": ("ill",), "k": 2, "l": 2, "publish": "sets"}
    by_reserve = clustering.shown(table, clustering.run(KMember(), table, **options))
    by_growth = clustering.shown(table, clustering.run(ZhengLDiversity(), table, **options))
    assert sorted(by_reserve.count(cell) for cell in set(by_reserve)) == [2, 2, 2, 2]
    assert sorted(by_growth.count(cell) for cell in set(by_growth)) == [8]


def test_diversity_prefers_new_values_without_asking_for_them(clustering):
    """Among records that are equally near, and a little beyond, one with another illness joins."""
    table = clustering.Records(age=[0, 1, 2, 30, 31, 32], ill=list("ffgggf"))
    plain = clustering.run(KMember(), table, sensitive=("ill",), k=2)
    diverse = clustering.run(KMember(), table, sensitive=("ill",), k=2, diversity=1.0)

    def homogeneous(done):
        shown = clustering.shown(table, done)
        members = [{"ffgggf"[i] for i, one in enumerate(shown) if one == cell} for cell in set(shown)]
        return sum(len(values) == 1 for values in members)

    assert homogeneous(plain) > homogeneous(diverse) == 0


def test_the_seed_draws_the_start_and_nothing_else(clustering):
    """The same seed gives the same classes."""
    table = clustering.Records(age=[i * 7 % 33 for i in range(40)], job=["abc"[i % 3] for i in range(40)])
    runs = [
        clustering.shown(table, clustering.run(KMember(), table, k=3, seed=seed)) for seed in (1, 1, 2, 3)
    ]
    assert runs[0] == runs[1]
    assert any(run != runs[0] for run in runs[2:])

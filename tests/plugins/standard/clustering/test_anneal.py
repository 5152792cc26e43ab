"""Annealing: the optimum of tiny tables, rules that no class breaks, both kernels, and the time limit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.progress import SILENT
from qidguard.sdk import AnonymizationTask
from qidguard_standard.anonymizers.clustering.anneal import Anneal, annealed_classes, steps_of
from qidguard_standard.anonymizers.clustering.annealing import Annealing, Effort, Kernel
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.mdav import mdav_classes
from qidguard_standard.anonymizers.clustering.neighborhood import nearest
from qidguard_standard.anonymizers.clustering.space import Space, space
from qidguard_standard.anonymizers.clustering.wanted import Wanted

PEOPLE = st.tuples(st.integers(15, 90), st.integers(0, 3), st.sampled_from("abc"), st.sampled_from("fgh"))
NEVER_OVER = float("inf")


def points(clustering, records, columns=3):
    """Return records of numbers, and of texts beside them, as points."""
    named = {f"c{at}": [record[at] for record in records] for at in range(columns)}
    table = clustering.Records(**named)
    task = AnonymizationTask(combinations=(table.names,), entity=None, sensitive=(), seed=0)
    return space(tuple(table.column(name) for name in table.names), task)


def numbers_alone(values):
    """Return an array of numbers as points, each column in its own deviations."""
    values = values[np.lexsort(values.T[::-1])]
    return Space(
        order=np.arange(len(values)),
        numbers=values.T.copy(),
        shift=values.mean(axis=0),
        scale=values.std(axis=0),
        codes=np.zeros((0, len(values)), dtype=np.int64),
        weights=np.zeros(0),
        is_squared=True,
        tables=(),
    )


def lost(given_space, classes):
    """Return the loss of a partition, written down as it is defined."""
    total, scaled = 0.0, given_space.scaled()
    for c in set(classes.tolist()):
        members = classes == c
        for row in scaled:
            total += ((row[members] - row[members].mean()) ** 2).sum()
        for codes, weight in zip(given_space.codes, given_space.weights, strict=True):
            total += weight * (members.sum() - np.bincount(codes[members]).max())
    return float(total)


def partitions(items, k):
    """Yield every partition into parts of at least k."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for mask in range(1 << len(rest)):
        part = [first, *(rest[i] for i in range(len(rest)) if mask >> i & 1)]
        if k <= len(part) < 2 * k:
            left = [rest[i] for i in range(len(rest)) if not mask >> i & 1]
            if not left or len(left) >= k:
                for others in partitions(left, k):
                    yield [part, *others]


def optimum(given_space, k):
    """Return the least loss of any partition."""
    least = np.inf
    for parts in partitions(list(range(given_space.records)), k):
        classes = np.zeros(given_space.records, dtype=np.int64)
        for number, part in enumerate(parts):
            classes[part] = number
        least = min(least, lost(given_space, classes))
    return least


def run(given_space, rule, steps, *, seed=0, over=NEVER_OVER, kernel=None):
    """Return what annealing makes of the points, from MDAV's classes."""
    start = mdav_classes(given_space, rule, SILENT, "mdav")
    effort = Effort(steps=steps, until=over, seed=(seed,))
    return Annealing(given_space, rule, start, effort, kernel or Kernel(), (SILENT, "anneal")).run()


@settings(max_examples=examples(12), deadline=None, derandomize=True, database=None)
@given(records=st.lists(PEOPLE, min_size=6, max_size=9), k=st.integers(2, 3))
def test_tiny_tables_come_to_the_optimum(clustering, records, k):
    """Of nine records, numbers and categories mixed, the best partition of all is found."""
    given_space = points(clustering, records)
    found = run(given_space, ClassRule(wanted=Wanted(k=k)), 6_000)
    assert found.after == pytest.approx(lost(given_space, found.classes), abs=1e-9)
    assert found.after == pytest.approx(optimum(given_space, k), abs=1e-9)


@settings(max_examples=examples(25), deadline=None, derandomize=True, database=None)
@given(
    records=st.lists(PEOPLE, min_size=4, max_size=40),
    k=st.integers(1, 4),
    least=st.integers(1, 3),
    several=st.booleans(),
    seed=st.integers(0, 5),
)
def test_no_class_breaks_the_rule_and_nothing_is_lost(clustering, records, k, least, several, seed):
    """Whatever k, l and persons of several records: the rule is kept, and no more is lost than by MDAV."""
    given_space = points(clustering, records)
    ill = np.array([ord(records[i][3]) for i in given_space.order]) - ord("f")
    entity = np.arange(len(records)) // 2 if several else None
    wanted = Wanted(k=k, l={"ill": least} if least > 1 else {})
    rule = ClassRule(wanted=wanted, entity=entity, sensitive={"ill": ill} if least > 1 else {})
    if not rule.keeps(np.zeros(len(records), dtype=np.int64), 1)[0]:
        return
    start = mdav_classes(given_space, rule, SILENT, "mdav")
    found = run(given_space, rule, 1_500, seed=seed)
    count = int(found.classes.max()) + 1
    assert rule.keeps(found.classes, count).all()
    if rule.counts_records and len(records) >= k:
        assert np.bincount(found.classes).max() < 2 * k
    assert lost(given_space, found.classes) <= lost(given_space, start) + 1e-9
    assert found.before == pytest.approx(lost(given_space, start), abs=1e-9)
    assert found.after == pytest.approx(lost(given_space, found.classes), abs=1e-9)


@pytest.mark.slow  # it is compiled
def test_both_kernels_come_to_the_same(clustering):
    """Compiled or not, with categories, l and persons: the same classes and the same loss, to the digit."""
    from qidguard_standard.anonymizers.clustering.compiled_annealing import compiled_kernel

    generator = np.random.default_rng(3)
    records = [
        (int(age), float(rate), job)
        for age, rate, job in zip(
            generator.integers(17, 60, 60),
            generator.lognormal(size=60),
            generator.choice(list("abcd"), 60),
            strict=True,
        )
    ]  # fmt: skip
    given_space = points(clustering, records)
    compiled = compiled_kernel(SILENT)
    ill = generator.integers(0, 4, 60)
    for rule in (
        ClassRule(wanted=Wanted(k=4)),
        ClassRule(wanted=Wanted(k=3, l={"ill": 2}), sensitive={"ill": ill}, entity=np.arange(60) // 2),
    ):
        plain = run(given_space, rule, 5_000)
        fast = run(given_space, rule, 5_000, kernel=compiled)
        assert plain.classes.tolist() == fast.classes.tolist()
        assert (plain.before, plain.after) == (fast.before, fast.after)


def test_when_the_time_is_over_the_best_so_far_is_taken(clustering):
    """A limit that is over at once leaves classes that lose no more than MDAV's, and a note says so."""
    table = clustering.Records(
        age=np.random.default_rng(1).integers(0, 1000, 100).tolist(),
        pay=np.random.default_rng(2).integers(0, 1000, 100).tolist(),
    )
    done = clustering.run(Anneal(), table, k=3, effort=0.005, seconds=1e-9)
    assert any("the time was over after 0% of the steps" in note for note in done.notes)
    whole = clustering.run(Anneal(), table, k=3, effort=0.005)
    assert not any("the time was over" in note for note in whole.notes)
    sizes = np.unique(clustering.shown(table, done), axis=0, return_counts=True)[1]
    assert sizes.min() >= 3


def test_counts_decide_how_much_is_done():
    """Work grows with small tables, is the same for all of some thousand records, and then grows again."""
    assert steps_of(10, 1.0) < steps_of(100, 1.0) < steps_of(2_000, 1.0) == steps_of(20_000, 1.0)
    assert steps_of(200_000, 1.0) == 2 * steps_of(100_000, 1.0)
    assert steps_of(1000, 2.0) == 2 * steps_of(1000, 1.0)
    assert steps_of(1000, 0.0) == 0


def test_what_has_nothing_to_lose_stays(clustering):
    """Equal records, and those that are one class, are left as they are."""
    rule = ClassRule(wanted=Wanted(k=2))
    for records in (
        [(1.0, 2.0)] * 6,
        [(1.0, 2.0), (3.0, 2.0), (7.0, 2.0)],
    ):
        found = run(points(clustering, records, columns=2), rule, 1_000)
        assert (
            found.after
            == found.before
            == pytest.approx(lost(points(clustering, records, columns=2), found.classes))
        )


def test_two_places_lose_nothing(clustering):
    """Three records of one place and four of another are three classes of equal ones, which MDAV misses."""
    given_space = points(clustering, [(1.0, 2.0)] * 3 + [(5.0, 2.0)] * 4, columns=2)
    found = run(given_space, ClassRule(wanted=Wanted(k=2)), 1_000)
    assert found.before > 1
    assert found.after == 0


def test_many_equal_records(clustering):
    """Records of the same place are told from those of others, however many they are."""
    records = [(0.0, "a")] * 40 + [(1.0, "a")] * 40 + [(0.0, "b")] * 2 + [(9.0, "c")] * 3
    given_space = points(clustering, records, columns=2)
    found = run(given_space, ClassRule(wanted=Wanted(k=3)), 4_000)
    # the two of b alone are no class: the third is of another value
    assert found.after == pytest.approx(1.0)


def test_neighbors_are_the_nearest():
    """Among few places they are all compared; of equally near ones the first comes first."""
    numbers = np.array([[0.0], [1.0], [3.0], [2.0]])
    found = nearest(numbers, np.zeros((4, 0), dtype=np.int64), np.zeros(0), 2, None, lambda *_: None)
    assert found.tolist() == [[1, 3], [0, 3], [3, 1], [1, 2]]


@pytest.mark.slow
def test_neighbors_of_many_places_are_mostly_the_nearest():
    """Trees of random cuts miss few of the nearest among 9,000 places, and name none twice."""
    generator = np.random.default_rng(4)
    numbers = generator.normal(size=(9_000, 4))
    codes = generator.integers(0, 3, size=(9_000, 1))
    found = nearest(
        numbers, codes, np.ones(1), 10, lambda count: generator.integers(0, 1 << 31, count), lambda *_: None
    )
    hits = 0
    for place in range(0, 9_000, 90):
        apart = ((numbers - numbers[place]) ** 2).sum(axis=1) + (codes[:, 0] != codes[place, 0])
        apart[place] = np.inf
        assert len(set(found[place].tolist())) == 10
        hits += len(set(found[place].tolist()) & set(np.argsort(apart)[:10].tolist()))
    assert hits > 0.7 * 1000


@pytest.mark.slow  # it is compiled
@pytest.mark.realdata
def test_census_loses_less_than_by_mdav(data):
    """A hundredth of the usual effort already takes a tenth off MDAV's loss on Census, k = 3."""
    values = np.loadtxt(data / "microaggregation" / "census.csv", delimiter=",", skiprows=1)
    given_space = numbers_alone(values)
    effort = Effort(steps=steps_of(len(values), 0.01), until=NEVER_OVER, seed=(0,))
    found = annealed_classes(given_space, ClassRule(wanted=Wanted(k=3)), effort, SILENT, "anneal")
    assert found.before == pytest.approx(0.0569 * values.size, rel=0.001)
    assert found.after < 0.9 * found.before


@pytest.mark.slow  # it is compiled
@pytest.mark.realdata
def test_few_steps_are_no_waste(data):
    """With 400 steps a record, as in blocks, annealing on Census saves what descent alone does not."""
    values = np.loadtxt(data / "microaggregation" / "census.csv", delimiter=",", skiprows=1)
    given_space = numbers_alone(values)
    lost_by = {}
    for each in (0, 400):
        effort = Effort(steps=each * len(values), until=NEVER_OVER, seed=(0,))
        rule = ClassRule(wanted=Wanted(k=3))
        lost_by[each] = annealed_classes(given_space, rule, effort, SILENT, "anneal").after
    assert lost_by[400] < 0.98 * lost_by[0]

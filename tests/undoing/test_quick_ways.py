"""The quick ways of the search give what the long ones give, to the record."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import undoing_plain as plain
from examples import examples
from qidguard.undoing import find_undoings, groups, pairs, search
from qidguard.undoing.cells import cells_of, most_told_of_each
from qidguard.undoing.find import target_of
from qidguard.undoing.groups import told_by_values
from qidguard.undoing.order import told_by_order
from undone import PLANTED, changed, independent

SEEDS = st.integers(0, 10**6)


def drawn(seed, *, several):
    """Return a target, and a column that tells it of some records and otherwise has nothing to do with it."""
    generator = np.random.default_rng(seed)
    records = int(generator.integers(1, 400))
    kinds, finer, noise = (
        generator.integers(1, 8),
        generator.integers(1, 60),
        generator.choice([0, 0.03, 0.4]),
    )
    persons = generator.integers(0, max(1, records // 2), records) if several else np.arange(records)
    values = generator.integers(0, kinds, records)
    is_other = generator.random(records) < noise
    code = np.where(is_other, generator.permutation(values), values) * finer
    code = code + generator.integers(0, finer, records)
    published = np.where(generator.random(records) < 0.1, values, -1 - values // 3)
    changes = changed({"q": values, "x": code}, q=published)
    numbers = np.unique(persons, return_inverse=True)[1]
    return target_of(changes, "q", numbers, has_entity=several), changes.after.column("x").codes


def same(found, expected):
    """Say whether two answers are one, to the record."""
    if found is None or expected is None:
        return found is expected
    figures = [(t.way, t.right, t.precision, t.known.tolist()) for t in (found, expected)]
    return figures[0] == figures[1]


@settings(max_examples=examples(300))
@given(seed=SEEDS, several=st.booleans())
def test_values_and_order_tell_the_same(seed, several):
    """The first support or width that holds is the best of all, and no count rejects what would hold."""
    target, codes = drawn(seed, several=several)
    assert same(told_by_values(target, codes), plain.told_by_values(target, codes))
    quick = told_by_order(target, codes, np.random.default_rng(1))
    assert same(quick, plain.told_by_order(target, codes, np.random.default_rng(1)))


@given(seed=SEEDS, size=st.sampled_from([60, 500, 1 << 40]))
def test_what_groups_tell_at_most_is_counted_alike(seed, size):
    """In a table, by sorting, for several groupings at once, and in plain Python."""
    target, codes = drawn(seed, several=False)
    groups = codes.astype(np.int64)
    expected = plain.most_told(target, groups)
    assert cells_of(target, groups, max(size, int(groups.max()) + 1)).most_told() == expected
    other = np.random.default_rng(seed).permutation(groups)
    both = most_told_of_each(target, np.stack([groups, other]))
    assert both.tolist() == [expected, plain.most_told(target, other)]


def both_ways(changes, monkeypatch, **asked):
    """Return what is found the quick way by two threads, and the long way by one."""
    quick = find_undoings(changes, threads=2, **asked)
    for name in ("told_by_values", "told_by_order", "pairs_that_tell"):
        monkeypatch.setattr(search, name, getattr(plain, name))
    monkeypatch.setattr(pairs, "_told", plain.told_share)
    monkeypatch.setattr(
        groups.Groups,
        "may_tell",
        lambda self, floor: plain.may_tell(self.target, self.codes, self.size, floor),
    )
    monkeypatch.setattr(groups.Groups, "told", lambda self: plain.told_by_values(self.target, self.codes))
    return quick, find_undoings(changes, threads=1, **asked)


@pytest.mark.parametrize(
    ("case", "records"),
    [
        pytest.param(case, records, marks=[pytest.mark.slow] if records > 1_000 else [])
        for case in ("copy of 99 %", "date of birth", "month and day", "cipher of two columns", "sum")
        for records in (1_000, 5_000, 60_000)
    ],
)
def test_what_was_planted_is_found_both_ways(case, records, monkeypatch):
    """The same columns, shares and records."""
    planted = PLANTED[case][1](records, np.random.default_rng(records))
    published = planted.changes.after.names
    quick, long = both_ways(planted.changes, monkeypatch, qids=[planted.qid], published=published)
    assert len(quick) == 1
    assert quick == long
    assert [u.known.tolist() for u in quick] == [u.known.tolist() for u in long]


@pytest.mark.samples(1)
@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(s, marks=pytest.mark.slow) for s in range(3, 12))])
def test_nothing_is_found_both_ways(seed, monkeypatch):
    """Persons once, rows tripled, and several records a person."""
    table = independent(seed)
    asked = {"qids": table.qids, "published": table.changes.after.names, "persons": table.persons}
    quick, long = both_ways(table.changes, monkeypatch, **asked)
    assert quick == long

"""PRAM: its transition matrix is the one it states, within six standard deviations."""

import math
from collections import Counter

import pytest

from qidguard.sdk import Original
from qidguard_standard.anonymizers.recoding.pram import PRAM, PRAM_SENSITIVE

RECORDS = 20_000
CELLS = ["a"] * (RECORDS // 2) + ["b"] * (RECORDS // 4) + ["c"] * (RECORDS // 4)


def matrix(shown):
    """Return how often each value became each other one."""
    return Counter(zip(CELLS, shown, strict=True))


def is_near(count, trials, probability):
    """Whether a count is within six standard deviations of a binomial one."""
    return abs(count - trials * probability) < 6 * math.sqrt(trials * probability * (1 - probability))


def test_a_value_stays_with_p_else_becomes_any_other_one_alike(table, anonymized):
    """Three categories, p = .7: .15 for each of the others."""
    found = anonymized(PRAM, table(x=CELLS), ("x",), p=0.7, seed=11)
    counts = matrix(found.shown["x"])
    for value, trials in Counter(CELLS).items():
        for other in ("a", "b", "c"):
            assert is_near(counts[value, other], trials, 0.7 if other == value else 0.15)
    assert found.done.notes == (
        "transition matrix of 'x', 3 categories: 0.7 on the diagonal, 0.15 elsewhere",
    )
    assert found.done.guarantees == ()
    assert all(found.kept)


def test_the_invariant_matrix_keeps_expected_frequencies(table, anonymized):
    """With p = .2 a stays with .2 + .8·.5, and there are as many a after as before."""
    found = anonymized(PRAM, table(x=CELLS), ("x",), p=0.2, is_invariant=True, seed=12)
    shares = {"a": 0.5, "b": 0.25, "c": 0.25}
    counts = matrix(found.shown["x"])
    for value, trials in Counter(CELLS).items():
        for other, share in shares.items():
            assert is_near(counts[value, other], trials, 0.8 * share + (0.2 if other == value else 0))
    for value, share in shares.items():
        assert is_near(found.shown["x"].count(value), RECORDS, share)
    assert "own distribution" in found.done.notes[0]


def test_only_values_of_the_column_are_published_and_types_stay(table, anonymized):
    """Every published value is an original one."""
    done = anonymized(PRAM, table(x=[1, 2, 3] * 20), ("x",), p=0.0, seed=1).done
    assert all(isinstance(value, Original) for value in done.columns["x"].values)


def test_a_value_that_does_not_occur_is_never_drawn(table, anonymized):
    """As NULL here."""
    assert anonymized(PRAM, table(x=["a", "b"]), ("x",), p=0.0).shown["x"] == ["b", "a"]


@pytest.mark.parametrize("is_invariant", [False, True])
def test_a_missing_value_stays_missing(table, anonymized, is_invariant):
    """Nothing is drawn for it, and no value becomes missing."""
    cells = [*("a", "b", "c") * 200, *[None] * 200]
    found = anonymized(PRAM, table(x=cells, y=[None] * 800), ("x", "y"), p=0.0, is_invariant=is_invariant)
    assert [cell is None for cell in found.shown["x"]] == [cell is None for cell in cells]
    assert set(found.done.columns) == {"x"}
    assert "'x', 3 categories" in found.done.notes[0]
    assert found.done.notes[1] == "transition matrix of 'y', 0 categories: no value, so nothing is drawn"


def test_the_seed_decides_and_columns_are_drawn_independently(table, anonymized):
    """The same seed gives the same cells, another seed others, and so does another column."""
    some = table(x=CELLS[:100], y=CELLS[:100])
    first = anonymized(PRAM, some, ("x", "y"), p=0.5, seed=1).shown
    cells = table(x=(CELLS[:50] + CELLS[-50:]), y=(CELLS[:50] + CELLS[-50:]))
    assert first == anonymized(PRAM, some, ("x", "y"), p=0.5, seed=1).shown
    one = anonymized(PRAM, cells, ("x", "y"), p=0.5, seed=1).shown
    assert one != anonymized(PRAM, cells, ("x", "y"), p=0.5, seed=2).shown
    assert one["x"] != one["y"]


def test_sensitive_attributes_are_changed_by_the_one_that_declares_it(table, anonymized):
    """One changes QIDs, the other one the sensitive attribute and the target, and QIDs only when named."""
    some = table(q=["a", "b"], s=["p", "q"], y=["0", "1"])
    given = {"sensitive": ("s",), "target": "y", "p": 0.0}
    assert set(anonymized(PRAM, some, ("q",), **given).done.columns) == {"q"}
    assert set(anonymized(PRAM_SENSITIVE, some, ("q",), **given).done.columns) == {"s", "y"}
    both = anonymized(PRAM_SENSITIVE, some, ("q",), columns="q, s", **given)
    assert set(both.done.columns) == {"q", "s"}
    assert (PRAM.changes_sensitive, PRAM_SENSITIVE.changes_sensitive) == (False, True)


def test_the_entity_is_never_changed(table, anonymized):
    """Even where it is a quasi-identifier or the target."""
    some = table(w=["a", "b"], q=["a", "b"])
    assert set(anonymized(PRAM, some, ("w", "q"), entity="w", p=0.0).done.columns) == {"q"}
    assert set(anonymized(PRAM_SENSITIVE, some, ("q",), entity="w", target="w", p=0.0).done.columns) == set()

"""Whom somebody may be, where columns tell only some: counted, and by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.auditing.read_back import candidates
from qidguard.core.leaks import Leak
from undone import changed

COLUMN = {"told": 0.5, "precision": 1.0, "persons": 1, "generalized": 2}


def tells(qid, known):
    """Return what a column tells of some records."""
    known = np.asarray(known, dtype=bool)
    return Leak(columns=("hint",), qid=qid, is_undone=False, known=known, **COLUMN)


def test_who_is_not_told_stays_possible():
    """Of four in a class one is told to be 20: whoever is 21 may be three of them, the one of 20 all four."""
    changes = changed({"age": [20, 20, 21, 21]}, age=["*"] * 4)
    left = candidates(changes, [tells("age", [1, 0, 0, 0])], qids=["age"], least=4)
    assert (left.fewest, left.below) == (3, 2)


def test_what_is_known_leaves_those_of_whom_nothing_is_read():
    """Three have a hint, two of them the same one: these may be each other, or the one without a hint."""
    changes = changed({"age": [20, 20, 21, 21]}, age=["*"] * 4)
    known = replace(tells("age", [1, 1, 1, 0]), joined=np.array([5, 5, 7, 7]))
    left = candidates(changes, [known], qids=["age"], least=3)
    assert (left.fewest, left.below) == (2, 2)
    beside = replace(known, beside="sex")
    assert candidates(changes, [beside], qids=["age"], least=3).fewest == 4


def test_persons_count_and_an_empty_table_has_none():
    """Four records of two persons are two candidates."""
    changes = changed({"age": [1, 1, 2, 2]}, age=["*"] * 4)
    left = candidates(changes, [], qids=["age"], least=3, persons=np.array([7, 7, 9, 9]))
    assert (left.fewest, left.below) == (2, 2)
    nothing = changed({"age": np.array([], dtype="i8")})
    assert candidates(nothing, [], qids=["age"], least=3).fewest is None
    with pytest.raises(ValueError, match="paired"):
        candidates(replace(changes, kept=None), [], qids=["age"], least=3)


def drawn(seed, records):
    """Return original and published QIDs, what is told of which record, and persons."""
    generator = np.random.default_rng(seed)
    before = {q: generator.integers(0, 4, records) for q in "abc"}
    after = {q: values // generator.integers(1, 5) for q, values in before.items()}
    told = {q: generator.random(records) < generator.choice([0, 0.3, 1]) for q in "ab"}
    return before, after, told, generator.integers(0, max(1, records // 2), records)


def by_hand(before, after, told, of):
    """Return the places of the records that may be one record's."""
    records = len(before["a"])
    return [
        t
        for t in range(records)
        if all(after[q][t] == after[q][of] for q in after)
        and all(not told[q][t] or before[q][t] == before[q][of] for q in told)
    ]


@given(seed=st.integers(0, 10**6), records=st.integers(1, 30))
def test_candidates_are_counted_exactly(seed, records):
    """They are the records that fit, one by one; of several records a person never too many persons."""
    before, after, told, persons = drawn(seed, records)
    changes = changed(before, **after)
    said = [tells(q, known) for q, known in told.items()]
    fits = [by_hand(before, after, told, of) for of in range(records)]
    left = candidates(changes, said, qids=list("abc"), least=4)
    assert (left.fewest, left.below) == (min(map(len, fits)), sum(len(fit) < 4 for fit in fits))
    people = [len(set(persons[fit].tolist())) for fit in fits]
    few = {int(persons[of]) for of in range(records) if people[of] < 4}
    of_persons = candidates(changes, said, qids=list("abc"), least=4, persons=persons)
    assert of_persons.fewest <= min(people)
    assert of_persons.below >= len(few)
    alone = candidates(changes, said, qids=list("abc"), least=4, persons=np.arange(records))
    assert alone == left

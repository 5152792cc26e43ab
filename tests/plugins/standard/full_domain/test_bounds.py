"""What a class must lose before any part of it can keep a criterion is never claimed too large."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard_standard.anonymizers.full_domain.classes import SortedClasses, collapsed
from qidguard_standard.anonymizers.full_domain.criterion import (
    Closeness,
    DistinctValues,
    EntropyOfValues,
    RecursiveValues,
    SmallestClass,
)

ANY = settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
counts = st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any)


def classes_of(*counted):
    """Return classes with these persons for each of three values."""
    rows = [(at, value) for at, of in enumerate(counted) for value, n in enumerate(of) for _ in range(n)]
    owner, value = np.array(rows, dtype=np.int32).T
    found: SortedClasses = collapsed([owner], {"s": value + 1}, None)[0]
    return found


def is_kept(form, limit, left, everybody):
    """Tell whether what is left of a class keeps a criterion beside everybody who is left."""
    total = sum(left)
    if form == "entropy":
        return math.exp(-sum(n / total * math.log(n / total) for n in left if n)) >= limit - 1e-12
    if form == "recursive":
        ranked = sorted((n for n in left if n), reverse=True)
        return ranked[0] < 2 * sum(ranked[int(limit) - 1 :])
    whole = sum(everybody)
    distance = sum(abs(Fraction(n, total) - Fraction(m, whole)) for n, m in zip(left, everybody, strict=True))
    return distance / 2 <= Fraction(str(limit))


def criterion(form, limit):
    """Return the criterion."""
    if form == "entropy":
        return EntropyOfValues(sensitive="s", least=limit)
    if form == "recursive":
        return RecursiveValues(sensitive="s", least=limit, c=2.0)
    return Closeness(sensitive="s", most=limit, is_ordered=False)


LIMITS = {"entropy": (1.2, 1.7, 2.0, 2.5), "recursive": (2, 3), "t": (0.1, 0.25, 0.4)}


@pytest.mark.parametrize("form", sorted(LIMITS))
def test_no_way_to_take_records_out_beats_the_bound(form):
    """Every part of two classes, with the table changing as records go."""

    @ANY
    @given(one=counts, other=counts, limit=st.sampled_from(LIMITS[form]), most=st.integers(0, 5))
    def holds(one, other, limit, most):
        records = sum(one) + sum(other)
        removed = criterion(form, limit).removed(classes_of(one, other), most / records)
        for left in product(*(range(n + 1) for n in one)):
            out = sum(one) - sum(left)
            if not any(left) or out > most or out >= removed[0]:
                continue
            # fewer than claimed have gone: nothing that may go elsewhere makes the rest keep it
            for beside in product(*(range(n + 1) for n in other)):
                if out + sum(other) - sum(beside) <= most:
                    everybody = [n + m for n, m in zip(left, beside, strict=True)]
                    assert not is_kept(form, limit, left, everybody)

    holds()


def test_bounds_by_hand():
    """Six and one of two values: what must go until each criterion holds."""
    lopsided = classes_of((6, 1, 0), (3, 6, 0))
    assert EntropyOfValues(sensitive="s", least=2.0).removed(lopsided, 0.0).tolist() == [5, 3]
    assert RecursiveValues(sensitive="s", least=2, c=2.0).removed(lopsided, 0.0).tolist() == [4, 0]
    # the table has 9 of 16: 6 of 7 is .295 too much, 3 of 4 is .1875, and 6 of 9 is .229 too few
    assert Closeness(sensitive="s", most=0.2, is_ordered=False).removed(lopsided, 0.0).tolist() == [3, 1]
    assert Closeness(sensitive="s", most=0.2, is_ordered=False).removed(lopsided, 0.1).tolist() == [0, 0]
    assert Closeness(sensitive="s", most=0.0, is_ordered=True).removed(lopsided, 0.0).tolist() == [0, 0]
    assert SmallestClass(k=8).removed(lopsided, 0.0).tolist() == [7, 0]
    assert DistinctValues(sensitive="s", least=3).removed(lopsided, 0.0).tolist() == [7, 9]


def test_an_attribute_with_too_few_values_loses_the_whole_class():
    """Two values never have an entropy of three."""
    two = classes_of((2, 2, 0))
    assert EntropyOfValues(sensitive="s", least=3.0).removed(two, 0.0).tolist() == [4]
    assert EntropyOfValues(sensitive="s", least=1.0).removed(two, 0.0).tolist() == [0]
    assert RecursiveValues(sensitive="s", least=1, c=0.5).removed(two, 0.0).tolist() == [0]


@ANY
@example(rows=[(0, 1), (0, 1), (1, 2), (1, 3)], others=[(0, 4)], limit=0.1, most=0)
@given(
    rows=st.lists(st.tuples(st.integers(0, 1), st.integers(1, 3)), min_size=1, max_size=5),
    others=st.lists(st.tuples(st.integers(0, 1), st.integers(1, 6)), min_size=1, max_size=4),
    limit=st.sampled_from(LIMITS["t"]),
    most=st.integers(0, 3),
)
def test_the_bound_holds_where_entities_stand_in_several_parts(rows, others, limit, most):
    """Every way to leave records out of a class and to split the rest in up to three parts."""
    everybody = [(0, *row) for row in rows] + [(1, *row) for row in others]
    owner, value, who = np.array(everybody, dtype=np.int32).T
    classes = collapsed([owner], {"s": value + 1}, who)[0]
    claimed = criterion("t", limit).removed(classes, most / len(everybody))[0]
    # each record goes out (3) or to one of three parts
    for parts in product(range(4), repeat=len(rows)):
        out = parts.count(3)
        if out == len(rows) or out > most or out >= claimed:
            continue
        for beside in product((False, True), repeat=len(others)):
            if out + beside.count(False) > most:
                continue
            left = [row for row, part in zip(rows, parts, strict=True) if part < 3]
            table = {*left, *(row for row, is_in in zip(others, beside, strict=True) if is_in)}
            shown = [{row for row, part in zip(rows, parts, strict=True) if part == at} for at in range(3)]
            whole = [sum(v == of for v, _ in table) for of in (0, 1)]
            assert not all(
                is_kept("t", limit, [sum(v == of for v, _ in part) for of in (0, 1)], whole)
                for part in shown
                if part
            )

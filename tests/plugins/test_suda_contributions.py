"""Where SUDA scores come from, against all subsets of small tables."""

from itertools import combinations
from math import factorial

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard_standard import suda_contributions

ROWS = st.lists(st.tuples(*[st.sampled_from("xyz")] * 3), min_size=2, max_size=8)


def minimal_uniques(rows):
    """Return (record, columns) of each minimal sample unique, by trying all subsets."""
    found = []
    for columns in (c for size in (1, 2, 3) for c in combinations(range(3), size)):
        keys = [tuple(row[c] for c in columns) for row in rows]
        for record, key in enumerate(keys):
            is_minimal = not any(r == record and set(c) <= set(columns) for r, c in found)
            if keys.count(key) == 1 and is_minimal:
                found.append((record, columns))
    return found


@settings(max_examples=examples(25))
@given(ROWS)
def test_contributions_are_the_sums_over_all_subsets(rows):
    """Each column, value and record has the share of (3−k)! of the minimal sample uniques with it."""
    names = ("a", "b", "c")
    found = suda_contributions(pd.DataFrame(rows, columns=names), names)
    scores = [(r, c, factorial(3 - len(c))) for r, c in minimal_uniques(rows)]
    total = sum(score for *_, score in scores) or 1
    by_column = {n: 100 * sum(s for _, c, s in scores if i in c) / total for i, n in enumerate(names)}
    assert dict(found.by_column.to_numpy().tolist()) == pytest.approx(by_column)
    by_value = {}
    for record, columns, score in scores:
        for column in columns:
            key = (names[column], rows[record][column])
            by_value[key] = by_value.get(key, 0) + 100 * score / total
    assert {(c, v): s for c, v, _, s in found.by_value.to_numpy().tolist()} == pytest.approx(by_value)
    by_record = {}
    for record, _, score in scores:
        by_record[rows[record]] = by_record.get(rows[record], 0) + score
    assert {tuple(r[:3]): r[4] for r in found.by_record.to_numpy().tolist()} == pytest.approx(by_record)


def test_values_and_records_are_not_printed_with_the_rest():
    """What names a small class stays out of the representation, which lands in logs."""
    found = suda_contributions(
        pd.DataFrame({"town": ["Xanadu", "Ys", "Ys"], "sex": list("fmm")}), ["town", "sex"]
    )
    assert "Xanadu" not in repr(found)
    assert found.by_record.town.tolist() == ["Xanadu"]


def test_a_single_class_has_no_contributions():
    """Nothing is unique, so each column has 0 and there are no records."""
    found = suda_contributions(pd.DataFrame({"a": [1, 1], "b": [2, 2]}), ["a", "b"])
    assert found.by_column.contribution.tolist() == [0, 0]
    assert (len(found.by_value), len(found.by_record)) == (0, 0)

"""Recursive (c,l)-diversity against trying each l."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.core.parameter import bind
from qidguard.sdk import Cells, UserError
from qidguard_standard.metrics.recursive_l_diversity import RECURSIVE_L_DIVERSITY, recursive_levels


def largest_level(table, c=3):
    """Try l = 2, 3, … in every class with fractions."""

    def level(members):
        counts = sorted(table.counts(members).values(), reverse=True)
        holds = [n for n in range(2, len(counts) + 1) if counts[0] < c * sum(counts[n - 1 :])]
        return max(holds, default=1)

    return min(level(members) for members in table.classes().values())


def test_levels(people, measured):
    """Counts 4, 2, 1: 4 < c·(2+1) from c above 4/3, and 4 < c·1 from c above 4."""
    table = people("abs", *["xup"] * 4, "xuq", "xuq", "xur")
    assert measured(RECURSIVE_L_DIVERSITY, table, c=1.3) == 1
    assert measured(RECURSIVE_L_DIVERSITY, table, c=1.4) == 2
    assert measured(RECURSIVE_L_DIVERSITY, table) == 2
    assert measured(RECURSIVE_L_DIVERSITY, table, c=4.1) == 3


def test_strictly_below(people, measured):
    """Three p and one q with c = 3: 3 is not below 3·1. Nor is 28 below 1.12·25, whatever floats say."""
    assert measured(RECURSIVE_L_DIVERSITY, people("abs", "xup", "xup", "xup", "xuq"), c=3) == 1
    assert measured(RECURSIVE_L_DIVERSITY, people("abs", *["xup"] * 28, *["xuq"] * 25), c=1.12) == 1
    assert 1.12 * 25 > 28


def test_the_worst_class_decides(people, measured):
    """A class with one value is l = 1 whatever the others have."""
    assert measured(RECURSIVE_L_DIVERSITY, people("abs", "xup", "xuq", "xur", "yvp")) == 1


def test_missing_is_a_value(people, measured):
    """A NULL beside a p makes two values."""
    assert measured(RECURSIVE_L_DIVERSITY, people("abs", "xup", "xu-")) == 2


def test_entities(people, measured):
    """Entity 1's records with p count once, so p does not dominate."""
    records = ["xup1"] * 4 + ["xuq2"]
    assert measured(RECURSIVE_L_DIVERSITY, people("absw", *records)) == 1
    assert measured(RECURSIVE_L_DIVERSITY, people("absw", *records, entity=True)) == 2


def test_entities_break_monotony(overlapping, measured):
    """Merging classes that share an entity can lower l, so the metric does not claim otherwise."""
    assert measured(RECURSIVE_L_DIVERSITY, overlapping, "ab", c=1.5) == 2
    assert measured(RECURSIVE_L_DIVERSITY, overlapping, "a", c=1.5) == 1
    assert not RECURSIVE_L_DIVERSITY.is_monotone


@pytest.mark.parametrize("c", [0, -1, float("nan"), "3"])
def test_c_is_a_number_above_zero(c):
    """A factor that no table can meet is refused."""
    with pytest.raises(UserError, match="'c'"):
        bind(RECURSIVE_L_DIVERSITY.parameters, {"c": c})


@given(records=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=30))
@pytest.mark.parametrize("c", ["0.1", "1", "1.1", "2.5", "7"])
def test_levels_of_every_class(records, c):
    """The vectorized levels equal those tried one by one in fractions."""
    classes = sorted({owner for owner, _ in records})
    counts = Counter(records)
    cells = Cells(
        class_id=np.array([classes.index(owner) for owner, _ in counts]),
        value=np.array([value for _, value in counts]),
        n=np.array(list(counts.values())),
        size=np.bincount([classes.index(owner) for owner, _ in records]),
        table_n=np.bincount([value for _, value in records]),
        has_missing=False,
    )
    expected = []
    for owner in classes:
        r = sorted((n for (o, _), n in counts.items() if o == owner), reverse=True)
        expected.append(
            max((n for n in range(2, len(r) + 1) if r[0] < Fraction(c) * sum(r[n - 1 :])), default=1)
        )
    assert expected == recursive_levels(cells, float(c)).tolist()


def test_equals_counting(agrees):
    """L is the one found by trying."""
    agrees(RECURSIVE_L_DIVERSITY, largest_level)

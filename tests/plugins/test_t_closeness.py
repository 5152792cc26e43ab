"""t-closeness with equal distance against half the sum of differences."""

import pytest

from qidguard_standard.metrics.t_closeness import T_CLOSENESS


def largest_distance(table):
    """Take the largest ½·Σ|p − q| over all values of the table."""
    q = table.shares()
    return max(
        sum(abs(p.get(value, 0) - q[value]) for value in q) / 2
        for p in map(table.shares, table.classes().values())
    )


def test_distance(people, measured):
    """The table has p and q equally often; the class with three p and one q is at 1/4."""
    table = people("abs", "xup", "xup", "xup", "xuq", "yvp", "yvq", "yvq", "yvq")
    assert measured(T_CLOSENESS, table) == 0.25


def test_value_of_one_class(people, measured):
    """A class whose single value nobody else has is at 3/4 when it is a quarter of the table."""
    assert measured(T_CLOSENESS, people("abs", "xup", "yvq", "yvq", "yvr")) == 0.75


def test_missing_is_a_value(people, measured):
    """NULL is as far from p as any value."""
    assert measured(T_CLOSENESS, people("abs", "xup", "yv-")) == 0.5


def test_single_class(people, measured):
    """The class is the table."""
    assert measured(T_CLOSENESS, people("abs", "xup", "xuq", "xuq")) == 0


def test_entities(people, measured):
    """Entity 1's three records with p count once, so both classes mirror the table."""
    table = people("absw", "xup1", "xup1", "xup1", "xuq2", "yvp3", "yvq4", entity=True)
    assert measured(T_CLOSENESS, table) == 0


def test_entities_break_monotony(overlapping, measured):
    """Merging classes that share an entity can raise t, so the metric does not claim otherwise."""
    assert measured(T_CLOSENESS, overlapping, "ab") == 0
    assert measured(T_CLOSENESS, overlapping, "a") == pytest.approx(1 / 6)
    assert not T_CLOSENESS.is_monotone


@pytest.mark.realdata
def test_adult_of_arx(adult_arx, measured_frame):
    """ARX and pyCANON find t = .75108 on ARX's Adult."""
    qids = [name for name in adult_arx.columns if name != "salary-class"]
    assert measured_frame(T_CLOSENESS, adult_arx, qids, sensitive="salary-class") == pytest.approx(
        0.7510775147536636, rel=1e-12
    )


def test_equals_counting(agrees):
    """T is the one computed over all values."""
    agrees(T_CLOSENESS, largest_distance)


def test_records_without_a_person_are_one_person_in_the_table_as_in_a_class(measured, people):
    """Of six persons with a value x holds 1, 3 and 4, y holds 2 and 4 twice each: 1/3 by hand."""
    table = people("asw", "x1c", "x3b", "x4-", "y2-", "y2a", "y4-", "y4b", entity=True)
    assert measured(T_CLOSENESS, table, "a") == pytest.approx(1 / 3, abs=1e-15)

"""Distinct l-diversity against counting."""

import pytest

from qidguard_standard.metrics.distinct_l_diversity import DISTINCT_L_DIVERSITY


def fewest_values(table):
    """Count the values of each class and take the least."""
    return min(len(table.counts(members)) for members in table.classes().values())


def test_fewest_values(people, measured):
    """Classes with 3 and 2 values give l = 2, however often each value occurs."""
    assert measured(DISTINCT_L_DIVERSITY, people("abs", "xup", "xuq", "xur", "yvp", "yvq", "yvq")) == 2


def test_missing_is_a_value(people, measured):
    """A NULL beside a p makes two values; NULL in a QID makes a class of its own."""
    assert measured(DISTINCT_L_DIVERSITY, people("abs", "xup", "xu-")) == 2
    assert measured(DISTINCT_L_DIVERSITY, people("abs", "xup", "xuq", "-up")) == 1


def test_single_class(people, measured):
    """With one class it is the number of values in the table."""
    assert measured(DISTINCT_L_DIVERSITY, people("abs", "xup", "xuq", "xur", "xur")) == 3


def test_two_values_of_one_entity(people, measured):
    """An entity alone with two values is 2-diverse, which is why k belongs beside l."""
    assert measured(DISTINCT_L_DIVERSITY, people("absw", "xup1", "xuq1", entity=True)) == 2


@pytest.mark.realdata
def test_adult_of_arx(adult_arx, measured_frame):
    """ARX's Adult has a class with a single salary class."""
    qids = [name for name in adult_arx.columns if name != "salary-class"]
    assert measured_frame(DISTINCT_L_DIVERSITY, adult_arx, qids, sensitive="salary-class") == 1


def test_equals_counting(agrees):
    """L is the one counted."""
    agrees(DISTINCT_L_DIVERSITY, fewest_values)

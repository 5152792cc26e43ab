"""l-diversity per class against counting distinct values."""

import pytest

from qidguard_qidlearning.metrics.l_diversity import L_DIVERSITY


def distinct(_, members):
    """Count the sensitive values of a class."""
    return len({s for _, _, s, *_ in members})


def test_fewest_values(people, measured):
    """Class y has one value only."""
    assert measured(L_DIVERSITY, people("abs", "xup", "xuq", "yvp", "yvp")) == 1


def test_missing_is_a_value(people, measured):
    """NULL and p are two."""
    assert measured(L_DIVERSITY, people("abs", "xup", "xu-")) == 2


def test_equals_counting(agrees_over_classes):
    """An extreme and a mean are those over the counted classes."""
    agrees_over_classes(L_DIVERSITY, distinct)


def test_order_does_not_matter(ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(L_DIVERSITY, statistic="mean")


@pytest.mark.slow
def test_the_fewest_never_grow_with_a_qid(never_less_safe_when_coarser):
    """The minimum is monotone."""
    never_less_safe_when_coarser(L_DIVERSITY, entities=True, statistic="minimum")


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(L_DIVERSITY)

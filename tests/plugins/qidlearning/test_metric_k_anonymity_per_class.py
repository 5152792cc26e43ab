"""k-anonymity per class against counting."""

import pytest

from qidguard_qidlearning.metrics.k_anonymity_per_class import K_ANONYMITY_PER_CLASS


def test_smallest_class(people, measured):
    """The headline is k: one record is alone."""
    assert measured(K_ANONYMITY_PER_CLASS, people("ab", "xu", "xu", "xu", "yv")) == 1


def test_missing_is_a_class(people, measured):
    """Records that lack a QID hide in a class of their own."""
    assert measured(K_ANONYMITY_PER_CLASS, people("ab", "x-", "x-", "xu", "xu", "xu")) == 2


def test_entities(people, measured):
    """Three records of two entities are two persons."""
    assert measured(K_ANONYMITY_PER_CLASS, people("abw", "xu1", "xu1", "xu2", entity=True)) == 2


def test_single_class(people, measured):
    """The whole table."""
    assert measured(K_ANONYMITY_PER_CLASS, people("ab", "xu", "xu")) == 2


def test_equals_counting(agrees_over_classes):
    """Each statistic is the one over the counted classes."""
    every = K_ANONYMITY_PER_CLASS.parameters[0].choices
    agrees_over_classes(K_ANONYMITY_PER_CLASS, lambda table, members: table.size(members), every)


@pytest.mark.parametrize("statistic", ["minimum", "weighted_mean"])
def test_order_does_not_matter(statistic, ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(K_ANONYMITY_PER_CLASS, statistic=statistic)


def test_the_smallest_class_never_grows_with_a_qid(never_less_safe_when_coarser):
    """The minimum is monotone over records and entities; the mean over entities is not."""
    never_less_safe_when_coarser(K_ANONYMITY_PER_CLASS, entities=True, statistic="minimum")
    assert not K_ANONYMITY_PER_CLASS.is_monotone


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(K_ANONYMITY_PER_CLASS)
    has_no_value_when_empty(K_ANONYMITY_PER_CLASS, statistic="mean")

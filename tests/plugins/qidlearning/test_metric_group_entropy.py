"""Group entropy against scipy's entropy in bits."""

import pytest
from scipy.stats import entropy

from qidguard_qidlearning.metrics.group_entropy import GROUP_ENTROPY


def bits(table, members):
    """Take Shannon's entropy of the class."""
    return float(entropy(list(table.shares(members).values()), base=2))


def test_fair_coin(people, measured):
    """Class x has one bit, class y none; each is half of the records."""
    assert measured(GROUP_ENTROPY, people("abs", "xup", "xuq", "yvr", "yvr")) == pytest.approx(0.5)


def test_four_even_values(people, measured):
    """Two bits, NULL being a value."""
    assert measured(GROUP_ENTROPY, people("abs", "xup", "xuq", "xur", "xu-")) == pytest.approx(2)


def test_pure_class(people, measured):
    """No bit, and no negative zero."""
    assert str(measured(GROUP_ENTROPY, people("abs", "xup", "xup"))) == "0.0"


def test_equals_scipy(agrees_over_classes):
    """An extreme and a mean are those over scipy's entropies, entities included."""
    agrees_over_classes(GROUP_ENTROPY, bits)


@pytest.mark.slow
def test_order_does_not_matter(ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(GROUP_ENTROPY)


def test_one_more_qid_never_raises_the_weighted_mean(measured, on_random_people):
    """Over records conditioning only lowers an entropy, as the explanation says."""

    def check(table, _):
        fine = measured(GROUP_ENTROPY, table, "ab")
        assert all(measured(GROUP_ENTROPY, table, qid) >= fine - 1e-12 for qid in "ab")

    on_random_people(check, metric=GROUP_ENTROPY, entities=False)


def test_entities_break_monotony(people, measured):
    """By a class x holds p twice and q once, though by a and b every class is even: so nothing is claimed."""
    table = people("absw", "xup1", "xuq2", "xvp3", "xvq2", entity=True)
    assert measured(GROUP_ENTROPY, table, "ab") == pytest.approx(1)
    assert measured(GROUP_ENTROPY, table, "a") == pytest.approx(0.9182958340544896)
    assert not GROUP_ENTROPY.is_monotone


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(GROUP_ENTROPY)

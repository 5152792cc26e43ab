"""Information gain against H(Y) − H(Y|X) and against scikit-learn's mutual information."""

import math

import pytest
from scipy.stats import entropy
from sklearn.metrics import mutual_info_score

from qidguard_qidlearning.metrics.group_entropy import GROUP_ENTROPY
from qidguard_qidlearning.metrics.information_gain import INFORMATION_GAIN


def divergence_bits(table, members):
    """Take D_KL(class ‖ table) in bits."""
    q, p = table.shares(), table.shares(members)
    return float(entropy([p.get(v, 0) for v in q], list(q.values()), base=2))


def test_qids_determine_the_target(people, measured):
    """The whole entropy of an even target: one bit."""
    table = people("abs", "xup", "xup", "yvq", "yvq")
    assert measured(INFORMATION_GAIN, table) == pytest.approx(1)


def test_qids_say_nothing(people, measured):
    """Every class mirrors the table."""
    assert measured(INFORMATION_GAIN, people("abs", "xup", "xuq", "yvp", "yvq")) == pytest.approx(
        0, abs=1e-15
    )


def test_missing_is_a_value(people, measured):
    """Knowing that the target is missing is knowing something."""
    assert measured(INFORMATION_GAIN, people("abs", "xup", "yv-")) == pytest.approx(1)


def test_single_class(people, measured):
    """The class is the table."""
    assert measured(INFORMATION_GAIN, people("abs", "xup", "xuq")) == 0


def test_over_records_it_is_the_entropy_lost(measured, on_random_people):
    """H(Y) − Σ p(g)·H(Y|g), and the mutual information of QIDs and target."""

    def check(table, _):
        whole = entropy(list(table.shares().values()), base=2)
        gain = measured(INFORMATION_GAIN, table)
        assert gain == pytest.approx(whole - measured(GROUP_ENTROPY, table), abs=1e-12)
        labels = [[str(r[:2]) for r in table.records], [str(r[2]) for r in table.records]]
        assert gain == pytest.approx(mutual_info_score(*labels) / math.log(2), abs=1e-12)

    on_random_people(check, metric=INFORMATION_GAIN, entities=False)


def test_equals_scipy(agrees_over_classes):
    """An extreme and a mean are those over scipy's relative entropies, entities included."""
    agrees_over_classes(INFORMATION_GAIN, divergence_bits)


def test_order_does_not_matter(ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(INFORMATION_GAIN)


@pytest.mark.slow
def test_one_more_qid_never_lowers_it(measured, on_random_people):
    """Over records more columns only tell more."""

    def check(table, _):
        fine = measured(INFORMATION_GAIN, table, "ab")
        assert all(measured(INFORMATION_GAIN, table, qid) <= fine + 1e-12 for qid in "ab")

    on_random_people(check, metric=INFORMATION_GAIN, entities=False)


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(INFORMATION_GAIN)

"""The recognition scores against scikit-learn, on every found set and truth of four columns."""

import warnings
from itertools import combinations, product

import pytest
from sklearn import metrics as sklearn_metrics

from qidguard_qidlearning.scores import (
    RECOGNITION_SCORES,
    dice_similarity,
    f1_score,
    f_beta_score,
    jaccard_similarity,
)
from quick import mostly_slow

UNIVERSE = frozenset("abcd")
SUBSETS = [frozenset(some) for size in range(5) for some in combinations("abcd", size)]
SCORES = {score.name: score.compute for score in RECOGNITION_SCORES}


def labels(columns):
    """Return 1 for a column of the set and 0 for another."""
    return [int(column in columns) for column in sorted(UNIVERSE)]


ORACLES = {
    "precision": sklearn_metrics.precision_score,
    "recall": sklearn_metrics.recall_score,
    "recognition_accuracy": sklearn_metrics.recall_score,
    "f1_score": sklearn_metrics.f1_score,
    "f2_score": lambda truth, found, **kw: sklearn_metrics.fbeta_score(truth, found, beta=2, **kw),
    "jaccard_similarity": sklearn_metrics.jaccard_score,
    "dice_similarity": sklearn_metrics.f1_score,
    "specificity": lambda truth, found, **kw: sklearn_metrics.recall_score(truth, found, pos_label=0, **kw),
    "false_positive_rate": lambda truth, found, **_: (
        sum(one > other for one, other in zip(found, truth, strict=True)) / max(1, truth.count(0))
    ),
}


@pytest.mark.samples(1)
@pytest.mark.parametrize("name", mostly_slow(sorted(ORACLES), quick=2))
def test_equals_scikit_learn(name):
    """On all 256 pairs, with 0 where a denominator is 0; every score is held against one."""
    assert set(ORACLES) == set(SCORES)
    for found, truth in product(SUBSETS, SUBSETS):
        with warnings.catch_warnings():
            # a truth of one class only; it has the score that is asked for all the same
            warnings.simplefilter("ignore")
            expected = ORACLES[name](labels(truth), labels(found), zero_division=0)
        actual = SCORES[name](found, truth, UNIVERSE)
        if name != "specificity" or truth != UNIVERSE:
            assert actual == pytest.approx(expected), (found, truth)
        assert 0 <= actual <= 1


@pytest.mark.parametrize("score", RECOGNITION_SCORES, ids=lambda s: s.name)
def test_perfect_recognition(score):
    """The best score is 1, or 0 for a rate of errors; sets are of the table's columns, or refused."""
    assert score.compute(frozenset("ab"), frozenset("ab"), UNIVERSE) == int(score.is_higher_better)
    for found, truth, reason in (
        ({"a", "z"}, {"a"}, "found column 'z' is none of the table's columns"),
        ({"a"}, {"z"}, "truth column 'z'"),
        ("age", {"a"}, "found must be a set of column names"),
    ):
        with pytest.raises(ValueError, match=reason):
            score.compute(found, truth, UNIVERSE)


def test_any_iterable_will_do():
    """An iterator is read once, and a list may repeat a name."""
    assert f1_score(iter("ab"), iter("bc"), iter("abcd")) == 0.5
    assert jaccard_similarity(["a", "a", "b"], ["b", "b"], ["a", "b", "c"]) == 0.5


def test_f_beta_leans_to_recall():
    """With precision 1 and recall ½ a larger β lowers the score, from precision toward recall."""
    figures = [f_beta_score(["a"], ["a", "b"], UNIVERSE, beta=beta) for beta in (0.01, 1, 100)]
    assert figures == [pytest.approx(1, abs=1e-3), pytest.approx(2 / 3), pytest.approx(0.5, abs=1e-3)]
    with pytest.raises(ValueError, match="beta must be above 0"):
        f_beta_score(["a"], ["a"], UNIVERSE, beta=0)


def test_dice_with_weights():
    """2α·|∩| / (α·|P|^β + |A|^β) by hand: 2·3·1 / (3·2² + 1²)."""
    assert dice_similarity(["a", "b"], ["a"], UNIVERSE, alpha=3, beta=2) == pytest.approx(6 / 13)
    for alpha, beta in ((0, 1), (1, 0.5)):
        with pytest.raises(ValueError, match="alpha must be above 0 and beta at least 1"):
            dice_similarity(["a"], ["a"], UNIVERSE, alpha=alpha, beta=beta)


def test_table_7_of_the_paper():
    """Adult's row: precision .47 and recall .88 make F1 .61, F2 .74, Jaccard .44, Dice .61, A .88.

    Seven of eight quasi-identifiers among fifteen found columns give these figures. (The printed specificity
    and rate of false positives come from FN in the place of TN, so they are not held against it.)
    """
    universe = [f"c{i}" for i in range(16)]
    found, truth = universe[:15], universe[8:]
    names = ["precision", "recall", "f1_score", "f2_score", "jaccard_similarity", "dice_similarity"]
    figures = [SCORES[name](found, truth, universe) for name in names]
    assert [round(f, 2) for f in figures] == [0.47, 0.88, 0.61, 0.74, 0.44, 0.61]

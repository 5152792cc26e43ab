"""The evaluation as calls, on a table of 240 people."""

from fractions import Fraction

import numpy as np
import pytest

from qidguard.sdk import UserError
from qidguard_hybrid_dp.evaluation.calls import evaluate, models, risk, sweep
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.evaluation import evaluate_in
from qidguard_hybrid_dp.evaluation.example import people
from qidguard_hybrid_dp.evaluation.methods import HybridSetting, Methods, hybrid, rka_stand_in
from qidguard_hybrid_dp.evaluation.plain import plain
from qidguard_hybrid_dp.evaluation.svd import svd_stand_in
from qidguard_hybrid_dp.evaluation.sweep import renoised
from qidguard_learning import LearningDesign

ROLES = ["age", "race", "country", "sex"], ["illness"]
GIVEN = {"bounds": {"age": (20, 60)}, "friendly": ["race", "country"]}
ONE = Methods(clusters=("both",), scales=("range",), has_strict=False)


@pytest.fixture(scope="module")
def case():
    """Return the table as a case, 40 people left out."""
    return PrivacyCase.of(people(240), *ROLES, outsiders=40, **GIVEN)


@pytest.fixture(scope="module")
def evaluation():
    """Return every method, the stand-ins too, at k = 5."""
    return evaluate(people(240), *ROLES, k=[5], methods=Methods(has_stand_ins=True), **GIVEN)


@pytest.mark.slow
def test_every_method_has_its_figures(evaluation):
    """Plain, two clusters at two scales, strict intervals, two stand-ins; none failed."""
    *labels, _ = [one.trial.label for one in evaluation.measured]
    assert labels == [
        *("plain k-anonymity", "hybrid, violating, range", "hybrid, violating, unit", "hybrid, both, range"),
        *("hybrid, both, unit", "hybrid, both, range, strict", "stand-in for RKA, ε 1"),
    ]
    assert (evaluation.failed, evaluation.is_interrupted) == ((), False)
    assert "nothing is claimed" in evaluation.headline


def test_less_noise_and_clusters_of_one_part_keep_more(evaluation):
    """Unit scale keeps more ages than range; the violating part alone at least as many categories.

    The other part loses nothing where that alone is clustered: its DM is 0; with noise its numbers change all
    the same, and never leave their bounds. Five tables, and a plot for each.
    """
    kept = {one.trial.settings: one.originality.by_column for one in evaluation.measured}
    assert kept["both, unit"]["age"] > kept["both, range"]["age"] + 0.5
    assert kept["both, unit"]["race"] == kept["both, range"]["race"]
    assert kept["violating, range"]["sex"] >= kept["both, range"]["sex"]
    one = next(one for one in evaluation.measured if one.trial.settings == "violating, range")
    _, violating, other = one.losses
    assert (other.partition, other.distortion) == ("other", 0.0)
    assert violating.distortion > 0
    assert other.changed > 0.5
    assert (one.statistics[0].outside, violating.records + other.records) == (0, 240)
    tables = [one.name for one in evaluation.tables()]
    assert tables == ["originality", "loss", "statistics", "minorities", "seconds"]
    assert set(evaluation.plots()) == {"originality", "loss", "time", "distributions", "minorities"}


def test_classes_have_k_and_the_stand_ins_keep_to_their_word(case):
    """Both plain and strict ones; one ε is everywhere, and numbers of the decomposition keep their bounds."""
    for trial in (plain(case, 5), hybrid(case, 5, HybridSetting(is_strict=True))):
        assert np.bincount(trial.done.classes(case.qids)).min() >= 5
    assert len(np.unique(rka_stand_in(case, 5).noise["age"].scale)) == 1
    svd = svd_stand_in(case, 5)
    numbers = svd.done.column("age").numbers
    assert 20 <= np.nanmin(numbers) <= np.nanmax(numbers) <= 60
    assert not svd.has_mechanism


def test_what_cannot_be_done_and_where_it_stopped_is_told(case):
    """A reason and no figures for more persons than there are; what was tried before a stop is kept."""
    found = evaluate_in(case, [lambda: plain(case, 5), lambda: plain(case, 1000)])
    assert len(found.measured) == 1
    assert "k=1000, plain k-anonymity: " in found.headline
    left = iter([False, True])
    found = evaluate_in(case, [lambda: plain(case, 5)] * 2, is_stopped=lambda: next(left))
    assert found.is_interrupted
    assert "after 1 of 2 trials" in found.headline


def test_a_target_and_the_papers_table_are_asked_for():
    """The paper's figures stand beside its own table alone, and models need a target."""
    with pytest.raises(UserError, match="figures are of Adult"):
        evaluate(people(60), *ROLES, k=[3], methods=ONE, printed=True, **GIVEN)
    with pytest.raises(UserError, match="models need a target"):
        models(people(60), *ROLES, None, k=[3], methods=ONE, **GIVEN)


@pytest.fixture(scope="module")
def attacked():
    """Return the scheme at both scales beside plain k-anonymity, 60 targets."""
    chosen = Methods(clusters=("both",), scales=("range", "unit"), has_strict=False)
    return risk(people(240), *ROLES, k=[5], methods=chosen, targets=60, **GIVEN)


def test_risk_has_a_row_for_each_method_and_knowledge(attacked):
    """Plain first; the others with their paired differences. Less noise and more knowledge give more away.

    Two tables and two plots; equation (2) is said to decide nothing.
    """
    assert [(row.label, row.knowledge, row.identity is None) for row in attacked.rows] == [
        (label, knowledge, label == "plain k-anonymity")
        for label in ("plain k-anonymity", "hybrid, both, range", "hybrid, both, unit")
        for knowledge in ("random", "full")
    ]
    assert not attacked.is_interrupted
    found = {(row.label[-5:], row.knowledge): row.figures.identity for row in attacked.rows}
    assert found["range", "random"] < found["range", "full"] < found[" unit", "full"]
    tables = attacked.tables()
    assert [one.name for one in tables] == ["risk", "beside_plain"]
    assert "decides nothing" in tables[0].note
    assert set(attacked.plots()) == {"risk", "difference"}


def test_the_same_seed_gives_the_same_risk(attacked):
    """Noise, targets and ν are all drawn by the seed."""
    again = risk(people(240), *ROLES, k=[5], methods=ONE, targets=60, **GIVEN)
    first = {(row.label, row.knowledge): row.figures.sensitive for row in attacked.rows}
    assert all(first[row.label, row.knowledge] == row.figures.sensitive for row in again.rows)


def test_a_sweep_moves_numbers_alone(case):
    """Another ε changes no category: clusters depend on no number."""
    base = hybrid(case, 5, HybridSetting())
    moved = renoised(case, base, Fraction(1, 10), "range")
    for name in case.categorical:
        assert np.array_equal(base.done.column(name).codes, moved.done.column(name).codes)
    assert not np.array_equal(base.done.column("age").codes, moved.done.column("age").codes)


def test_more_epsilon_loses_less():
    """At unit scale ε = 10 keeps nearly every number, ε = .01 hardly one; two plots."""
    epsilons = [Fraction(1, 100), Fraction(10)]
    found = sweep(people(240), *ROLES, k=5, epsilons=epsilons, scales=["unit"], targets=50, **GIVEN)
    low, high = found.rows
    assert low.loss.changed > 0.9
    assert high.loss.changed < 0.05
    assert low.identity.value < high.identity.value
    assert set(found.plots()) == {"epsilon", "epsilon_distributions"}


def test_models_learn_from_each_table():
    """Every method beside the original on the same splits, in points of accuracy."""
    asked = {"learners": ("logistic_regression",), "design": LearningDesign(repeats=3)}
    found = models(people(240), *ROLES, "illness", k=[5], methods=ONE, **asked, **GIVEN)
    assert [row.label for row in found.rows] == ["plain k-anonymity", "hybrid, both, range"]
    first, second = found.rows
    assert first.original == second.original
    assert second.points.value == pytest.approx(100 * (second.published - second.original))
    assert set(found.plots()) == {"accuracy"}

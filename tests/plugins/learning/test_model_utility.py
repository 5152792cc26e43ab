"""Model utility: what is the same stays the same, what is lost is seen, and nothing is trained twice."""

import gc

import numpy as np
import pytest

from qidguard.core.parameter import bind
from qidguard.sdk import Grouping, NotMeasurable
from qidguard_learning import MODELS, comparing, model_utility, working
from qidguard_learning import LearningDesign as Design
from qidguard_learning.splits import splits
from qidguard_standard.models import MODEL_METRICS

SMALL = Design(repeats=3, sample=150)
QIDS = ("age", "place")
METRICS = {metric.name: metric for metric in MODEL_METRICS}


class View:
    """A table beside its original."""

    is_interrupted = False

    def __init__(self, changes):
        self.changes = changes


def measure(name, changes, target="income", **given):
    """Measure a metric of models."""
    metric = METRICS[name]
    grouping = Grouping(qids=QIDS, sensitive=target)
    return metric.method.measure(View(changes), grouping, bind(metric.parameters, given))


def suppressed(people):
    """Return what is published once every age is suppressed."""
    return {**people, "age": ["*"] * len(people["age"])}


@pytest.mark.samples(2)
@pytest.mark.parametrize("model", MODELS)
def test_nothing_changed_nothing_lost(changes, people, model):
    """Every model has the same scores by both, to the last bit, and no warning escapes."""
    design = Design(repeats=2, sample=120)
    found = model_utility(changes(people), "income", QIDS, models=(model,), design=design)
    assert found.original_f1.tolist() == found.published_f1.tolist()
    assert found.original_accuracy.tolist() == found.published_accuracy.tolist()
    assert (found.f1_change(model), found.p_value(model), found.effect_size(model)) == (0, 1, 0)
    assert found.mean_accuracy(model) > 0.6


@pytest.mark.samples(1)
@pytest.mark.parametrize("model", MODELS)
def test_what_the_income_follows_is_missed_once_it_is_suppressed(changes, people, model):
    """Without ages every model is worse in every split."""
    published = suppressed(people)
    found = model_utility(changes(people, published), "income", QIDS, models=(model,), design=SMALL)
    assert found.f1_change(model) < -0.2
    assert found.effect_size(model) == -1
    assert found.p_value(model) == pytest.approx(0.1)


def test_metrics_are_questions_of_the_same_scores(changes, people):
    """Nothing changed: change 0, p 1, effect 0, shift 0; ages suppressed: the shift is all there is."""
    same, lost = changes(people), changes(people, suppressed(people))
    given = {"model": "decision_tree", "repeats": 3, "sample": 150}
    figures = {name: measure(name, same, **given) for name in METRICS}
    unchanged = {
        "model_f1_change": 0,
        "model_p_value": 1,
        "model_effect_size": 0,
        "feature_importance_shift": 0,
    }
    assert {name: figures[name] for name in unchanged} == unchanged
    assert min(figures["model_f1"], figures["model_accuracy"]) > 0.8
    assert measure("feature_importance_shift", lost, **given) > 0.9
    for name, metric in METRICS.items():
        assert metric.minimum <= measure(name, lost, **given) <= metric.maximum


def test_a_split_is_trained_once(changes, people, monkeypatch):
    """Five metrics of one model train it once; the sixth, which shuffles columns, once more."""
    trained = []
    real = comparing.trained_on_all
    monkeypatch.setattr(comparing, "trained_on_all", lambda *a, **k: trained.append(1) or real(*a, **k))
    one = changes(people)
    for name in METRICS:
        measure(name, one, model="naive_bayes", repeats=2, sample=100)
    assert len(trained) == 2
    measure("model_f1", one, model="naive_bayes", repeats=3, sample=100)
    assert len(trained) == 3


@pytest.mark.slow
def test_what_is_known_goes_with_the_tables(changes, people):
    """Once nobody holds the changes their scores are forgotten."""
    one = changes(people)
    measure("model_f1", one, model="naive_bayes", repeats=1, sample=50)
    place = id(one)
    assert place in comparing._KNOWN
    del one
    gc.collect()
    assert place not in comparing._KNOWN


@pytest.mark.slow
def test_threads_change_nothing(changes, people, monkeypatch):
    """One thread finds what several find; another seed finds something else."""
    models = ("neural_network", "random_forest")
    found = []
    for threads in (1, 4):
        monkeypatch.setattr(working.os, "cpu_count", lambda threads=threads: threads)
        found.append(model_utility(changes(people), "income", QIDS, models=models, design=SMALL))
    assert found[0].published_f1.tolist() == found[1].published_f1.tolist()
    other = model_utility(changes(people, seed=2), "income", QIDS, models=models, design=SMALL)
    assert found[0].published_f1.tolist() != other.published_f1.tolist()


SUPPRESSED = ({"a": ["u", "v"] * 40, "t": ["x", "y"] * 40}, {"a": ["u"] * 40, "t": ["x"] * 40})
SWAPPED = (
    {"a": ["u", "v"] * 40, "t": [*["x", "y"] * 39, None, None]},
    {"a": ["u", "v"] * 40, "t": [*["y", "x"] * 39, "x", "y"]},
)


@pytest.mark.parametrize(
    ("tables", "kept", "published"), [(SUPPRESSED, [True, False] * 40, 0.5), (SWAPPED, True, 0)]
)
def test_what_is_published_is_learned(changes, tables, kept, published):
    """A class that is not published is missed, a swap is learned; records without a target are left out."""
    made = changes(*tables, kept=kept)
    found = model_utility(made, "t", ("a",), models=("decision_tree",), design=SMALL)
    assert found.original_accuracy.tolist() == [[1, 1, 1]]
    assert found.published_accuracy.tolist() == [[published] * 3]


TWO = {"age": [1, 2], "income": ["x", "y"]}
NONE = {"age": [], "income": []}
FOUR = {"age": [1, 2, 3, 4], "income": ["x", "y"] * 2}
THIRTY = {"age": list(range(30)), "income": list(range(30))}


@pytest.mark.parametrize(
    ("before", "after", "kept", "reason"),
    [
        (TWO, None, None, "nobody knows which"),
        ({"age": [1, 2], "income": ["x", "x"]}, None, True, "has 1 values"),
        (THIRTY, None, True, "2 to 20 of them.*has 30 values"),
        (TWO, {"income": ["x", "y"]}, True, "lacks the target or all"),
        (NONE, None, True, "has 0 values"),
        (FOUR, NONE, [False] * 4, "None of the 2 records to learn from"),
        (TWO, None, True, "No value of the target stands in two of the records"),
    ],
)
def test_there_is_a_reason_where_there_is_no_figure(changes, before, after, kept, reason):
    """No alignment, no classes, a quantity, nothing to learn from: a sentence each."""
    with pytest.raises(NotMeasurable, match=reason):
        measure("model_f1", changes(before, after, kept=kept), model="naive_bayes")
    with pytest.raises(NotMeasurable, match="none was given"):
        METRICS["model_f1"].method.measure(View(None), Grouping(qids=("a",), sensitive="t"), {})


def test_it_can_be_stopped_and_tells_how_far_it_is(changes, people):
    """An interrupted view stops the work; progress goes from 0 to all splits."""
    view = View(changes(people))
    view.is_interrupted = True
    metric = METRICS["model_f1"]
    with pytest.raises(KeyboardInterrupt):
        metric.method.measure(view, Grouping(qids=QIDS, sensitive="income"), bind(metric.parameters, {}))
    heard = []

    class Heard:
        def step(self, title, done, total):
            heard.append((title, done, total))

    model_utility(changes(people), "income", QIDS, models=MODELS[2:3], design=SMALL, progress=Heard())
    assert (heard[0], heard[-1]) == (("model utility", 0, 3), ("model utility", 3, 3))


def test_splits_part_every_class():
    """Parts do not overlap, records without a class are in none, and shares hold in every class."""
    labels = np.repeat([0, 1, 2, -1], [60, 30, 1, 9])
    for one in splits(labels, Design(repeats=4, sample=0), 3):
        assert not set(one.train.tolist()) & set(one.test.tolist())
        assert sorted([*one.train.tolist(), *one.test.tolist()]) == list(range(91))
        assert np.bincount(labels[one.test]).tolist() == [18, 9]
    first, second = splits(labels, Design(repeats=2, test_share=0.5, sample=20), 3)
    assert len(first.train) + len(first.test) == 20
    assert first.test.tolist() != second.test.tolist()
    assert [len(one.test) for one in splits(labels, Design(repeats=1, test_share=0.99, sample=0), 0)] == [88]


@pytest.mark.parametrize("wrong", [{"repeats": 0}, {"sample": -1}, {"test_share": 1.0}, {"test_share": 0.0}])
def test_a_design_has_both_parts(wrong):
    """No split, a negative sample or a share of all is an error."""
    with pytest.raises(ValueError, match="both parts"):
        Design(**wrong)


def test_importances_are_measured_when_asked_for(changes, people):
    """Without them there is no shift to tell, and the error says how to get them."""
    found = model_utility(changes(people), "income", QIDS, models=("naive_bayes",), design=SMALL)
    with pytest.raises(ValueError, match="with_importance=True"):
        found.importance_shift("naive_bayes")

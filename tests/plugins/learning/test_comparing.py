"""Several published tables of one original: the same splits, the original learned once, every fault named."""

import time
import warnings
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score

import pages
from qidguard.anonymizing.example import held_example
from qidguard.sdk import NotMeasurable, UserError, k_anonymity_task, rehearse
from qidguard_learning import (
    MODELS,
    LearningDesign,
    compare_models,
    model_table,
    model_utility,
    scoring,
    working,
)
from qidguard_learning.scoring import class_f1

COLUMNS = ("age", "place")
SMALL = LearningDesign(repeats=3, sample=150)


@pytest.fixture(scope="module")
def three(changes, people):
    """Return the people unchanged, with ages in two groups, and without ages."""
    halves = ["[18, 40]" if age <= 40 else "[41, 79]" for age in people["age"]]
    return {
        "same": changes(people),
        "halves": changes(people, {**people, "age": halves}),
        "none": changes(people, {**people, "age": ["*"] * len(halves)}),
    }


def test_the_readme_is_true():
    """Its Python runs as one doctest."""
    readme = Path(__file__).resolve().parents[3] / "plugins" / "learning" / "README.md"
    assert list(pages.python_faults(readme)) == []


@pytest.mark.parametrize("with_importance", [False, True])
def test_each_table_is_tried_as_if_it_were_the_only_one(three, with_importance):
    """Scores of three tables together are those of each alone under the same seed, to the last bit."""
    design = replace(SMALL, with_importance=with_importance)
    models = ("naive_bayes", "decision_tree")
    found = compare_models(three, "income", COLUMNS, models=models, design=design, seed=1)
    assert list(found) == list(three)
    for label, changes in three.items():
        alone = model_utility(changes, "income", COLUMNS, models=models, design=design)
        for field in fields(alone):
            together, own = getattr(found[label], field.name), getattr(alone, field.name)
            assert np.array_equal(together, own), (label, field.name)
    assert found["same"].p_value("decision_tree") == 1
    assert found["none"].f1_change("decision_tree") < found["halves"].f1_change("decision_tree")


def test_from_the_original_is_learned_once_a_split(three, monkeypatch):
    """Three tables and two splits are eight trainings: two by the original, two by each table."""
    made = []
    real = scoring.classifier
    monkeypatch.setattr(scoring, "classifier", lambda *given: made.append(given) or real(*given))
    compare_models(three, "income", COLUMNS, models=("naive_bayes",), design=replace(SMALL, repeats=2))
    assert len(made) == 2 * (1 + len(three))


def test_the_seed_decides(three):
    """One seed gives one answer, another seed another."""
    found = [
        compare_models(three, "income", models=("naive_bayes",), design=SMALL, seed=seed)["halves"]
        for seed in (5, 5, 6)
    ]
    one, again, other = (utility.published_f1.tolist() for utility in found)
    assert (one == again, one == other, found[0].columns) == (True, False, COLUMNS)


def test_f1_of_one_class(three):
    """A positive class is scored by its own F1, as by scikit-learn; 0 where it is neither there nor said."""
    truth, said = np.array([0, 1, 1, 1, 0]), np.array([1, 1, 0, 1, 0])
    assert class_f1(truth, said, 1) == pytest.approx(f1_score(truth, said))
    assert class_f1(truth, said, 7) == 0
    scores = {}
    for positive in (None, "high", "low"):
        design = replace(SMALL, positive=positive)
        found = compare_models(three, "income", models=("decision_tree",), design=design)
        scores[positive] = found["none"].original_f1
    assert scores[None] == pytest.approx((scores["high"] + scores["low"]) / 2)
    assert scores["high"].tolist() != scores["low"].tolist()


def test_what_is_predicted_may_be_the_published_records(changes):
    """Swapped targets are learned: by them all is right, by the original all is wrong."""
    before = {"a": ["u", "v"] * 40, "t": ["x", "y"] * 40}
    swapped = {"k": changes(before, {"a": ["u", "v"] * 40, "t": ["y", "x"] * 40})}
    for tested_on, expected in (("original", 0), ("published", 1)):
        design = LearningDesign(repeats=2, tested_on=tested_on)
        found = compare_models(swapped, "t", models=("decision_tree",), design=design)["k"]
        assert found.published_accuracy.tolist() == [[expected] * 2]
        assert found.original_accuracy.tolist() == [[1, 1]]


def test_a_rehearsal_can_be_learned_from():
    """What an anonymizer makes in memory is compared without a file."""
    done = rehearse(held_example(), "mondrian", k_anonymity_task(2, ["age"]))
    target = next(name for name in held_example().names if name != "age")
    design = LearningDesign(repeats=2, test_share=0.5)
    found = compare_models({"k=2": done.changes}, target, ("age",), models=("naive_bayes",), design=design)
    assert found["k=2"].published_f1.shape == (1, 2)


@pytest.mark.parametrize("model", MODELS)
def test_records_that_look_alike_teach_the_most_frequent_class(changes, model):
    """Where nothing varies every model says it: two in three are right, and no warning escapes."""
    before = {"a": ["u"] * 90, "t": ["x", "y", "y"] * 30}
    design = LearningDesign(repeats=2)
    found = compare_models({"k": changes(before)}, "t", models=(model,), design=design)["k"]
    assert found.original_accuracy.tolist() == [[18 / 27] * 2]


def test_the_table_has_a_row_for_each_model_of_each_table(three):
    """It says how the models were tried, and nothing stands in it that was not measured."""
    models = ("naive_bayes", "decision_tree")
    table = model_table(compare_models(three, "income", models=models, design=SMALL))
    assert [row[:2] for row in table.rows] == [(label, model) for label in three for model in models]
    assert table.rows[0][4:] == (0, 1, 0)
    assert "3 splits of at most 150 records, 30 % predicted as they were; macro F1" in table.note
    with pytest.raises(UserError, match="nothing to show"):
        model_table({})


def test_faults_are_named(three, changes, people):
    """What cannot be compared is said in one sentence that names the table, and no value of it."""
    same = three["same"]
    other = changes({**people, "income": people["income"][::-1]})
    narrow = changes(people, {name: people[name] for name in ("age", "income")})
    unread = changes(people, {**people, "age": ["secret"] * 300})
    nobody = changes(people, {name: [] for name in people}, kept=[False] * 300)
    high = {"design": replace(SMALL, positive="High")}
    for published, given, error, reason in (
        ({}, {}, UserError, "name at least one"),
        (three, {"columns": ("agee",)}, UserError, "'same' has no column 'agee'"),
        (three, {"models": ("tree",)}, UserError, "the models are decision_tree.*'tree' is none"),
        (three, {"models": ()}, UserError, "name at least one model"),
        (three, high, UserError, "must be a value of the target 'income'"),
        ({"a": same, "b": other}, {}, UserError, "'a' and 'b' are of different originals"),
        ({"a": same, "b": narrow}, {}, UserError, "publish different columns"),
        ({"b": unread}, {}, NotMeasurable, "b: 1 of the published values of 'age' cannot be read"),
        ({"b": nobody}, {}, NotMeasurable, "b: None of the 105 records to learn from"),
    ):
        with pytest.raises(error, match=reason) as caught:
            compare_models(published, "income", **{"models": MODELS[:1], "design": SMALL, **given})
        assert "secret" not in str(caught.value)
    with pytest.raises(ValueError, match="'original' or 'published'"):
        LearningDesign(tested_on="both")


@pytest.mark.slow
def test_it_can_be_interrupted(three):
    """Who asks to stop is heard within one training, though hundreds are left."""
    many = replace(SMALL, repeats=1000)
    with pytest.raises(KeyboardInterrupt):
        compare_models(three, "income", design=many, is_interrupted=iter([False, True]).__next__)


class Warns:
    """A model that counts how many fit at once, and warns while there is no filter, as forests leave it."""

    at_once = most = 0

    def fit(self, _values, _labels):
        """Fit for a while."""
        kind = type(self)
        kind.at_once += 1
        kind.most = max(kind.most, kind.at_once)
        with warnings.catch_warnings():
            warnings.resetwarnings()
            warnings.warn("stopped early", ConvergenceWarning, stacklevel=1)
            warnings.warn("something else", UserWarning, stacklevel=1)
            time.sleep(0.02)
        kind.at_once -= 1

    def predict(self, values):
        """Return the first class."""
        return np.zeros(len(values), dtype=np.int64)


def test_forests_fit_one_at_a_time(three, monkeypatch):
    """They empty the filters of warnings, so never two at once; a model that is stopped early is no news."""
    monkeypatch.setattr(working.os, "cpu_count", lambda: 4)
    monkeypatch.setattr(scoring, "classifier", lambda *_: Warns())
    with warnings.catch_warnings(record=True) as caught:
        before, show = list(warnings.filters), warnings.showwarning
        compare_models(three, "income", models=("random_forest",), design=SMALL)
        assert (list(warnings.filters), warnings.showwarning) == (before, show)
    assert Warns.most == 1
    assert {str(one.message) for one in caught} == {"something else"}

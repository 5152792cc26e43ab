"""The plot of model utility."""

import dataclasses

import numpy as np
import pytest

from drawn import elements
from qidguard import NotMeasurable
from qidguard_learning import ModelUtility, model_plot

FOUND = ModelUtility(
    models=("naive_bayes", "decision_tree"),
    columns=("a",),
    original_f1=np.array([[0.5, 0.6, 0.7], [0.8, 0.8, 0.9]]),
    published_f1=np.array([[0.4, 0.5, 0.6], [0.1, 0.2, 0.3]]),
    original_accuracy=np.zeros((2, 3)),
    published_accuracy=np.zeros((2, 3)),
)


def test_boxes_are_quartiles_of_splits():
    """Two boxes a model with numpy's quartiles, and a dot for each split."""
    chart = model_plot(FOUND).vega_lite
    boxes, dots = chart["data"]["values"], chart["layer"][-1]["data"]["values"]
    assert [(box["model"], box["records"]) for box in boxes[:3]] == [
        ("naive Bayes", "original"),
        ("naive Bayes", "published"),
        ("decision tree", "original"),
    ]
    five = [boxes[0][name] for name in ("low", "q1", "median", "q3", "high")]
    assert five == pytest.approx([0.5, 0.55, 0.6, 0.65, 0.7])
    assert len(dots) == 12


@pytest.mark.slow
def test_it_says_what_is_seen_and_can_be_drawn():
    """The alternative tells the medians of both; the drawing is an SVG."""
    plot = model_plot(FOUND)
    assert "naive Bayes 0.600 and 0.500, decision tree 0.800 and 0.200" in plot.alternative
    assert elements(plot.svg()).tag.endswith("svg")


def scored(value, splits):
    """Return the utility with as many splits of one score."""
    scores = np.full((2, splits), value)
    return dataclasses.replace(FOUND, original_f1=scores, published_f1=scores)


def test_many_splits_have_boxes_only():
    """5,000 dots would be no dots; without a split there is nothing to plot."""
    assert len(model_plot(scored(0.5, 1250)).vega_lite["layer"]) == 3
    with pytest.raises(NotMeasurable, match="nothing to plot"):
        model_plot(scored(0.5, 0))

"""What holds for the metrics of the paper: which there are, their sides, headlines and changes."""

import pytest

from qidguard.core.parameter import bind
from qidguard.sdk import ClassValue, Direction, NotMeasurable, UserError
from qidguard_qidlearning.metrics import METRICS
from qidguard_qidlearning.metrics.class_metric import headline, headline_statistics

PRIVACY_MODELS = {
    "k_anonymity_per_class": (Direction.HIGHER_IS_SAFER, "minimum"),
    "l_diversity": (Direction.HIGHER_IS_SAFER, "minimum"),
    "t_closeness_per_class": (Direction.LOWER_IS_SAFER, "maximum"),
    "delta_presence": (Direction.LOWER_IS_SAFER, "maximum"),
    "generalization_ratio": (Direction.LOWER_IS_SAFER, "maximum"),
}
"""Their safe side, and their headline of the classes."""


PER_CLASS = [m for m in METRICS if m.parameters and m.parameters[0].name == "statistic"]


def test_only_privacy_models_have_a_safe_side():
    """A utility or an effect of treatment is no danger of itself; its headline is the weighted mean."""
    telling = dict.fromkeys(["distinction", "own_information", "separation"], Direction.LOWER_IS_SAFER)
    telling["mean_class_size"] = Direction.HIGHER_IS_SAFER
    sides = telling | {name: side for name, (side, _) in PRIVACY_MODELS.items()}
    found = {m.name: m.direction for m in METRICS if not m.change_of and m.direction is not Direction.NEITHER}
    assert found == sides
    headlines = {m.name: PRIVACY_MODELS.get(m.name, ("", "weighted_mean"))[1] for m in PER_CLASS}
    assert {metric.name: metric.parameters[0].default for metric in PER_CLASS} == headlines


def test_an_unknown_statistic_is_refused():
    """A policy learns what it may ask for."""
    with pytest.raises(UserError, match="'minimum' or 'maximum' or 'mean' or 'weighted_mean', not 'median'"):
        bind(PER_CLASS[0].parameters, {"statistic": "median"})


@pytest.mark.parametrize("statistic", ["mean", "weighted_mean"])
def test_no_class_with_a_value(statistic):
    """A weight of 0 is no denominator."""
    value = ClassValue(name="v", sql="count(n)")
    arguments = {"statistic": statistic}
    names = [s.name for s in headline_statistics(value, arguments)]
    with pytest.raises(NotMeasurable, match="no records with a value"):
        headline({**dict.fromkeys(names, 1.0), f"{statistic}_v_weight": 0}, value, arguments)


def test_the_search_knows_what_changes_and_what_depends_on_the_size():
    """The host computes the change of the metric that is named; the penalty is on no side safe."""
    changes = {m.name: (m.change_of, m.minimum, m.maximum) for m in METRICS if m.change_of}
    assert changes == {"delta_distinction": ("distinction", -1, 1), "delta_separation": ("separation", -1, 1)}
    of_size = {m.name: m.direction for m in METRICS if m.is_of_size}
    assert of_size == dict.fromkeys(["attribute_length_penalty", "column_count"], Direction.NEITHER)

"""What holds for the metrics of the paper: which there are, their sides, headlines and changes."""

import pytest
from click.testing import CliRunner

from qidguard.core.parameter import bind
from qidguard.interfaces.commands.plugins import plugins_command
from qidguard.sdk import ClassValue, Direction, NotMeasurable, Role, UserError
from qidguard_qidlearning.metrics import METRICS
from qidguard_qidlearning.metrics.class_metric import headline, headline_statistics
from qidguard_qidlearning.scores import RECOGNITION_SCORES

OF_ALL = (
    "attribute_length_penalty causal_importance delta_distinction delta_separation distinction"
    " k_anonymity_per_class mean_class_size separation"
)
OF_TARGETS = (
    "accuracy completeness_utility distinct_values_utility gini_index group_entropy information_gain"
    " mean_squared_error range_utility"
)
OF_THE_PAPER = {
    None: {*OF_ALL.split()},
    Role.TREATMENT: {"balance_test", "covariate_shift", "propensity_overlap"},
    Role.SENSITIVE: {"delta_presence", "generalization_ratio", "l_diversity", "t_closeness_per_class"},
    Role.TARGET: {*OF_TARGETS.split()},
}
"""The metrics of the paper by the column that they are measured beside."""


PRIVACY_MODELS = {
    "k_anonymity_per_class": (Direction.HIGHER_IS_SAFER, "minimum"),
    "l_diversity": (Direction.HIGHER_IS_SAFER, "minimum"),
    "t_closeness_per_class": (Direction.LOWER_IS_SAFER, "maximum"),
    "delta_presence": (Direction.LOWER_IS_SAFER, "maximum"),
    "generalization_ratio": (Direction.LOWER_IS_SAFER, "maximum"),
}
"""Their safe side, and their headline of the classes."""


def test_every_metric_of_the_paper_is_offered():
    """By its name, beside the column of the ruling."""
    offered = {metric.name: metric.attribute for metric in METRICS}
    for attribute, names in OF_THE_PAPER.items():
        assert {offered[name] for name in names} == {attribute}


def test_only_privacy_models_have_a_safe_side():
    """A utility or an effect of treatment is no danger of itself."""
    sides = {m.name: m.direction for m in METRICS if m.name in set().union(*OF_THE_PAPER.values())}
    identifying = ["distinction", "separation", "delta_distinction", "delta_separation"]
    expected = {name: side for name, (side, _) in PRIVACY_MODELS.items()}
    expected |= dict.fromkeys(identifying, Direction.LOWER_IS_SAFER)
    expected |= {"mean_class_size": Direction.HIGHER_IS_SAFER}
    assert {name: d for name, d in sides.items() if d is not Direction.NEITHER} == expected


def test_plugins_lists_metrics_and_scores():
    """Each stands in the list of the plugin."""
    said = CliRunner().invoke(plugins_command, ["qidlearning"], standalone_mode=False)
    assert said.exception is None
    words = set(said.output.split())
    assert {item.name for item in (*METRICS, *RECOGNITION_SCORES)} <= words


PER_CLASS = [m for m in METRICS if m.parameters and m.parameters[0].name == "statistic"]


def test_default_headline():
    """It is the worst class for a privacy model, the record-weighted mean for a utility."""
    models = {name: statistic for name, (_, statistic) in PRIVACY_MODELS.items()}
    expected = models | dict.fromkeys(OF_THE_PAPER[Role.TARGET], "weighted_mean")
    assert {metric.name: metric.parameters[0].default for metric in PER_CLASS} == expected


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

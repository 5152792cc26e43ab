"""What holds for the metrics of the paper: which there are, their sides, headlines and changes."""

import pytest
from click.testing import CliRunner

from qidguard.core.parameter import bind
from qidguard.interfaces.commands.plugins import plugins_command
from qidguard.sdk import ClassValue, Direction, NotMeasurable, Role, UserError
from qidguard_qidlearning.metrics import METRICS
from qidguard_qidlearning.metrics.attribute_length_penalty import ATTRIBUTE_LENGTH_PENALTY
from qidguard_qidlearning.metrics.change_metric import DELTA_DISTINCTION, DELTA_SEPARATION, change_of
from qidguard_qidlearning.metrics.class_headline import headline, headline_statistics, statistic_parameter
from qidguard_qidlearning.metrics.column_count import COLUMN_COUNT
from qidguard_qidlearning.scores import RECOGNITION_SCORES

OF_THE_PAPER = {
    None: {
        "attribute_length_penalty",
        "causal_importance",
        "delta_distinction",
        "delta_separation",
        "distinction",
        "k_anonymity_per_class",
        "mean_class_size",
        "separation",
    },
    Role.TREATMENT: {"balance_test", "covariate_shift", "propensity_overlap"},
    Role.SENSITIVE: {"delta_presence", "generalization_ratio", "l_diversity", "t_closeness_per_class"},
    Role.TARGET: {
        "accuracy",
        "completeness_utility",
        "distinct_values_utility",
        "gini_index",
        "group_entropy",
        "information_gain",
        "mean_squared_error",
        "range_utility",
    },
}
"""The metrics of the paper by the column that they are measured beside."""

PRIVACY_MODELS = {
    "k_anonymity_per_class": Direction.HIGHER_IS_SAFER,
    "l_diversity": Direction.HIGHER_IS_SAFER,
    "t_closeness_per_class": Direction.LOWER_IS_SAFER,
    "delta_presence": Direction.LOWER_IS_SAFER,
    "generalization_ratio": Direction.LOWER_IS_SAFER,
}


def by_name(metric):
    """Name a case after its metric."""
    return metric.name


def test_every_metric_of_the_paper_is_offered():
    """By its name, beside the column of the ruling."""
    offered = {metric.name: metric.attribute for metric in METRICS}
    for attribute, names in OF_THE_PAPER.items():
        assert {offered[name] for name in names} == {attribute}


def test_only_privacy_models_have_a_safe_side():
    """A utility or an effect of treatment is no danger of itself."""
    sides = {m.name: m.direction for m in METRICS if m.name in set().union(*OF_THE_PAPER.values())}
    identifying = {"distinction", "separation", "delta_distinction", "delta_separation"}
    expected = PRIVACY_MODELS | dict.fromkeys(identifying, Direction.LOWER_IS_SAFER)
    expected |= {"mean_class_size": Direction.HIGHER_IS_SAFER}
    assert {name: d for name, d in sides.items() if d is not Direction.NEITHER} == expected


def test_plugins_lists_metrics_and_scores():
    """Each stands in the list of the plugin."""
    said = CliRunner().invoke(plugins_command, ["qidlearning"], standalone_mode=False)
    assert said.exception is None
    words = set(said.output.split())
    assert {item.name for item in (*METRICS, *RECOGNITION_SCORES)} <= words


NEEDS_NUMBERS = {"mean_squared_error", "range_utility"}
"""Their own tests measure them on random numbers; people here have letters only."""


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    "metric",
    [
        metric
        for metric in METRICS
        if metric.attribute is not Role.TREATMENT
        and not metric.change_of
        and metric.name not in NEEDS_NUMBERS
    ],
    ids=by_name,
)
def test_figures_stay_in_range(metric, measured, on_random_people):
    """Over random records and entities every figure that exists lies in the metric's range."""
    figures = []

    def check(table, beside):
        try:
            figure = measured(metric, table, **beside)
        except NotMeasurable:
            return
        assert metric.minimum - 1e-12 <= figure <= metric.maximum + 1e-12
        figures.append(figure)

    on_random_people(check, metric=metric)
    assert figures


PER_CLASS = [m for m in METRICS if m.parameters and m.parameters[0].name == "statistic"]
HEADLINES = {
    "k_anonymity_per_class": "minimum",
    "l_diversity": "minimum",
    "t_closeness_per_class": "maximum",
    "delta_presence": "maximum",
    "generalization_ratio": "maximum",
    **dict.fromkeys(OF_THE_PAPER[Role.TARGET], "weighted_mean"),
}
"""The twelve metrics of the paper that have a value in every class, and its information gain."""


def test_default_headline():
    """It is the worst class for a privacy model, the record-weighted mean for a utility."""
    assert {metric.name: metric.parameters[0].default for metric in PER_CLASS} == HEADLINES


def test_an_unknown_statistic_is_refused():
    """A policy learns what it may ask for."""
    with pytest.raises(UserError, match="'minimum' or 'maximum' or 'mean' or 'weighted_mean', not 'median'"):
        bind(PER_CLASS[0].parameters, {"statistic": "median"})
    with pytest.raises(ValueError, match="'median'"):
        statistic_parameter("median")


@pytest.mark.parametrize("statistic", ["mean", "weighted_mean"])
def test_no_class_with_a_value(statistic):
    """A weight of 0 is no denominator."""
    value = ClassValue(name="v", sql="count(n)")
    arguments = {"statistic": statistic}
    names = [s.name for s in headline_statistics(value, arguments)]
    with pytest.raises(NotMeasurable, match="no records with a value"):
        headline({**dict.fromkeys(names, 1.0), f"{statistic}_v_weight": 0}, value, arguments)


@pytest.mark.parametrize(
    ("metric", "base"), [(DELTA_DISTINCTION, "distinction"), (DELTA_SEPARATION, "separation")]
)
def test_the_search_knows_what_changes(metric, base):
    """The host computes the change itself, from the metric that is named."""
    assert metric.change_of == base
    assert (metric.minimum, metric.maximum) == (-1, 1)


def test_a_change_of_a_change_is_not_made():
    """Only a figure of a table changes."""
    with pytest.raises(ValueError, match="a change already"):
        change_of(DELTA_DISTINCTION)


def test_a_search_may_bound_them_by_size():
    """They depend on the size only, and say so; the penalty is on no side safe."""
    assert ATTRIBUTE_LENGTH_PENALTY.is_of_size
    assert COLUMN_COUNT.is_of_size
    assert ATTRIBUTE_LENGTH_PENALTY.direction is Direction.NEITHER

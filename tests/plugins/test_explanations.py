"""What holds for every metric of the plugin: words, unit, range and direction."""

import math

import pytest
from click.testing import CliRunner

from qidguard.core.parameter import bind
from qidguard.interfaces.commands.explain import explain_command
from qidguard.sdk import NotMeasurable, Unit
from qidguard_standard.metrics import METRICS
from qidguard_standard.models import MODEL_METRICS
from qidguard_standard.over_time import OVER_TIME_METRICS
from qidguard_standard.plugin import qidguard_metrics
from qidguard_standard.utility import UTILITY_METRICS

EVERY = (*METRICS, *OVER_TIME_METRICS)
REQUIRED = {"persons_isolated_over_releases": {"k": 2}, "share_isolated_over_releases": {"k": 2}}
"""The metrics that need an argument, for no source sets one."""


def by_name(metric):
    """Name a case after its metric."""
    return metric.name


def test_metrics_stand_by_name():
    """No name occurs twice, and the tuples are in their order."""
    for metrics in (METRICS, OVER_TIME_METRICS):
        names = [metric.name for metric in metrics]
        assert names == sorted(set(names))
    assert len({metric.name for metric in EVERY}) == len(EVERY)
    of_losses = {*UTILITY_METRICS, *MODEL_METRICS}
    assert {*EVERY, *of_losses} == set(qidguard_metrics())
    assert of_losses == {metric for metric in qidguard_metrics() if metric.needs_original}


def test_metrics_over_releases_are_those_that_need_a_history():
    """Each of them is told by the flag, and no other carries it."""
    assert {m.name for m in EVERY if m.needs_history} == {m.name for m in OVER_TIME_METRICS}


@pytest.mark.parametrize("metric", EVERY, ids=by_name)
def test_every_field_is_filled(metric):
    """Each explanation says what the figure is, where it comes from and what the edges give."""
    words = metric.explanation
    assert len(words.meaning.split()) >= 10
    assert words.formula.strip()
    assert any(year.isdigit() and len(year) == 4 for year in words.source.replace(",", " ").split())
    for field in (words.good_value, words.missing, words.empty, words.single_class):
        assert field.strip()
        assert "  " not in field
    assert "NULL" in words.missing


@pytest.mark.parametrize("metric", EVERY, ids=by_name)
def test_unit_and_range_are_legal(metric):
    """A share lies in 0..1, and every range starts at a finite number that is not negative."""
    assert metric.unit in Unit
    assert 0 <= metric.minimum < metric.maximum
    assert math.isfinite(metric.minimum)
    if metric.unit is Unit.SHARE:
        assert (metric.minimum, metric.maximum) == (0, 1)


@pytest.mark.parametrize("metric", EVERY, ids=by_name)
def test_parameters_are_explained_and_have_defaults(metric):
    """Every metric but two can be measured without a parameter, and says what each parameter means."""
    given = REQUIRED.get(metric.name, {})
    assert set(bind(metric.parameters, given)) == {parameter.name for parameter in metric.parameters}
    assert {p.name for p in metric.parameters if p.default is None} == set(given)
    assert all(parameter.meaning for parameter in metric.parameters)


@pytest.mark.parametrize("metric", OVER_TIME_METRICS, ids=by_name)
def test_an_audit_outside_a_release_has_no_history(metric, people, measured):
    """Nobody gave the table earlier releases, not even none: there is no figure, and the remedy is said."""
    with pytest.raises(NotMeasurable, match="this audit has none to look at; run qidguard release"):
        measured(metric, people("absw", "xup1"), **REQUIRED.get(metric.name, {}))


@pytest.mark.parametrize("metric", EVERY, ids=by_name)
def test_explain_says_what_is_measured_against_earlier_releases(metric):
    """The words stand beside the metrics that need a history, and beside no other."""
    said = CliRunner().invoke(explain_command, [metric.name], standalone_mode=False)
    assert said.exception is None
    assert ("measured against earlier releases" in said.output) == metric.needs_history

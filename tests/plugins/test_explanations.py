"""What holds for every metric of the plugin: words, unit, range and direction."""

import math

import pytest

from qidguard import NotMeasurable, Unit
from qidguard.core.parameter import bind
from qidguard_standard.metrics import METRICS


def by_name(metric):
    """Name a case after its metric."""
    return metric.name


def test_metrics_stand_by_name():
    """No name occurs twice, and the tuple is in their order."""
    names = [metric.name for metric in METRICS]
    assert names == sorted(set(names))


@pytest.mark.parametrize("metric", METRICS, ids=by_name)
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


@pytest.mark.parametrize("metric", METRICS, ids=by_name)
def test_unit_and_range_are_legal(metric):
    """A share lies in 0..1, and every range starts at a finite number that is not negative."""
    assert metric.unit in Unit
    assert 0 <= metric.minimum < metric.maximum
    assert math.isfinite(metric.minimum)
    if metric.unit is Unit.SHARE:
        assert (metric.minimum, metric.maximum) == (0, 1)


@pytest.mark.parametrize("metric", METRICS, ids=by_name)
def test_parameters_are_explained_and_have_defaults(metric):
    """Every metric can be measured without a parameter, and says what each parameter means."""
    assert set(bind(metric.parameters, {})) == {parameter.name for parameter in metric.parameters}
    assert all(parameter.meaning for parameter in metric.parameters)


@pytest.mark.parametrize("metric", METRICS, ids=by_name)
def test_figures_stay_in_range(metric, measured, on_random_people):
    """Over random records and entities every figure that exists lies in the metric's range."""
    figures = []

    def check(table, population):
        try:
            figure = measured(metric, table, population=population)
        except NotMeasurable:
            return
        assert metric.minimum <= figure <= metric.maximum
        figures.append(figure)

    on_random_people(check, entities=True, with_population=metric.needs_population)
    assert figures

"""What holds for every metric of every plugin: words, unit, range and parameters."""

import math
import re

import pytest
from click.testing import CliRunner

from measured_people import measured
from people import from_line
from qidguard.core.parameter import bind
from qidguard.interfaces.commands.explain import explain_command
from qidguard.sdk import Direction, NotMeasurable, Role, TableFunction, Unit
from qidguard_learning import MODELS
from qidguard_qidlearning.metrics import METRICS as QIDLEARNING_METRICS
from qidguard_qidlearning.plugin import qidguard_metrics as of_qidlearning
from qidguard_standard.metrics import METRICS
from qidguard_standard.models import MODEL_METRICS
from qidguard_standard.over_time import OVER_TIME_METRICS
from qidguard_standard.plugin import qidguard_metrics as of_standard
from qidguard_standard.utility import UTILITY_METRICS

EVERY = (*METRICS, *OVER_TIME_METRICS, *UTILITY_METRICS, *MODEL_METRICS, *QIDLEARNING_METRICS)
REQUIRED = {"persons_isolated_over_releases": {"k": 2}, "share_isolated_over_releases": {"k": 2}}
"""The metrics that need an argument, for no source sets one."""
DIFFERENCES = {"model_effect_size", "model_f1_change"}
"""The metrics that say from what to what a model went, and may be negative."""
BESIDE = {Role.TARGET: "roles.target", Role.TREATMENT: "roles.treatment", Role.SENSITIVE: "each sensitive"}
"""What is said of the column that a metric is measured beside."""


def by_name(metric):
    """Name a case after its metric."""
    return metric.name


def test_metrics_stand_by_name():
    """No name occurs twice, the tuples are in their order, and the plugins offer them all."""
    for metrics in (METRICS, OVER_TIME_METRICS, UTILITY_METRICS, MODEL_METRICS, QIDLEARNING_METRICS):
        names = [metric.name for metric in metrics]
        assert names == sorted(set(names))
    assert len({metric.name for metric in EVERY}) == len(EVERY)
    assert {*of_standard(), *of_qidlearning()} == {*EVERY}


def test_flags_are_of_their_kind():
    """Metrics over releases are those that need a history, losses those that need the original."""
    assert {m for m in EVERY if m.needs_history} == {*OVER_TIME_METRICS}
    assert {m for m in EVERY if m.needs_original} == {*UTILITY_METRICS, *MODEL_METRICS}


@pytest.mark.parametrize("metric", EVERY, ids=by_name)
def test_every_metric_says_what_it_is(metric):
    """Words for what it is, where from and what the edges give; unit, range and parameters are legal."""
    words = metric.explanation
    texts = [metric.title, *(getattr(words, field) for field in words.__dataclass_fields__)]
    assert [text for text in texts if text.strip() != text or not text or "  " in text] == []
    assert len(words.meaning.split()) >= 10
    assert re.search(r"\b\d{4}\b", words.source)
    assert "NULL" in words.missing
    # a share lies in 0..1, every range starts at a finite number, and only a change is ever negative
    assert math.isfinite(metric.minimum)
    assert metric.minimum < metric.maximum
    assert (metric.minimum < 0) == (bool(metric.change_of) or metric.name in DIFFERENCES)
    assert metric.unit is not Unit.SHARE or (metric.minimum, metric.maximum) == (0, 1)
    # every metric but two can be measured without a parameter, and says what each parameter means
    given = REQUIRED.get(metric.name, {})
    assert set(bind(metric.parameters, given)) == {parameter.name for parameter in metric.parameters}
    assert {p.name for p in metric.parameters if p.default is None} == set(given)
    assert all(parameter.meaning for parameter in metric.parameters)


@pytest.mark.parametrize("metric", [*METRICS, *OVER_TIME_METRICS, *QIDLEARNING_METRICS], ids=by_name)
def test_explain_says_it(metric):
    """``qidguard explain`` says the title, the column beside it, and whether earlier releases are read."""
    said = CliRunner().invoke(explain_command, [metric.name], standalone_mode=False)
    assert said.exception is None
    assert metric.title in said.output
    assert BESIDE.get(metric.attribute, "") in " ".join(said.output.split())
    assert ("measured against earlier releases" in said.output) == metric.needs_history


@pytest.mark.parametrize("metric", OVER_TIME_METRICS, ids=by_name)
def test_an_audit_outside_a_release_has_no_history(metric):
    """Nobody gave the table earlier releases, not even none: there is no figure, and the remedy is said."""
    with pytest.raises(NotMeasurable, match="this audit has none to look at; run qidguard release"):
        measured(metric, from_line("absw xup1"), **REQUIRED.get(metric.name, {}))


def test_a_loss_is_no_safety():
    """It is measured of the table itself; one of a model by the target, which is known wholly at best."""
    for metric in (*UTILITY_METRICS, *MODEL_METRICS):
        assert (metric.direction, type(metric.method)) == (Direction.NEITHER, TableFunction)
    for metric in MODEL_METRICS:
        models = [parameter.choices for parameter in metric.parameters if parameter.name == "model"]
        assert (metric.attribute, metric.maximum, models) == (Role.TARGET, 1, [MODELS])

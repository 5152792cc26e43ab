"""Which losses a trial measures: those that cost little, those that are named, all, or none."""

import pandas as pd
import pytest

import qidguard
from qidguard.core.errors import UserError
from qidguard.host import load_host
from qidguard.trials.measuring import Losses, is_of_models
from qidguard_comparison import compare
from releases import at_least, once

TABLE = pd.DataFrame({"age": [30, 31, 30, 41], "sex": ["f", "f", "f", "m"]})
POLICY = once(roles={"quasi_identifiers": ["age", "sex"]}, thresholds=at_least(k_anonymity=2))
HOST = load_host()


def measured(**asked):
    """Return the names of the losses of a trial."""
    with qidguard.anonymize(TABLE, POLICY, anonymizer="mondrian", seed=0, host=HOST, **asked) as tried:
        return [one.metric for one in tried.utility]


@pytest.mark.slow
def test_none_are_measured_where_none_are_asked_for():
    """What is left is the verdict and the receipt; a comparison ranks by the risk then."""
    assert measured(losses=()) == []
    best = compare(TABLE, POLICY, anonymizers="mondrian", seed=0, losses=(), host=HOST).best
    assert (best.label, best.utility, "ncp" in best.figures) == ("mondrian", (), False)


@pytest.mark.slow
def test_named_ones_alone():
    """In their metrics' order, each once."""
    assert measured(losses=["ncp", "gcp", "ncp"]) == ["gcp", "ncp"]


def test_those_that_cost_much_are_left_out_unless_asked_for():
    """A model that tells published records from original ones takes many times as long as all others."""
    costly = {name for name, metric in HOST.metrics.items() if metric.is_costly and not is_of_models(metric)}
    assert "propensity_score_mse" in costly
    cheap, everything = Losses().of(HOST), Losses.asked(["all"], HOST).of(HOST)
    assert set(everything) - set(cheap) == costly
    assert not any(is_of_models(HOST.metrics[name]) for name in everything)
    assert set(Losses(names=(), has_models=True).of(HOST)) == {
        name for name, metric in HOST.metrics.items() if metric.needs_original and is_of_models(metric)
    }


def test_a_name_that_is_no_loss_is_an_error_before_any_work():
    """The error lists what there is."""
    with pytest.raises(UserError, match=r"no metric of loss named 'k_anonymity'; name some of .*gcp"):
        measured(losses=["k_anonymity"])
    with pytest.raises(UserError, match="no metric of loss named 'ncpp'"):
        compare(TABLE, POLICY, anonymizers="mondrian", losses=["ncpp"], host=HOST)

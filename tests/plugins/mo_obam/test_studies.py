"""Grids and tuning: heat maps, the front and its knee, and what is refused."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import qidguard
from qidguard.sdk import Anonymized, NotMeasurable, Parameter, Recoded, UserError, hookimpl
from qidguard_mo_obam.evaluation import studies
from qidguard_mo_obam.evaluation.evaluation import dominates

STAND_IN = "clusters_by_age"


class ClustersByAge:
    """A stand-in: n_c clusters of neighbors by age, k persons in each at least."""

    name = STAND_IN
    title = "neighbors by age"
    parameters = (
        Parameter(name="k", type=int, default=2, meaning="smallest class"),
        Parameter(name="n_c", type=int, default=2, meaning="clusters"),
        Parameter(name="lambda", type=float, default=0.1, meaning="weight"),
    )

    def anonymize(self, records, arguments, task):
        """Cut the records in the order of age."""
        if arguments["n_c"] * arguments["k"] > records.records:
            raise NotMeasurable("there are too few persons for so many clusters")
        age = records.column("age")
        numbers = age.numbers[age.codes]
        order = np.argsort(numbers, kind="stable")
        codes = np.empty(records.records, dtype=np.int64)
        codes[order] = np.arange(records.records) * arguments["n_c"] // records.records
        values = tuple(round(float(numbers[codes == one].mean())) for one in range(arguments["n_c"]))
        kept = np.ones(records.records, dtype=np.bool_)
        return Anonymized(kept=kept, columns={"age": Recoded(codes=codes, values=values)})


class Plugin:
    """A plugin that offers it."""

    @hookimpl
    def qidguard_anonymizers(self):
        """Return it."""
        return [ClustersByAge()]


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    """Install the stand-in for a test, and let studies take it."""
    monkeypatch.setattr(studies, "MO_OBAM", STAND_IN)
    qidguard.register(Plugin(), name=STAND_IN)
    yield
    qidguard.unregister(STAND_IN)


@pytest.fixture(scope="module")
def people():
    """Return 60 people of 30 ages, whose illness goes with their age."""
    ages = [20 + n * 7 % 30 for n in range(60)]
    return pd.DataFrame(
        {
            "age": ages,
            "illness": ["flu" if age < 30 else ("asthma", "measles")[n % 2] for n, age in enumerate(ages)],
            "flew": ["yes" if age % 3 else "no" for age in ages],
        }
    )


def grid(people, **asked):
    """Weigh the stand-in."""
    asked = {"k": [2], "n_c": [1, 2, 3, 6], "weights": [0.1], **asked}
    return studies.weigh_grid(people, ["age"], ["illness"], "flew", **asked)


def test_more_clusters_lose_less_and_protect_fewer(people):
    """One cluster protects everyone and loses everything but rounding; each setting is where it was asked."""
    found = grid(people)
    figures = [one.trial.figures for one in found.weighed]
    assert ([one.setting.n_c for one in found.weighed], found.is_interrupted) == ([1, 2, 3, 6], False)
    assert all(more.information_loss > less.information_loss for more, less in pairwise(figures))
    assert figures[0].information_loss == pytest.approx(1, abs=0.01)
    assert (figures[0].at_risk[0], figures[-1].at_risk[0]) == (0, 60)


def test_the_front_holds_what_nothing_beats(people):
    """Brute force over all pairs of settings names the same; the knee is one of them."""
    found = grid(people, n_c=[1, 2, 3, 4, 5, 6, 8, 10], weights=[0.1, 1.0])
    weighed = found.weighed
    beaten = [one for one in weighed if any(dominates(other.costs, one.costs) for other in weighed)]
    assert {one.costs for one in found.front} == {one.costs for one in weighed if one not in beaten}
    assert found.knee in found.front
    assert len({one.costs for one in found.front}) == len(found.front)


def test_f1_is_a_fourth_objective(people):
    """With models each setting has a mean F1, which stands in the tables and in a third panel."""
    found = grid(people, models=("decision_tree",), splits=2)
    assert all(0 <= one.f1 <= 1 and len(one.costs) == 4 for one in found.weighed)
    assert "F1" in found.tables()[0].columns
    assert len(found.plots()["front"].vega_lite["concat"]) == 3


def test_what_cannot_be_done_is_told(people):
    """Too many clusters have a reason and no figures; where nothing can be done there is no front."""
    found = grid(people, n_c=[2, 50])
    assert [one.costs is None for one in found.weighed] == [False, True]
    assert "too few persons" in found.headline
    nothing = grid(people, n_c=[50])
    assert (nothing.front, nothing.knee) == ((), None)
    with pytest.raises(NotMeasurable, match="nothing to plot"):
        nothing.plots()


def test_plots_are_the_papers_heat_maps_and_the_front(people, tmp_path):
    """Three maps of n_C by λ for each k, and they can be drawn."""
    found = grid(people, weights=[1.0, 0.01], k=[2, 3])
    plots = found.plots()
    assert list(plots) == ["heat_maps_k_2", "heat_maps_k_3", "front"]
    maps = plots["heat_maps_k_2"].vega_lite
    assert len(maps["vconcat"]) == 3
    assert len(maps["data"]["values"]) == 8
    for name, plot in plots.items():
        assert plot.save(tmp_path / f"{name}.svg").stat().st_size > 1000


def test_studies_stop_where_they_are_asked_to(people):
    """What was weighed is kept, with a front of its own, and the headline says how far it came."""
    left = iter([False, False, True])
    found = grid(people, is_stopped=lambda: next(left))
    assert (len(found.weighed), found.is_interrupted, bool(found.front)) == (2, True, True)
    assert "after 2 of 4 settings" in found.headline
    left = iter([False] * 5 + [True])
    found = tuned(people, is_stopped=lambda: next(left))
    assert found.is_interrupted
    assert 1 <= len(found.weighed) <= 5


def tuned(people, **asked):
    """Tune the stand-in."""
    asked = {"k": (2, 4), "n_c": (1, 12), "trials": 40, **asked}
    return studies.tune(people, ["age"], ["illness"], "flew", **asked)


@pytest.mark.slow
def test_tuning_finds_the_ends_of_the_front_and_repeats_itself(people):
    """One seed gives the same settings again; no setting is tried twice, and all lie in their ranges."""
    found = tuned(people)
    settings = [one.setting for one in found.weighed]
    assert settings == [one.setting for one in tuned(people).weighed]
    assert len(set(settings)) == len(settings) <= 40
    assert all(2 <= one.k <= 4 and 1 <= one.n_c <= 12 and 1e-4 <= one.weight <= 1 for one in settings)
    assert not found.is_interrupted
    assert found.knee in found.front


def test_a_weight_that_is_given_twice_is_not_searched(people):
    """Only n_C and k are; λ may be 0 then."""
    found = tuned(people, weights=(0.0, 0.0), trials=10)
    assert {one.setting.weight for one in found.weighed} == {0.0}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"k": (4, 2)}, "the range of k goes from the least"),
        ({"k": (1, 2)}, "k must be at least 2"),
        ({"trials": 0}, "at least 1 trial"),
    ],
)
def test_ranges_that_are_none(people, asked, words):
    """A wrong range is said in one sentence."""
    with pytest.raises(UserError, match=words):
        tuned(people, **asked)


def test_without_optuna_it_says_what_to_install(people, monkeypatch):
    """The grid needs no more than the plugin."""
    monkeypatch.setattr("qidguard_mo_obam.evaluation.studies.find_spec", lambda _: None)
    with pytest.raises(UserError, match="needs Optuna"):
        tuned(people)

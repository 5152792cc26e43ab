"""Tests of what the selector keeps."""

import math
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import qidguard
from qidguard_qidlearning.generators import labeled_table
from qidguard_qidlearning.selector import QidSelector

DISTINCT = {"distinction": 1.0}


@pytest.fixture(scope="module")
def made():
    """Return a labeled table of 1,500 records."""
    return labeled_table(1_500, seed=2)


@pytest.fixture
def small():
    """Return a table in which age and ward together tell four records apart."""
    return pd.DataFrame(
        {"age": [30, 30, 41, 52, 41], "ward": list("ababb"), "site": 1, "flag": [None, "x", None, "x", "x"]}
    )


@pytest.mark.slow
def test_it_selects_what_discover_finds(made):
    """The same search by ``qidguard.discover`` keeps the same columns, the true ones but one."""
    frame = made.frame[list(made.candidates)]
    selector = QidSelector(seed=3).fit(frame)
    found = qidguard.discover(frame, seed=3)
    assert tuple(selector.quasi_identifiers_) == tuple(n for n in frame if n in found.quasi_identifiers)
    best = found.search.best.own_fitness, dict(found.left_out), found.search.is_optimum
    assert (selector.fitness_, selector.left_out_, selector.is_optimum_) == best
    kept, truth = set(selector.quasi_identifiers_), set(made.quasi_identifiers)
    assert (len(kept & truth) >= 5, len(kept - truth) <= 1) == (True, True)


def test_every_parameter_reaches_the_search(small, monkeypatch):
    """What the selector is told, the search is told; a smaller choice gives a smaller set."""
    one = QidSelector(objective=DISTINCT, largest=1, strategy="greedy").fit(small)
    two = QidSelector(objective=DISTINCT, candidates=["ward", "flag"]).fit(small)
    # ward determines flag, and of equals the smaller set comes first
    assert (one.quasi_identifiers_.tolist(), two.quasi_identifiers_.tolist()) == (["age"], ["ward"])
    heard = {}

    def listen(frame, **told):
        heard.update(told)
        return qidguard.discover(frame, objective=DISTINCT)

    monkeypatch.setattr(sys.modules[QidSelector.__module__], "discover", listen)
    search = {"strategy": "greedy", "objective": "linear", "parameters": {"a": 1}, "largest": 2, "seed": 5}
    told = search | {"candidates": ["age", "ward"], "budget_seconds": 3.5, "threads": 1}
    QidSelector(**told).fit(small)
    assert heard == told


@pytest.mark.slow
def test_inverse_keeps_everything_else(small):
    """What one keeps the other drops: also columns that were no candidates."""
    plain, inverse = (QidSelector(objective=DISTINCT, inverse=i).fit(small) for i in (False, True))
    assert plain.get_feature_names_out().tolist() == ["age", "ward"]
    assert inverse.get_feature_names_out().tolist() == ["site", "flag"]
    assert plain.quasi_identifiers_.tolist() == inverse.quasi_identifiers_.tolist() == ["age", "ward"]
    assert plain.left_out_ == {"site": "it has one value only"}


def test_pandas_polars_and_arrays_select_the_same_places(small):
    """A table with names and an array without give the same support."""
    numbers = small.assign(ward=[0, 1, 0, 1, 1], flag=[0, 1, 0, 1, 1])
    expected = [True, True, False, False]
    for features in (numbers, pl.from_pandas(numbers), numbers.to_numpy(), numbers.to_numpy().tolist()):
        assert QidSelector(objective=DISTINCT).fit(features).get_support().tolist() == expected
    array = QidSelector(objective=DISTINCT).fit(numbers.to_numpy())
    assert not hasattr(array, "feature_names_in_")
    assert array.get_feature_names_out().tolist() == ["x0", "x1"]


def test_missing_values_are_values(small):
    """A column that is missing or x tells records apart."""
    selector = QidSelector(objective=DISTINCT, candidates=["flag"]).fit(small)
    assert selector.quasi_identifiers_.tolist() == ["flag"]
    holes = np.array([[np.nan, 1.0], [2.0, 1.0], [np.nan, 1.0]])
    assert QidSelector(objective=DISTINCT).fit(holes).get_support().tolist() == [True, False]


def test_where_nothing_varies_nothing_is_selected():
    """Constant columns are no quasi-identifiers; the inverse keeps them all."""
    selector = QidSelector(inverse=True).fit(pd.DataFrame({"a": [1, 1], "b": ["x", "x"]}))
    assert (selector.get_support().tolist(), selector.quasi_identifiers_.tolist()) == ([True, True], [])
    assert (math.isnan(selector.fitness_), sorted(selector.left_out_)) == (True, ["a", "b"])


def test_hostile_and_odd_names_are_columns_like_any_other():
    """Quotes, cases and tags in names change nothing; names that are no texts are numbered."""
    values = np.array([[1, 1, 1], [1, 2, 1], [2, 1, 1], [2, 2, 1]])
    names = ['a"; DROP TABLE t; --', 'A"; DROP TABLE t; --', "</script>"]
    selector = QidSelector(objective=DISTINCT).fit(pd.DataFrame(values, columns=names))
    assert selector.get_feature_names_out().tolist() == names[:2]
    numbered = QidSelector(objective=DISTINCT).fit(pd.DataFrame(values, columns=[7, 8, 9]))
    assert numbered.quasi_identifiers_.tolist() == ["x0", "x1"]


@pytest.mark.parametrize(
    ("records", "parameters", "said"),
    [
        (5, {"candidates": ["nowhere"]}, "'nowhere' is none"),
        (5, {"strategy": "nonsense"}, "nonsense"),
        (5, {"objective": {"nonsense": 1.0}}, "nonsense"),
        (5, {"budget_seconds": -1.0}, "above 0"),
        (5, {"parameters": {"nonsense": 1}, "strategy": "greedy"}, "nonsense"),
        # one record alone is told from nobody
        (0, {}, "n_samples = 0"),
        (1, {}, "n_samples = 1"),
    ],
)
def test_wrong_parameters_are_value_errors_that_name_them(small, records, parameters, said):
    """scikit-learn's users expect a ValueError; its sentence is the host's."""
    with pytest.raises(ValueError, match=said):
        QidSelector(**{"objective": DISTINCT, **parameters}).fit(small[:records])


@pytest.mark.samples(2)
@parametrize_with_checks([QidSelector()])
def test_the_selector_is_a_scikit_learn_estimator(estimator, check):
    """Each of scikit-learn's checks passes; none is expected to fail."""
    check(estimator)


# where every column is a quasi-identifier, the inverse keeps none, and scikit-learn says so
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@pytest.mark.slow
@parametrize_with_checks([QidSelector(inverse=True)])
def test_so_is_the_inverse(estimator, check):
    """What keeps all other columns passes them, too."""
    check(estimator)

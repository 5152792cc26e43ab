"""Tests of metric selection: which metrics say the same, and which are recommended."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr

import qidguard
from examples import examples
from qidguard import NotMeasurable, UserError
from qidguard_qidlearning.generators import synthetic_table
from qidguard_qidlearning.metrics import METRICS
from qidguard_qidlearning.selection import select_metrics
from qidguard_qidlearning.selection.correlation import correlations, groups, is_constant
from qidguard_qidlearning.selection.recommendation import DOMAINS, MetricDomain, recommend
from qidguard_qidlearning.selection.select_metrics import subsets
from quick import mostly_slow

QUICK = ("distinction", "separation", "mean_class_size", "gini_index", "range_utility", "information_gain")


@pytest.fixture(scope="module")
def made():
    """Return the paper's synthetic table, with 2,000 records."""
    return synthetic_table(2_000, seed=0)


@pytest.fixture(scope="module")
def found(made):
    """Return the quick metrics' selection on it."""
    return select_metrics(made.frame, QUICK, made.attributes, target=made.target)


def by_pandas(frame, columns, target):
    """Return four metrics of one subset by group-by alone."""
    sizes = frame.groupby(list(columns)).size()
    spread = frame.groupby(list(columns))[target].agg(lambda v: v.max() - v.min())
    records = len(frame)
    separation = 1 - (sizes * (sizes - 1)).sum() / (records * (records - 1))
    return (len(sizes) / records, separation, records / len(sizes), (spread * sizes).sum() / records)


@pytest.fixture(scope="module")
def counted(made):
    """Return the four metrics of all subsets of 4 columns, by pandas alone."""
    some, every = subsets(made.attributes, 4, most=100, seed=0)
    assert every == 70
    return np.array([by_pandas(made.frame, one, made.target) for one in some])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "oracle"), mostly_slow([("spearman", spearmanr), ("pearson", pearsonr)], quick=1)
)
def test_correlations_are_those_of_figures_counted_by_hand(made, counted, method, oracle):
    """Figures by pandas over all 70 subsets of 4 columns, correlated by scipy, give the same."""
    names = ("distinction", "separation", "mean_class_size", "range_utility")
    selection = select_metrics(made.frame, names, made.attributes, target=made.target, method=method)
    assert (selection.subsets, selection.every_subset) == (70, 70)
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            expected = oracle(counted[:, i], counted[:, j]).statistic
            assert selection.correlation(one, other) == pytest.approx(expected, abs=1e-9)


def test_correlations_have_the_papers_signs(found):
    """Where Figure 1 prints a strong correlation, ours has its sign and is strong too."""
    printed = {
        ("mean_class_size", "separation"): -1,
        ("mean_class_size", "distinction"): -1,
        ("distinction", "separation"): 1,
        ("gini_index", "range_utility"): 1,
        ("gini_index", "information_gain"): -1,
        ("range_utility", "information_gain"): -1,
    }
    ours = {pair: found.correlation(*pair) for pair in printed}
    assert {pair: int(np.sign(r)) * (abs(r) > 0.7) for pair, r in ours.items()} == printed


def test_every_two_metrics_of_a_group_are_alike_and_one_of_each_is_recommended(found):
    """Groups part the metrics; within one, |r| is at least the threshold; each domain and group has a say."""
    assert sorted(name for group in found.groups for name in group) == sorted(QUICK)
    for group in found.groups:
        assert all(abs(found.correlation(a, b)) >= 0.9 - 1e-9 for a in group for b in group)
        assert set(group) & set(found.recommended)
    # utility and QID-specific metrics say the same here, and yet one of each is recommended and says so
    assert {DOMAINS[name] for name in found.recommended} == {MetricDomain.UTILITY, MetricDomain.QID_SPECIFIC}
    said = [found.reasons[name] for name in found.recommended]
    assert [why for why in said if "which had no metric, though it repeats" in why]


def test_metrics_that_say_nothing_are_told_from_those_left_out(made):
    """A figure of the size is the same on every subset; a change needs a search; a role may be missing."""
    asked = ["distinction", "column_count", "attribute_length_penalty", "delta_distinction", "l_diversity"]
    selection = select_metrics(made.frame, asked, made.attributes[:5], size=2)
    assert selection.metrics == ("distinction",)
    assert set(selection.silent) == {"column_count", "attribute_length_penalty"}
    assert set(selection.left_out) == {"delta_distinction", "l_diversity"}
    assert selection.reasons["column_count"] == "says nothing here: it is 2 on every subset."
    assert "within a search" in selection.reasons["delta_distinction"]
    assert "beside a sensitive column" in selection.reasons["l_diversity"]
    table = selection.table()
    assert sorted(table["metric"]) == sorted(asked)
    assert table["group"].isna().tolist() == [False, True, True, True, True]
    assert table.loc[table["is_recommended"], "metric"].tolist() == ["distinction"]


@pytest.mark.slow
def test_all_metrics_are_asked_for_by_default_and_each_has_a_reason():
    """Without names, every metric of the plugin is measured or says why not."""
    made = synthetic_table(120, 7)
    roles = {"sensitive": made.sensitive, "target": made.target, "treatment": made.treatment}
    selection = select_metrics(made.frame, size=2, **roles)
    names = {metric.name for metric in METRICS}
    assert set(selection.reasons) == names
    assert {*selection.metrics, *selection.silent, *selection.left_out} == names
    assert set(selection.left_out) == {metric.name for metric in METRICS if metric.change_of}
    assert selection.columns == made.attributes


def test_an_opened_table_serves(made, found):
    """A table that an audit holds gives what the frame gives."""
    with qidguard.audit(made.frame) as audit:
        again = select_metrics(audit.table, QUICK, made.attributes, target=made.target)
    assert (again.groups, again.recommended) == (found.groups, found.recommended)
    assert (again.correlations == found.correlations).all()


def test_the_heat_map_shows_like_beside_like_and_holds_no_value_of_the_table(found):
    """The heat map names the metrics in the order of the groups, and its data are correlations."""
    plot = found.heat_map()
    cells = plot.vega_lite["data"]["values"]
    assert [cell["a"] for cell in cells if cell["column"] == 0] == list(found.metrics)
    assert found.metrics == tuple(name for group in found.groups for name in group)
    assert "Recommended are" in plot.alternative
    drawn = {(cell["a"], cell["b"]): cell["r"] for cell in cells}
    assert drawn[("gini_index", "separation")] == found.correlation("gini_index", "separation")


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"metrics": ["nonsense"]}, "no metric 'nonsense'"),
        ({"columns": ["number_1", "nowhere"]}, "no column 'nowhere'"),
        ({"columns": ["number_1", "number_1"]}, "named twice"),
        ({"columns": ["number_1", "target"], "target": "target"}, "'target' is measured beside them"),
        ({"size": 0}, "has 1 to 11 of them, not 0"),
        ({"size": 12}, "has 1 to 11 of them, not 12"),
        ({"method": "kendall"}, "spearman or pearson, not 'kendall'"),
        ({"threshold": 1.5}, "from 0 to 1, not 1.5"),
        ({"arguments": {"distinction": {"x": 1}}}, "no parameter 'x'"),
        ({"arguments": {"gini_index": {}}}, "'gini_index' was not"),
    ],
)
def test_wrong_questions_say_the_rule(wrong, said):
    """A question that has no answer is an error that names what is wrong."""
    with pytest.raises(UserError, match=said):
        select_metrics(synthetic_table(30).frame, **{"metrics": ["distinction"], "size": 2, **wrong})


def test_a_sample_of_subsets_is_drawn_by_the_seed():
    """Of 495 subsets ten are drawn, none twice; one seed draws one sample, two two; of one none varies."""
    some, again, other = (subsets(tuple("abcdefghijkl"), 4, most=10, seed=seed) for seed in (1, 1, 2))
    assert (len(set(some[0])), some[1]) == (10, 495)
    assert (some[0] == again[0], some[0] == other[0]) == (True, False)
    made = synthetic_table(30)
    with pytest.raises(NotMeasurable, match="no metric varies over the 1 subsets"):
        select_metrics(made.frame, ["distinction"], made.attributes[:2], size=2)


def test_constants_and_missing_figures_have_no_correlation():
    """A constant, one but for rounding, and too few pairs give NaN; a pair is taken where both are."""
    nan = np.nan
    values = np.array(
        [[1, 5, 0.3, nan, 1], [2, 5, 0.1 + 0.2, nan, 2], [3, 5, 0.3, 1, 3], [9, 5, 0.3, 2, nan]]
    )
    found = correlations(values, "pearson")
    assert found[0, 0] == 1
    assert found[0, 4] == pytest.approx(1.0)
    others = [(0, 1), (0, 2), (0, 3), (1, 1), (2, 2), (3, 3), (3, 4)]
    assert all(np.isnan(found[i, j]) for i, j in others)
    assert [is_constant(values[:, i]) for i in range(5)] == [False, True, True, False, False]
    assert is_constant(np.array([nan, nan]))


def test_a_group_needs_every_two_of_its_metrics_alike():
    """A chain in which only neighbors are alike is no group: the ends say different things."""
    chain = np.array([[1, 0.92, 0.5], [0.92, 1, 0.91], [0.5, 0.91, 1]])
    assert sorted(map(sorted, groups(chain, 0.9))) == [[0, 1], [2]]
    assert sorted(map(sorted, groups(chain, 0.5))) == [[0, 1, 2]]
    assert sorted(map(sorted, groups(np.full((2, 2), np.nan), 0.9))) == [[0], [1]]
    assert groups(np.zeros((0, 0)), 0.9) == ()


@settings(max_examples=examples(40), derandomize=True, database=None, deadline=None)
@given(st.integers(1, 8), st.integers(0, 10_000), st.sampled_from([0.0, 0.4, 0.8, 1.0]))
def test_any_groups_are_alike_and_part_the_metrics(many, seed, threshold):
    """Whatever the correlations, each metric is in one group and every two of a group reach the threshold."""
    rng = np.random.default_rng(seed)
    r = np.corrcoef(rng.normal(size=(many, 5))) if many > 1 else np.ones((1, 1))
    parts = groups(r, threshold)
    assert sorted(i for part in parts for i in part) == list(range(many))
    assert all(abs(r[i, j]) >= threshold - 1e-6 for part in parts for i in part for j in part)


def test_the_recommended_metric_is_cheap_and_of_a_domain_of_its_own():
    """A group of three gives the group-by, not the table function; two groups speak for two domains."""
    names = ["causal_importance", "propensity_overlap", "own_information", "distinction"]
    r = np.array([[1, 0.99, 0.99, 0], [0.99, 1, 0.99, 0], [0.99, 0.99, 1, 0], [0, 0, 0, 1]])
    cheap = dict.fromkeys(names, True) | {"causal_importance": False}
    chosen, reasons = recommend(names, [[0, 1, 2], [3]], r, cheap)
    # distinction is alone, so QID-specific has spoken, and of the group causality comes before separation
    assert chosen == ("propensity_overlap", "distinction")
    assert reasons["own_information"] == "says the same as propensity_overlap (r = 0.99)."
    said = "stands for causal_importance, own_information too (causality)."
    assert reasons["propensity_overlap"] == said


def test_the_medoid_stands_for_its_group_and_each_metric_has_a_domain():
    """Of three alike metrics of one domain, the one that is most like the others is taken."""
    names = ["accuracy", "gini_index", "range_utility"]
    r = np.array([[1, 0.95, 0.9], [0.95, 1, 0.97], [0.9, 0.97, 1]])
    assert recommend(names, [[0, 1, 2]], r, dict.fromkeys(names, True))[0] == ("gini_index",)
    assert set(DOMAINS) == {metric.name for metric in METRICS if not metric.change_of}

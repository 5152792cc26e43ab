"""Tests of the plots of a distribution: they draw what was counted, however many classes there are."""

from types import SimpleNamespace

import altair as alt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from examples import examples
from qidguard import NotMeasurable
from qidguard_qidlearning.distribution import Distribution
from qidguard_qidlearning.plots import ecdf, histogram, metric_plots, qq
from qidguard_qidlearning.plots.sample import WeightedSample
from quick import mostly_slow


def made(values, sizes=None):
    """Return a distribution of these values; every class has one person where nobody says otherwise."""
    return SimpleNamespace(values=np.array(values, float), sizes=np.array(sizes or [1] * len(values)))


def data(plot):
    """Return the records of a plot, those of its first layer."""
    return plot.vega_lite["data"]["values"]


FEW = made([1, 1, 3, 4], [1, 1, 3, 4])


def test_bars_count_classes_or_the_persons_in_them():
    """Two classes of one, one of three and one of four: bars 2, 1, 1, or 2, 3, 4 persons."""
    assert [(bar["from"], bar["to"], bar["count"]) for bar in data(histogram(FEW))] == [
        (0.5, 1.5, 2),
        (2.5, 3.5, 1),
        (3.5, 4.5, 1),
    ]
    assert [bar["count"] for bar in data(histogram(FEW, by="persons"))] == [2, 3, 4]


def test_steps_rise_by_the_share_of_each_figure():
    """The empirical distribution is 0 before, and at 1, 3 and 4 it is 1/2, 3/4 and 1."""
    assert [(step["at"], step["share"]) for step in data(ecdf(FEW))] == [(1, 0), (1, 0.5), (3, 0.75), (4, 1)]
    assert [step["share"] for step in data(ecdf(FEW, by="persons"))] == [0, 2 / 9, 5 / 9, 1]


def test_the_normal_beside_it_has_the_same_mean_and_deviation():
    """The dashed curve is scipy's normal of the mean 2.25 and the population deviation."""
    curve = ecdf(FEW).vega_lite["layer"][1]["data"]["values"]
    expected = norm(2.25, np.std([1, 1, 3, 4])).cdf([point["at"] for point in curve])
    assert [point["share"] for point in curve] == pytest.approx(expected.tolist(), abs=1e-12)
    assert (curve[0]["at"], curve[-1]["at"]) == (1, 4)


def test_quantiles_stand_against_those_of_the_normal():
    """Four classes stand at the shares 1/8, 3/8, 5/8 and 7/8 of both distributions."""
    points = data(qq(FEW))
    expected = norm(2.25, np.std([1, 1, 3, 4])).ppf([0.125, 0.375, 0.625, 0.875])
    assert [point["normal"] for point in points] == pytest.approx(expected.tolist())
    assert [point["seen"] for point in points] == [1, 1, 3, 4]


@pytest.mark.parametrize("draw", [histogram, ecdf, qq])
def test_classes_without_a_figure_are_left_out_and_said(draw):
    """NaN is drawn nowhere and counted in the text alternative; nothing but NaN is no distribution."""
    plot = draw(made([1, np.nan, 2, np.nan]))
    assert plot.alternative.endswith("; 2 classes have none.")
    assert " of 2 classes: from 1 to 2" in plot.alternative
    for empty in (made([]), made([np.nan])):
        with pytest.raises(NotMeasurable, match="no class has a figure"):
            draw(empty)


@pytest.mark.parametrize("value", mostly_slow([0.0, 7.0, 0.25, -3.5, 1e9], quick=1))
def test_a_constant_is_drawn_without_a_normal(value):
    """A single class, or one figure everywhere, is one bar, one step and one point."""
    for constant in (made([value]), made([value] * 4)):
        assert len(data(histogram(constant))) == 1
        assert len(ecdf(constant).vega_lite["layer"]) == 1
        assert {(point["normal"], point["seen"]) for point in data(qq(constant))} == {(value, value)}
        assert metric_plots(constant).svg().startswith("<svg")


def test_many_classes_are_few_marks():
    """150,000 classes are at most 60 bars, about 500 steps and 300 points."""
    rng = np.random.default_rng(0)
    many = Distribution(values=rng.normal(size=150_000), sizes=rng.integers(1, 9, 150_000))
    assert 10 <= len(data(histogram(many))) <= 60
    assert sum(bar["count"] for bar in data(histogram(many))) == 150_000
    assert len(data(ecdf(many))) <= 502
    assert len(data(qq(many))) == 300


def test_thinned_steps_are_off_by_a_500th_at_most():
    """Between two steps of a thinned curve, the true share differs by no more than 0.2 percent."""
    values = np.random.default_rng(1).gamma(1, 9, 40_000)
    steps = data(ecdf(made(values), is_logarithmic=False))
    at, shares = np.array([s["at"] for s in steps]), np.array([s["share"] for s in steps])
    true = (np.searchsorted(np.sort(values), values, side="right")) / len(values)
    drawn = shares[np.searchsorted(at, values, side="right") - 1]
    assert np.abs(true - drawn).max() <= 1 / 500 + 1e-9


@pytest.mark.samples(2)
@pytest.mark.parametrize("draw", [histogram, ecdf, qq, metric_plots])
@pytest.mark.parametrize(
    "values",
    mostly_slow(
        [[5e-324, 1e6], [1e-300, 1e-299, 1.0], [1.0, np.nextafter(1.0, 2)], [-1e6, 1e6], [1e-9, 1e12]],
        quick=1,
    ),
)
def test_figures_at_the_ends_of_floats_are_drawn(draw, values):
    """The smallest float beside a million, and two neighboring floats, warn of nothing and are drawn."""
    assert draw(made(values)).svg().startswith("<svg")


def test_skewed_sizes_have_a_logarithmic_axis_and_whole_numbers_stay_whole():
    """Class sizes from 1 to 5,000 get bins of equal ratio whose bounds lie between whole numbers."""
    sizes = [1] * 900 + [2] * 300 + [3] * 100 + [40] * 9 + [5_000]
    bars = data(histogram(made(sizes)))
    bounds = {bar["from"] for bar in bars} | {bar["to"] for bar in bars}
    assert all(bound % 1 == 0.5 for bound in bounds)
    assert bars[0] == {"from": 0.5, "to": 1.5, "count": 900}
    assert histogram(made(sizes)).vega_lite["encoding"]["x"]["scale"]["type"] == "log"
    linear = histogram(made(sizes), is_logarithmic=False).vega_lite["encoding"]["x"]["scale"]
    assert "type" not in linear


@pytest.mark.parametrize("draw", [histogram, ecdf])
def test_a_logarithmic_axis_needs_positive_figures(draw):
    """Zero has no place on it."""
    with pytest.raises(ValueError, match="needs positive figures"):
        draw(made([0, 1, 2]), is_logarithmic=True)


@pytest.mark.parametrize("draw", [histogram, ecdf, qq])
def test_what_is_counted_is_classes_or_persons(draw):
    """Anything else is an error."""
    with pytest.raises(ValueError, match="records"):
        draw(FEW, by="records")


def test_the_four_plots_stand_together():
    """Histogram, cumulative distribution, histogram of persons and Q-Q plot, by name."""
    grid = metric_plots(FEW, label="class size, records").vega_lite
    assert grid["title"]["text"] == "Class size over the equivalence classes"
    assert [panel["title"]["text"] for panel in grid["concat"]] == [
        "Class size: histogram over classes",
        "Class size: cumulative distribution over classes",
        "Class size: histogram over persons",
        "Class size: Q-Q plot over classes",
    ]


@pytest.mark.parametrize("draw", [histogram, ecdf, qq, metric_plots])
def test_the_charts_are_valid_vega_lite(draw):
    """Altair, which holds the schema, accepts them."""
    alt.Chart.from_dict(draw(FEW).vega_lite, validate=True)


@settings(max_examples=examples(60), derandomize=True, database=None, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.integers(-5, 50).map(float), st.floats(-1e6, 1e6), st.floats(1e-3, 1e6)),
            st.integers(1, 50),
        ),
        min_size=1,
        max_size=80,
    ),
    st.sampled_from(["classes", "persons"]),
)
def test_no_class_is_lost(rows, by):
    """Whatever the figures, bars add up to all classes or persons, and steps end at 1."""
    values, sizes = zip(*rows, strict=True)
    some = made(values, list(sizes))
    total = len(rows) if by == "classes" else sum(sizes)
    assert sum(bar["count"] for bar in data(histogram(some, by=by))) == total
    shares = [step["share"] for step in data(ecdf(some, by=by))]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    repeated = np.repeat(values, sizes if by == "persons" else 1)
    sample = WeightedSample.of(some, by)
    assert sample.mean == pytest.approx(repeated.mean(), abs=1e-6)
    assert sample.deviation == pytest.approx(repeated.std(), rel=1e-6, abs=1e-6)
    expected = np.quantile(repeated, [0, 0.25, 0.5, 1], method="inverted_cdf").tolist()
    assert sample.quantiles(np.array([0, 0.25, 0.5, 1])).tolist() == expected

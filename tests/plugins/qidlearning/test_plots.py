"""Plots draw what was counted, of a distribution, over subsets, of a search and of correlations."""

import math
from functools import partial
from types import SimpleNamespace

import altair as alt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from drawn import elements
from examples import examples
from qidguard.sdk import NotMeasurable, SearchStep, SubsetFigures
from qidguard_qidlearning.distribution import Distribution
from qidguard_qidlearning.plots import (
    ecdf,
    heat_map,
    histogram,
    metric_by_size,
    metric_by_subset,
    metric_plots,
    qq,
    search_evolution,
)
from qidguard_qidlearning.plots.sample import WeightedSample
from quick import mostly_slow


def made(values, sizes=None):
    """Return a distribution of these values; every class has one person where nobody says otherwise."""
    return SimpleNamespace(values=np.array(values, float), sizes=np.array(sizes or [1] * len(values)))


def data(plot):
    """Return the records of a plot, those of its first layer."""
    return plot.vega_lite["data"]["values"]


FEW = made([1, 1, 3, 4], [1, 1, 3, 4])


NORMAL = norm(2.25, np.std([1, 1, 3, 4]))
"""The normal of the mean and the population deviation of the few."""


def test_bars_count_classes_or_the_persons_in_them():
    """Two classes of one, one of three and one of four: bars 2, 1, 1, or 2, 3, 4 persons."""
    bars = [(bar["from"], bar["to"], bar["count"]) for bar in data(histogram(FEW))]
    assert bars == [(0.5, 1.5, 2), (2.5, 3.5, 1), (3.5, 4.5, 1)]
    assert [bar["count"] for bar in data(histogram(FEW, by="persons"))] == [2, 3, 4]


def test_steps_rise_by_the_share_of_each_figure():
    """The empirical distribution is 0 before, and at 1, 3 and 4 1/2, 3/4 and 1; the normal is dashed."""
    assert [(step["at"], step["share"]) for step in data(ecdf(FEW))] == [(1, 0), (1, 0.5), (3, 0.75), (4, 1)]
    assert [step["share"] for step in data(ecdf(FEW, by="persons"))] == [0, 2 / 9, 5 / 9, 1]
    curve = ecdf(FEW).vega_lite["layer"][1]["data"]["values"]
    expected = NORMAL.cdf([point["at"] for point in curve]).tolist()
    assert [point["share"] for point in curve] == pytest.approx(expected, abs=1e-12)
    assert (curve[0]["at"], curve[-1]["at"]) == (1, 4)


def test_quantiles_stand_against_those_of_the_normal():
    """Four classes stand at the shares 1/8, 3/8, 5/8 and 7/8 of both distributions."""
    points = data(qq(FEW))
    expected = NORMAL.ppf([0.125, 0.375, 0.625, 0.875]).tolist()
    assert [point["normal"] for point in points] == pytest.approx(expected)
    assert [point["seen"] for point in points] == [1, 1, 3, 4]


@pytest.mark.parametrize("draw", [histogram, ecdf, qq])
def test_classes_without_a_figure_are_left_out_and_said(draw):
    """NaN is drawn nowhere and counted in the text alternative; nothing but NaN is no distribution."""
    plot = draw(made([1, np.nan, 2, np.nan]))
    assert plot.alternative.endswith("; 2 classes have none.")
    assert " of 2 classes: from 1 to 2" in plot.alternative


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


ENDS = [[5e-324, 1e6], [1e-300, 1e-299, 1.0], [1.0, np.nextafter(1.0, 2)], [-1e6, 1e6], [1e-9, 1e12]]


@pytest.mark.samples(2)
@pytest.mark.parametrize("draw", [histogram, ecdf, qq, metric_plots])
@pytest.mark.parametrize("values", mostly_slow(ENDS, quick=1))
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


def test_the_four_plots_stand_together():
    """Histogram, cumulative distribution, histogram of persons and Q-Q plot, by name."""
    grid = metric_plots(FEW, label="class size, records").vega_lite
    titles = [panel["title"]["text"].removeprefix("Class size: ") for panel in grid["concat"]]
    histograms = [f"histogram over {who}" for who in ("classes", "persons")]
    rest = ["cumulative distribution over classes", "Q-Q plot over classes"]
    assert grid["title"]["text"] == "Class size over the equivalence classes"
    assert titles == [histograms[0], rest[0], histograms[1], rest[1]]


FIGURES = st.one_of(st.integers(-5, 50).map(float), st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
CLASSES = st.lists(st.tuples(FIGURES, st.integers(1, 50)), min_size=1, max_size=80)


@settings(max_examples=examples(60), derandomize=True, database=None, deadline=None)
@given(CLASSES, st.sampled_from(["classes", "persons"]))
def test_no_class_is_lost(rows, by):
    """Whatever the figures, bars add up to all classes or persons, and steps end at 1."""
    values, sizes = zip(*rows, strict=True)
    some = made(values, list(sizes))
    repeated = np.repeat(values, sizes if by == "persons" else 1)
    assert sum(bar["count"] for bar in data(histogram(some, by=by))) == len(repeated)
    shares = [step["share"] for step in data(ecdf(some, by=by))]
    assert (shares, shares[-1]) == (sorted(shares), 1)
    sample = WeightedSample.of(some, by)
    assert sample.mean == pytest.approx(repeated.mean(), abs=1e-6)
    assert sample.deviation == pytest.approx(repeated.std(), rel=1e-6, abs=1e-6)
    expected = np.quantile(repeated, [0, 0.25, 0.5, 1], method="inverted_cdf").tolist()
    assert sample.quantiles(np.array([0, 0.25, 0.5, 1])).tolist() == expected


SVG = "{http://www.w3.org/2000/svg}"


def table(columns, figures):
    """Return a subset table: text of the columns in each subset → figure."""
    masks = [sum(1 << columns.index(name) for name in one) for one in figures]
    values = np.array(list(figures.values()), float).reshape(-1, 1)
    return SubsetFigures(columns=tuple(columns), sets=np.array(masks, dtype=np.uint64), values=values)


THREE = table(["a", "b", "c"], {"ab": 0.5, "a": 0.2, "b": 0.5, "c": np.nan, "bc": 0.9})


def run(moments, **more):
    """Return what a plot reads of a search."""
    evolution = [SearchStep(evaluations=e, best=b, mean=m, seconds=0.1) for e, b, m in moments]
    return SimpleNamespace(evolution=tuple(evolution), evaluations=9, state={}, **more)


def test_the_highest_subsets_come_first_and_of_equals_the_smaller():
    """Of equals the smaller is first. A set without a figure has no row, an unused column no place."""
    dots, bars = metric_by_subset(THREE, label="separation").vega_lite["hconcat"]
    places = [(dot["place"], dot["column"]) for dot in dots["data"]["values"]]
    assert [bar["subset"] for bar in bars["data"]["values"]] == ["b + c", "b", "a + b", "a"]
    assert places == [(0, 1), (0, 2), (1, 1), (2, 0), (2, 1), (3, 0)]
    lowest = metric_by_subset(THREE, is_lowest_first=True, most=2).vega_lite["hconcat"][1]
    assert [bar["subset"] for bar in lowest["data"]["values"]] == ["a", "b"]
    x = metric_by_subset(THREE, most=1).vega_lite["hconcat"][0]["encoding"]["x"]
    assert (x["axis"]["labelExpr"], x["scale"]["domain"]) == ('["b","c"][datum.value]', [0, 1])


def test_boxes_are_numpys_quantiles_of_each_size():
    """One box a size, over the subsets that have a figure."""
    rng = np.random.default_rng(0)
    figures = {"".join(one): v for one, v in zip("abcdef", rng.random(6), strict=True)} | {"ab": 0.3}
    boxes = metric_by_size(table(list("abcdef"), figures)).vega_lite["data"]["values"]
    five = [boxes[0][name] for name in ("low", "q1", "median", "q3", "high")]
    assert five == np.quantile(list(figures.values())[:6], [0, 0.25, 0.5, 0.75, 1]).tolist()
    assert [(box["size"], box["sets"]) for box in boxes] == [(1, 6), (2, 1)]


BY_SETS = (metric_by_size, metric_by_subset)
NO_STEPS = [(1, -math.inf, -math.inf)]
SQUARE, SHARES = "heat map has 1 to 60", "from −1 to 1"
OF_CLASSES = (histogram, ecdf, qq)
NOT_DRAWN = [
    *((draw, made(some), "no class has a figure") for draw in OF_CLASSES for some in ([], [np.nan])),
    *((partial(draw, by="records"), FEW, "records") for draw in OF_CLASSES),
    # zero has no place on a logarithmic axis, which a Q-Q plot never has
    *(
        (partial(draw, is_logarithmic=True), made([0, 1, 2]), "positive figures")
        for draw in (histogram, ecdf)
    ),
    *((draw, table("a", some), "no subset has a figure") for draw in BY_SETS for some in ({"a": np.nan}, {})),
    (lambda most: metric_by_subset(THREE, most=most), 0, "1 to 200 subsets"),
    (lambda most: metric_by_subset(THREE, most=most), 201, "1 to 200 subsets"),
    # there is no evolution of nothing, nor of steps without any figure
    (search_evolution, run([]), "noted no step"),
    (search_evolution, run(NO_STEPS), "noted no step"),
    # a heat map needs a square of correlations and a name for each
    (lambda r: heat_map(r, ["a"]), np.eye(2), SQUARE),
    (lambda r: heat_map(r, ["a", "b"]), np.ones((2, 3)), SQUARE),
    (lambda r: heat_map(r, ["a"]), np.full((1, 1), 1.5), SHARES),
    (lambda r: heat_map(r, ["a"] * 61), np.eye(61), SQUARE),
    (lambda r: heat_map(r, []), np.zeros((0, 0)), SQUARE),
]


@pytest.mark.parametrize(("draw", "what", "reason"), NOT_DRAWN)
def test_what_cannot_be_read_is_refused(draw, what, reason):
    """No figure, no count, no step, too many subsets and no square of correlations are not plotted."""
    with pytest.raises((NotMeasurable, ValueError), match=reason):
        draw(what)


def test_a_search_is_drawn_step_by_step():
    """Best and mean of each step have a panel each, and so has what was kept; a mean of −∞ has no point."""
    found = run([*NO_STEPS, (3, 0.5, -math.inf), (9, 0.7, 0.6)])
    found.state = {"mutation rate": (0.1, 0.2, math.nan), "nothing": ()}
    plot = search_evolution(found)
    drawn = [(r["step"], r["sets"], r["best"], r["mean"]) for r in plot.vega_lite["data"]["values"]]
    assert drawn == [(2, 3, 0.5, None), (3, 9, 0.7, 0.6)]
    panels = plot.vega_lite["vconcat"]
    assert [panel["encoding"]["y"]["field"] for panel in panels] == ["best", "mean", "value"]
    assert panels[2]["data"]["values"] == [{"step": 1, "value": 0.1}, {"step": 2, "value": 0.2}]
    said = "Best fitness rose from 0.5 to 0.7 over 3 steps and 9 evaluated sets; the mean ended at 0.6."
    assert plot.alternative == said


def test_a_long_search_is_500_even_steps_with_its_ends():
    """10,000 steps are thinned; the first and the last stay."""
    found = run([(i + 1, float(i), 0.0) for i in range(10_000)])
    found.state = {"temperature": tuple(map(float, range(10_000)))}
    plot = search_evolution(found).vega_lite
    steps = [record["step"] for record in plot["data"]["values"]]
    kept = plot["vconcat"][2]["data"]["values"]
    assert (len(steps), steps[0], steps[-1], len(kept)) == (500, 1, 10_000, 500)


def test_a_heat_map_draws_each_correlation_once_and_leaves_nan_empty():
    """Of nine cells, those of a metric without a correlation are empty."""
    r = np.array([[1, np.nan, -0.25], [np.nan, np.nan, np.nan], [-0.25, np.nan, 1]])
    plot = heat_map(r, ["a", "b", "c"])
    drawn = {(c["row"], c["column"]): c["r"] for c in plot.vega_lite["data"]["values"]}
    assert drawn == {(0, 0): 1, (0, 2): -0.25, (2, 0): -0.25, (2, 2): 1}
    assert plot.alternative.endswith("the strongest is −0.25, of a and c.")
    assert heat_map(np.eye(2), ["a", "b"]).alternative.endswith("no two are correlated.")


def test_hostile_names_are_drawn_as_they_are():
    """Quotes, tags, escapes and control characters are labels and nothing else; equals stay apart."""
    hostile = ["</script><b>", "a\"'];alert(1)//", "\\u0022]+x", "a\x00\ud800b", "ünï 数 \U0001f600"]
    names = [*hostile, hostile[0]]
    shown = ["a\ufffd\ufffdb" if "\x00" in name else name for name in names]
    masks = np.array([1 << i for i in range(6)], dtype=np.uint64)
    subset = SubsetFigures(columns=tuple(names), sets=masks, values=np.full((6, 1), 0.5))
    for plot in (heat_map(np.eye(6), names), metric_by_subset(subset)):
        texts = [part.text for part in elements(plot.svg()).iter(f"{SVG}text")]
        assert all(texts.count(name) >= shown.count(name) for name in shown)


@pytest.mark.samples(3)
@pytest.mark.parametrize(
    "plot",
    [
        metric_by_size(THREE),
        metric_by_subset(THREE),
        search_evolution(run([(1, 0.1, 0.1), (2, 0.2, 0.1)])),
        heat_map(np.eye(3), ["a", "b", "c"]),
        heat_map(np.eye(30), [str(i) for i in range(30)]),
        *(draw(FEW) for draw in (histogram, ecdf, qq, metric_plots)),
    ],
)
def test_the_charts_are_valid_vega_lite_and_are_drawn(plot):
    """Altair, which holds the schema, accepts them, and they come out as SVG."""
    alt.Chart.from_dict(plot.vega_lite, validate=True)
    assert elements(plot.svg()).tag == f"{SVG}svg"

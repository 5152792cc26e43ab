"""Tests of the plots over subsets, of a search and of correlations."""

import math
from types import SimpleNamespace

import altair as alt
import numpy as np
import pytest

from drawn import elements
from qidguard.sdk import NotMeasurable, SearchStep, SubsetFigures
from qidguard_qidlearning.plots import heat_map, metric_by_size, metric_by_subset, search_evolution

HOSTILE = ["</script><b>", "a\"'];alert(1)//", "\\u0022]+x", "a\x00\ud800b", "ünï 数 \U0001f600"]
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
    """Of b and a + b, which have the same figure, b has fewer columns. A set without a figure has no row."""
    dots, bars = metric_by_subset(THREE, label="separation").vega_lite["hconcat"]
    assert [bar["subset"] for bar in bars["data"]["values"]] == ["b + c", "b", "a + b", "a"]
    assert [(dot["place"], dot["column"]) for dot in dots["data"]["values"]] == [
        *((0, 1), (0, 2), (1, 1), (2, 0), (2, 1), (3, 0))
    ]
    lowest = metric_by_subset(THREE, is_lowest_first=True, most=2).vega_lite["hconcat"][1]
    assert [bar["subset"] for bar in lowest["data"]["values"]] == ["a", "b"]


def test_columns_that_no_shown_subset_holds_are_left_out():
    """With one row, b + c, there is no column a."""
    dots = metric_by_subset(THREE, most=1).vega_lite["hconcat"][0]
    assert dots["encoding"]["x"]["axis"]["labelExpr"] == '["b","c"][datum.value]'
    assert dots["encoding"]["x"]["scale"]["domain"] == [0, 1]


def test_boxes_are_numpys_quantiles_of_each_size():
    """One box a size, over the subsets that have a figure."""
    rng = np.random.default_rng(0)
    figures = {"".join(one): v for one, v in zip("abcdef", rng.random(6), strict=True)} | {"ab": 0.3}
    boxes = metric_by_size(table(list("abcdef"), figures)).vega_lite["data"]["values"]
    five = [boxes[0][name] for name in ("low", "q1", "median", "q3", "high")]
    assert five == np.quantile(list(figures.values())[:6], [0, 0.25, 0.5, 0.75, 1]).tolist()
    assert [(box["size"], box["sets"]) for box in boxes] == [(1, 6), (2, 1)]


@pytest.mark.parametrize("draw", [metric_by_size, metric_by_subset])
def test_without_a_figure_there_is_nothing_to_plot(draw):
    """A table of NaN, and an empty one, are not plotted."""
    for figures in ({"a": np.nan}, {}):
        with pytest.raises(NotMeasurable, match="no subset has a figure"):
            draw(table(["a"], figures))


@pytest.mark.parametrize("most", [0, 201])
def test_how_many_subsets_are_shown_has_limits(most):
    """A plot of none, or of more than can be read, is refused."""
    with pytest.raises(ValueError, match="1 to 200 subsets"):
        metric_by_subset(THREE, most=most)


def test_a_search_is_drawn_step_by_step():
    """Best and mean of each step have a panel each, and so has what was kept; a mean of −∞ has no point."""
    found = run([(1, -math.inf, -math.inf), (3, 0.5, -math.inf), (9, 0.7, 0.6)])
    found.state = {"mutation rate": (0.1, 0.2, math.nan), "nothing": ()}
    plot = search_evolution(found)
    drawn = [(r["step"], r["sets"], r["best"], r["mean"]) for r in plot.vega_lite["data"]["values"]]
    assert drawn == [(2, 3, 0.5, None), (3, 9, 0.7, 0.6)]
    panels = plot.vega_lite["vconcat"]
    assert [panel["encoding"]["y"]["field"] for panel in panels] == ["best", "mean", "value"]
    assert panels[2]["data"]["values"] == [{"step": 1, "value": 0.1}, {"step": 2, "value": 0.2}]
    assert plot.alternative == (
        "Best fitness rose from 0.5 to 0.7 over 3 steps and 9 evaluated sets; the mean ended at 0.6."
    )


def test_a_long_search_is_500_even_steps_with_its_ends():
    """10,000 steps are thinned; the first and the last stay."""
    found = run([(i + 1, float(i), 0.0) for i in range(10_000)])
    found.state = {"temperature": tuple(map(float, range(10_000)))}
    plot = search_evolution(found).vega_lite
    steps = [record["step"] for record in plot["data"]["values"]]
    assert (len(steps), steps[0], steps[-1]) == (500, 1, 10_000)
    assert len(plot["vconcat"][2]["data"]["values"]) == 500


def test_a_search_without_a_step_is_not_plotted():
    """There is no evolution of nothing, nor of steps without any figure."""
    for moments in ([], [(1, -math.inf, -math.inf)]):
        with pytest.raises(NotMeasurable, match="noted no step"):
            search_evolution(run(moments))


def test_a_heat_map_draws_each_correlation_once_and_leaves_nan_empty():
    """Of nine cells, those of a metric without a correlation are empty."""
    r = np.array([[1, np.nan, -0.25], [np.nan, np.nan, np.nan], [-0.25, np.nan, 1]])
    plot = heat_map(r, ["a", "b", "c"])
    drawn = {(c["row"], c["column"]): c["r"] for c in plot.vega_lite["data"]["values"]}
    assert drawn == {(0, 0): 1, (0, 2): -0.25, (2, 0): -0.25, (2, 2): 1}
    assert plot.alternative.endswith("the strongest is −0.25, of a and c.")
    assert heat_map(np.eye(2), ["a", "b"]).alternative.endswith("no two are correlated.")


@pytest.mark.parametrize(
    ("r", "names"),
    [
        (np.eye(2), ["a"]),
        (np.ones((2, 3)), ["a", "b"]),
        (np.full((1, 1), 1.5), ["a"]),
        (np.eye(61), ["a"] * 61),
        (np.zeros((0, 0)), []),
    ],
)
def test_a_heat_map_of_something_else_is_refused(r, names):
    """It needs a square of correlations and a name for each."""
    with pytest.raises(ValueError, match=r"heat map has 1 to 60|from −1 to 1"):
        heat_map(r, names)


def test_hostile_names_are_drawn_as_they_are():
    """Quotes, tags, escapes and control characters are labels and nothing else; equals stay apart."""
    names = [*HOSTILE, HOSTILE[0]]
    shown = [
        "</script><b>",
        "a\"'];alert(1)//",
        "\\u0022]+x",
        "a\ufffd\ufffdb",
        "ünï 数 \U0001f600",
        names[0],
    ]
    masks = np.array([1 << i for i in range(6)], dtype=np.uint64)
    subset = SubsetFigures(columns=tuple(names), sets=masks, values=np.full((6, 1), 0.5))
    for plot in (heat_map(np.eye(6), names), metric_by_subset(subset)):
        texts = [part.text for part in elements(plot.svg()).iter(f"{SVG}text")]
        assert all(texts.count(name) >= shown.count(name) for name in shown)


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    "plot",
    [
        metric_by_size(THREE),
        metric_by_subset(THREE),
        search_evolution(run([(1, 0.1, 0.1), (2, 0.2, 0.1)])),
        heat_map(np.eye(3), ["a", "b", "c"]),
        heat_map(np.eye(30), [str(i) for i in range(30)]),
    ],
)
def test_the_charts_are_valid_vega_lite_and_are_drawn(plot):
    """Altair, which holds the schema, accepts them, and they come out as SVG."""
    alt.Chart.from_dict(plot.vega_lite, validate=True)
    assert elements(plot.svg()).tag == f"{SVG}svg"

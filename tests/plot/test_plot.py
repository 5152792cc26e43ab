"""Tests of plots: what they save, what they show in a notebook, and what they refuse."""

import json
import struct
import subprocess
import sys

import altair as alt
import pandas as pd
import pytest

from drawn import elements
from qidguard.sdk import Plot, UserError

BARS = {
    "data": {"values": [{"x": "a", "y": 3}, {"x": "b", "y": 5}]},
    "mark": "bar",
    "encoding": {"x": {"field": "x", "type": "nominal"}, "y": {"field": "y", "type": "quantitative"}},
}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def plot():
    """Return a plot of two bars."""
    return Plot(title="Two bars", alternative="The second of two bars is higher.", chart=BARS)


def test_a_plot_is_made_of_an_altair_chart_too(plot):
    """An Altair chart and the same Vega-Lite as a mapping are drawn alike."""
    data = alt.InlineData(values=BARS["data"]["values"])
    chart = alt.Chart(data).mark_bar().encode(x=alt.X("x", type="nominal"), y=alt.Y("y", type="quantitative"))
    made = Plot(title=plot.title, alternative=plot.alternative, chart=chart)
    assert made.svg() == plot.svg()


def test_a_saved_plot_is_what_its_suffix_says(plot, tmp_path):
    """PNG, SVG and HTML are written, whatever the case of the suffix, in folders that are made."""
    png, svg, html = (plot.save(tmp_path / "deep" / f"a.{suffix}") for suffix in ("PNG", "svg", "html"))
    assert png.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert elements(svg.read_text("utf-8")).tag == f"{SVG}svg"
    assert html.read_text("utf-8").startswith("<!doctype html>")
    assert sorted(p.name for p in (tmp_path / "deep").iterdir()) == ["a.PNG", "a.html", "a.svg"]


def test_the_svg_says_its_title_and_its_text_alternative(plot):
    """Who does not see the image reads its title and its text alternative first."""
    root = elements(plot.svg())
    assert [part.tag for part in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
    assert [part.text for part in root[:2]] == [plot.title, plot.alternative]
    assert root.get("role") == "img"


def test_a_png_has_two_pixels_for_each_of_the_svg(plot):
    """A PNG is sharp on a dense screen."""
    width, height = struct.unpack(">II", plot.png()[16:24])
    root = elements(plot.svg())
    assert (width, height) == (2 * int(root.get("width")), 2 * int(root.get("height")))


@pytest.mark.slow
def test_another_process_draws_the_same_bytes(plot, tmp_path):
    """SVG, PNG and HTML are the same byte for byte in another process."""
    code = f"""
from qidguard.sdk import Plot
plot = Plot(title={plot.title!r}, alternative={plot.alternative!r}, chart={BARS!r})
for name in ("a.svg", "a.png", "a.html"):
    plot.save({str(tmp_path)!r} + "/" + name)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert (tmp_path / "a.svg").read_text("utf-8") == plot.svg()
    assert (tmp_path / "a.png").read_bytes() == plot.png()
    assert (tmp_path / "a.html").read_text("utf-8") == plot.html()


def test_dark_and_light_differ_and_auto_is_light_in_an_image(plot):
    """A theme changes the ground; an image cannot follow its reader, a page can."""
    light, dark = (plot.svg(theme=theme) for theme in ("light", "dark"))
    assert light != dark
    assert plot.svg(theme="auto") == light
    assert '<source media="(prefers-color-scheme: dark)"' in plot.html()
    assert "<source" not in plot.html(theme="dark")


def test_a_notebook_gets_a_figure_an_image_and_words(plot):
    """Each output is whole in itself and names no address."""
    bundle = plot._repr_mimebundle_()
    assert sorted(bundle) == ["image/svg+xml", "text/html", "text/plain"]
    assert bundle["text/html"] == plot._repr_html_()
    assert bundle["image/svg+xml"] == plot._repr_svg_()
    assert bundle["text/plain"] == "Two bars: The second of two bars is higher."
    assert "src='http" not in bundle["text/html"].replace('"', "'")
    assert "<script" not in bundle["text/html"]


def test_another_suffix_is_refused_and_nothing_written(plot, tmp_path):
    """The error names the three kinds of file."""
    with pytest.raises(UserError, match=r"saved as .png, .svg or .html, not '.pdf'"):
        plot.save(tmp_path / "a.pdf")
    with pytest.raises(UserError, match="not ''"):
        plot.save(tmp_path / "png")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named_and_an_earlier_file_stays(plot, tmp_path, monkeypatch):
    """Where the last step fails, the earlier file is as it was and no draft is left."""
    place = tmp_path / "a.svg"
    place.write_text("before", "utf-8")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(
        UserError, match=r"a.svg' cannot be written \(Permission denied\); name another place"
    ):
        plot.save(place)
    assert [p.name for p in tmp_path.iterdir()] == ["a.svg"]
    assert place.read_text("utf-8") == "before"


def test_an_unknown_theme_is_refused(plot):
    """The error names the themes."""
    with pytest.raises(UserError, match="light, dark or auto, not 'sepia'"):
        plot.svg(theme="sepia")


def test_without_the_extra_the_error_names_it(plot, monkeypatch):
    """A plot can be held, but not drawn, without the converter."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(UserError, match=r"install qidguard\[plots\]"):
        plot.svg()


def test_importing_and_making_a_plot_loads_no_drawing_library():
    """The libraries that draw are imported when something is drawn."""
    code = """
import sys
from qidguard.sdk import Plot
Plot(title="a", alternative="A.", chart={"mark": "bar"})
assert not {"altair", "vl_convert", "pandas"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(("chart", "error", "said"), [
    ({"data": {"url": "https://example.org/a.csv"}, "mark": "bar"}, ValueError, "holds its own data"),
    ({"layer": [{"data": {"url": "file:///a"}, "mark": "bar"}]}, ValueError, "holds its own data"),
    ({"mark": {"type": "image", "url": "x.png"}}, ValueError, "holds its own data"),
    ({"data": {"values": [{"x": 1}] * 5_001}, "mark": "bar"}, ValueError, "at most 5,000 records, not 5,001"),
    ({"concat": [{"data": {"values": [{"x": 1}] * 2_501}}] * 2}, ValueError,
     "at most 5,000 records, not 5,002"),
    ({"datasets": {"a": [{"x": 1}] * 5_001}}, ValueError, "at most 5,000"),
    ({"data": {"values": [{"x": float("nan")}]}}, ValueError, "finite numbers only"),
    ({"data": {"values": [{"x": object()}]}}, ValueError, "texts and finite numbers only"),
    ("bar", TypeError, "not str"),
])  # fmt: skip
def test_a_chart_that_is_not_whole_is_refused(chart, error, said):
    """A plot holds its own data, few of them, and what JSON can say."""
    with pytest.raises(error, match=said):
        Plot(title="a", alternative="A.", chart=chart)


@pytest.mark.parametrize("empty", ["title", "alternative"])
@pytest.mark.parametrize("text", ["", "  ", None])
def test_a_plot_needs_words(empty, text):
    """No plot is without a title or a text alternative."""
    with pytest.raises(ValueError, match=f"needs its {empty}"):
        Plot(**{"title": "a", "alternative": "A.", "chart": BARS, empty: text})


def test_a_plot_does_not_change_with_what_it_was_made_of():
    """The chart is copied, and what the plot gives out is a copy too."""
    chart = json.loads(json.dumps(BARS))
    plot = Plot(title="a", alternative="A.", chart=chart)
    before = plot.svg()
    chart["mark"] = "line"
    plot.vega_lite["data"]["values"].clear()
    assert plot.svg() == before
    assert plot == Plot(title="a", alternative="A.", chart=BARS)
    assert plot != Plot(title="a", alternative="A.", chart=chart)


def test_a_grid_shows_every_plot_and_says_what_each_shows(plot):
    """Titles and text alternatives of all stand in the one; its data are theirs."""
    dot = alt.Chart(pd.DataFrame({"x": [1]})).mark_point().encode(x="x:Q")
    other = Plot(title="Dot", alternative="One dot.", chart=dot)
    grid = Plot.grid([plot, other, plot], title="Three")
    root = elements(grid.svg())
    drawn = [part.text for part in root.iter(f"{SVG}text")]
    assert [name for name in drawn if name in {"Two bars", "Dot", "Three"}].count("Two bars") == 2
    assert {"Dot", "Three"} <= set(drawn)
    marks = [part for part in root.iter() if part.get("class", "").startswith("mark-symbol")]
    assert [len(mark) for mark in marks] == [1]
    assert grid.alternative == f"Two bars: {plot.alternative} Dot: One dot. Two bars: {plot.alternative}"


@pytest.mark.parametrize("wrong", [{"plots": []}, {"columns": 0}])
def test_a_grid_of_nothing_is_refused(plot, wrong):
    """A grid needs a plot and a column."""
    with pytest.raises(ValueError, match="at least one plot and one column"):
        Plot.grid(**{"plots": [plot], "title": "a", **wrong})


def test_a_chart_keeps_its_subtitle_and_takes_the_plots_title():
    """The title is the plot's, on one line; a subtitle is the chart's."""
    chart = {**BARS, "title": {"text": "other", "subtitle": "small"}, "config": {"background": "red"}}
    made = Plot(title="two\nlines", alternative="A.", chart=chart).vega_lite
    assert made["title"] == {"text": "two lines", "subtitle": "small"}
    assert "config" not in made

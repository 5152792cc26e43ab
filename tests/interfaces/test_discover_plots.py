"""Plots that a strategy gives back are saved beside those that plugins draw, under plain names."""

from dataclasses import replace
from pathlib import Path

import pytest

from qidguard.discovering.example import small
from qidguard.interfaces.commands.discover import save_plots
from qidguard.interfaces.plot_files import file_names
from qidguard.sdk import Plot


def bars(title: str) -> Plot:
    """Return a plot."""
    return Plot(title=title, alternative="Bars.", chart={"mark": "bar", "data": {"values": []}})


def found(*titles: str):
    """Return a search whose strategy drew plots."""
    return replace(small(), search=replace(small().search, plots=tuple(map(bars, titles))))


def test_names_of_files_are_plain_short_and_none_twice():
    """Whatever a title holds; a name that another plot has gets a number."""
    titles = ("Gain & loss", "../../etc/passwd", "gain; LOSS", "年齢", "x" * 300)
    named = [name for name, _ in file_names("exhaustive", map(bars, titles), {"exhaustive"})]
    assert named[:4] == [
        "exhaustive_gain_loss",
        "exhaustive_etc_passwd",
        "exhaustive_gain_loss_2",
        "exhaustive_2",
    ]
    assert len(named[4]) == 60


@pytest.mark.slow
def test_plots_of_a_strategy_are_saved(tmp_path):
    """As SVG and PNG, beside those of plugins."""
    said = save_plots(found("Gain"), str(tmp_path))
    names = {Path(one).name for one in said}
    assert {"exhaustive_gain.svg", "exhaustive_gain.png", "evolution.svg"} <= names
    assert {path.name for path in tmp_path.iterdir()} == names

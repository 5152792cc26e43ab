"""Themes: the colors and letters of a plot on light and on dark ground.

The colors are those of Okabe & Ito (2008), which people with any color vision can tell apart; the dark
theme takes their lighter ones. Diverging and sequential scales run between orange and blue.
"""

from enum import StrEnum
from typing import Any

FONT = "Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
LONGEST_LABEL_PIXELS = 240
"""A longer label ends in an ellipsis."""


class Theme(StrEnum):
    """The ground a plot is drawn on; ``auto`` follows the reader's in HTML, and is light in PNG and SVG."""

    LIGHT = "light"
    DARK = "dark"
    AUTO = "auto"


_INK = {Theme.LIGHT: "#1f2328", Theme.DARK: "#e6e6e6"}
_MUTED = {Theme.LIGHT: "#59636e", Theme.DARK: "#a6adb5"}
_LINES = {Theme.LIGHT: "#e4e7ea", Theme.DARK: "#3a3f45"}
GROUND = {Theme.LIGHT: "#ffffff", Theme.DARK: "#16191d"}
_CATEGORIES = {
    Theme.LIGHT: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#56b4e9"],
    Theme.DARK: ["#56b4e9", "#e69f00", "#2fc79d", "#e29fc5", "#f0e442", "#d55e00"],
}
_DIVERGING = {
    Theme.LIGHT: ["#a34700", "#dd8a3c", "#f6d3ae", "#f5f5f5", "#b3d3ea", "#4a94c8", "#00568c"],
    Theme.DARK: ["#bf5f12", "#96521b", "#5f3d22", "#26292d", "#234a66", "#2a6a97", "#2b83bd"],
}
_RISING = {
    Theme.LIGHT: ["#e3eef6", "#7cb2d8", "#00568c"],
    Theme.DARK: ["#1d2f3d", "#2c74a6", "#8fcdf5"],
}


def config(theme: Theme) -> dict[str, Any]:
    """Return the Vega-Lite configuration of a theme; ``auto`` is light."""
    shade = Theme.DARK if theme is Theme.DARK else Theme.LIGHT
    ink, muted, lines = _INK[shade], _MUTED[shade], _LINES[shade]
    words = {"labelColor": muted, "titleColor": ink, "labelFontSize": 11, "titleFontSize": 12}
    longest = {"labelLimit": LONGEST_LABEL_PIXELS, "titleLimit": 2 * LONGEST_LABEL_PIXELS}
    return {
        "background": GROUND[shade],
        "font": FONT,
        "padding": 12,
        # a plot carries one text alternative; a label for each mark would only repeat its numbers
        "aria": False,
        "title": {
            "color": ink,
            "subtitleColor": muted,
            "fontSize": 14,
            "subtitleFontSize": 11,
            "fontWeight": 600,
            "anchor": "start",
            "offset": 12,
            "limit": 4 * LONGEST_LABEL_PIXELS,
        },
        "axis": {
            **words,
            **longest,
            "titleFontWeight": 500,
            "titlePadding": 10,
            "gridColor": lines,
            "domainColor": muted,
            "tickColor": muted,
        },
        "legend": {**words, **longest, "titleFontWeight": 500, "orient": "bottom"},
        "header": {**words, **longest},
        "view": {"stroke": None, "continuousWidth": 420, "continuousHeight": 260},
        "mark": {"color": _CATEGORIES[shade][0]},
        "rule": {"color": muted},
        "tick": {"color": ink},
        "text": {"color": ink, "fontSize": 11},
        "range": {
            "category": _CATEGORIES[shade],
            "diverging": _DIVERGING[shade],
            "heatmap": _RISING[shade],
        },
    }

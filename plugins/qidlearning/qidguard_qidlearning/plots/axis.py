"""Axes: parts of Vega-Lite that several plots share.

Field names are ours: a column's name is data, a title or a label, where it is text and nothing else.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH, HEIGHT = 420, 260


def chart(records: Sequence[Mapping[str, Any]], **parts: Any) -> dict[str, Any]:
    """Return a chart of records."""
    size = {} if "vconcat" in parts else {"width": WIDTH, "height": HEIGHT}
    return {"$schema": SCHEMA, "data": {"values": list(records)}, **size, **parts}


def heading(label: str) -> str:
    """Return an axis title as the beginning of a plot's title: without its unit, with a capital."""
    return label[:1].upper() + label[1:].split(",", maxsplit=1)[0]


def quantity(field: str, title: str, **more: Any) -> dict[str, Any]:
    """Return a channel of numbers."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def along(field: str, title: str, *, is_log: bool = False, **more: Any) -> dict[str, Any]:
    """Return an axis of figures that does not begin at 0, linear or logarithmic."""
    scale = {"type": "log", "nice": False} if is_log else {"zero": False}
    axis = {"labelOverlap": "greedy", "tickCount": 6}
    return quantity(field, title + (" (logarithmic)" if is_log else ""), scale=scale, axis=axis, **more)


def share(field: str, title: str) -> dict[str, Any]:
    """Return an axis from 0 to 1."""
    return quantity(field, title, scale={"domain": [0, 1]}, axis={"format": ".0%", "tickCount": 5})


def named(name: str) -> dict[str, Any]:
    """Return the color of one of several things drawn over each other, which the legend then names."""
    return {"datum": name, "type": "nominal", "title": None}


def tips(*channels: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what stands under the pointer in an interactive page."""
    return [{key: one[key] for key in ("field", "type", "title") if key in one} for one in channels]


def labels(names: Sequence[str]) -> str:
    """Return Vega's expression that turns the place 0, 1, 2, … of a label into its name, never read as code.

    Two columns of the same name, or an empty one, so stay two labels.

    Example:
        >>> labels(["age", 'a"b']).replace(chr(92), "/")
        '["age","a/u0022b"][datum.value]'
    """
    return "[" + ",".join(map(_literal, names)) + "][datum.value]"


def _literal(name: str) -> str:
    return '"' + "".join(c if c.isalnum() and c.isascii() else _escaped(c) for c in name) + '"'


def _escaped(character: str) -> str:
    # a control character would come out of the expression raw, and no SVG can hold it
    is_writable = unicodedata.category(character) not in {"Cc", "Cs", "Cn"}
    units = (character if is_writable else "\ufffd").encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))

"""Specifications: Vega-Lite as frozen text, checked to hold all it draws."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

MOST_MARKS = 5_000
"""Records of data that a plot may hold; more are to be binned or thinned before."""
_NO_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def writable(text: str) -> str:
    """Return a text with U+FFFD for each character that XML, and so SVG, cannot hold.

    Example:
        >>> writable("a" + chr(0) + "b") == "a" + chr(0xFFFD) + "b"
        True
    """
    return _NO_XML.sub("\ufffd", text)


def frozen(chart: object) -> str:
    """Return a chart's Vega-Lite as canonical JSON text.

    Example:
        >>> frozen({"mark": "bar", "data": {"values": [{"x": 1}]}})
        '{"data": {"values": [{"x": 1}]}, "mark": "bar"}'
    """
    if isinstance(chart, Mapping):
        spec: object = chart
    elif callable(getattr(chart, "to_dict", None)):
        spec = chart.to_dict()  # type: ignore[attr-defined]  # the line above has asked for it
    else:
        raise TypeError(
            f"a plot is made of an Altair chart or a Vega-Lite mapping, not {type(chart).__name__}"
        )
    try:
        text = json.dumps(spec, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"a plot holds texts and finite numbers only ({error}); leave the rest out"
        ) from None
    spec = _writable(json.loads(text))
    if any("url" in part for part in _mappings(spec)):
        raise ValueError("a plot holds its own data and fetches none; put the values in it, not an address")
    records = sum(_records(part) for part in _mappings(spec))
    if records > MOST_MARKS:
        raise ValueError(f"a plot holds at most {MOST_MARKS:,} records, not {records:,}; bin or thin them")
    return json.dumps(spec, sort_keys=True)


def _writable(part: Any) -> Any:
    if isinstance(part, dict):
        return {writable(key): _writable(item) for key, item in part.items()}
    if isinstance(part, list):
        return [_writable(item) for item in part]
    return writable(part) if isinstance(part, str) else part


def _mappings(spec: object) -> Iterator[Mapping[str, Any]]:
    """Yield a specification's mappings, those of its data left out: a column may be called anything."""
    if isinstance(spec, Mapping):
        yield spec
        for key, part in spec.items():
            if key not in {"values", "datasets"}:
                yield from _mappings(part)
    elif isinstance(spec, list):
        for part in spec:
            yield from _mappings(part)


def _records(part: Mapping[str, Any]) -> int:
    sets = part.get("datasets", {}).values() if isinstance(part.get("datasets"), Mapping) else ()
    data = part.get("data")
    own = data.get("values") if isinstance(data, Mapping) else None
    return sum(len(rows) for rows in (*sets, own) if isinstance(rows, list))

"""How many persons stand in classes of which size, before and after a method, with the limit between."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from qidguard.plot.plot import Plot
from qidguard.rendering.figure import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BELOW: Final = "below the limit"
_HELD: Final = "large enough"
_LARGEST: Final = 20
"""Times the limit from which on classes are one bar."""


def before_after_plot(
    before: "NDArray[np.int64]", after: "NDArray[np.int64]", limit: int, person: str
) -> Plot:
    """Return the plot of two tables' class sizes, in persons; each holds at least one class.

    A bar is the sum of the class sizes that it covers. Bars are 1, from 2 to below the limit, and from the
    limit on twice, five and twenty times as wide; where the limit is 1 nothing is below it.

    Example:
        >>> before_after_plot(np.array([1, 1, 2]), np.array([4]), 3, "records").alternative
        'In classes of fewer than 3 records stood 4 of 4 records before, and 0 of 4 records afterward.'
    """
    edges = sorted({1, min(2, limit), limit, 2 * limit, 5 * limit, _LARGEST * limit})
    rows = [
        row
        for table, sizes in (("before", before), ("after", after))
        for row in _rows(table, sizes, edges, limit)
    ]
    told = [
        f"{int(sizes[sizes < limit].sum()):,} of {counted(int(sizes.sum()), person)}"
        for sizes in (before, after)
    ]
    return Plot(
        title=f"{person.capitalize()} by the size of their class, before and after",
        alternative=f"In classes of fewer than {counted(limit, person)} stood {told[0]} before, and {told[1]}"
        " afterward.",
        chart=_chart(rows, [row["size"] for row in rows if row["table"] == "before"], limit, person),
    )


def _rows(table: str, sizes: "NDArray[np.int64]", edges: list[int], limit: int) -> list[dict[str, Any]]:
    spans = [*pairwise(edges), (edges[-1], 0)]
    return [
        {
            "table": table,
            "size": _size(low, high),
            "persons": int(sizes[(sizes >= low) & ((sizes < high) if high else True)].sum()),
            "kind": _BELOW if low < limit else _HELD,
        }
        for low, high in spans
    ]


def _size(low: int, high: int) -> str:
    if not high:
        return f"{low:,} or more"
    return f"{low:,}" if high - low == 1 else f"{low:,} to {high - 1:,}"


def _chart(rows: list[dict[str, Any]], order: list[str], limit: int, person: str) -> dict[str, Any]:
    kinds = [kind for kind in (_BELOW, _HELD) if any(row["kind"] == kind for row in rows)]
    # an entity may have records in several classes
    counts = person if person == "records" else f"{person}, once in each of their classes"
    encoding = {
        "y": {"field": "size", "type": "nominal", "sort": order, "title": f"{person} in a class"},
        "x": {"field": "persons", "type": "quantitative", "title": counts, "axis": {"format": ",d"}},
    }
    color = {
        "field": "kind",
        "type": "nominal",
        "title": f"limit of {limit:,}",
        "scale": {"domain": kinds, "range": ["#c44e52", "#4c72b0"][-len(kinds) :]},
    }
    return {
        "data": {"values": rows},
        "facet": {
            "row": {
                "field": "table",
                "type": "nominal",
                "sort": ["before", "after"],
                "title": None,
                "header": {"labelAngle": 0, "labelAlign": "left", "labelFontWeight": "bold"},
            }
        },
        "spec": {
            "width": 380,
            "height": {"step": 20},
            "encoding": encoding,
            "layer": [
                {"mark": {"type": "bar"}, "encoding": {"color": color}},
                {
                    "mark": {"type": "text", "align": "left", "dx": 4},
                    "encoding": {"text": {"field": "persons", "type": "quantitative", "format": ",d"}},
                },
            ],
        },
    }

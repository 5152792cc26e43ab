"""What each quasi-identifier contributes, drawn: persons below the limit, and those without each column."""

from typing import TYPE_CHECKING, Any, Final

from qidguard.plot.plot import Plot
from qidguard.rendering.printable import shown_name

if TYPE_CHECKING:
    from qidguard.advising.advice import Advice, Exposed

MOST_BARS: Final = 30
"""Columns that are drawn, those first without which fewest persons stay below."""
_STEP: Final = 22
_WIDTH: Final = 420
_WITH_ALL: Final = "with all columns"


def contribution_plot(advice: "Advice") -> Plot:
    """Return the plot of advice that counted somebody below the limit.

    Example:
        >>> from qidguard.advising.advice import Advice, Exposed
        >>> without = (Exposed(columns=("age",), below=1, alone=0, added=1),)
        >>> told = Advice(
        ...     combination="default", qids=("age", "sex"), person="records", persons=9, limit=5, below=8,
        ...     without=without,
        ... )  # fmt: skip
        >>> contribution_plot(told).alternative
        '8 of 9 records are below the limit of 5; without age 1.'
    """
    drawn = advice.without[:MOST_BARS]
    rows = [{"bar": _WITH_ALL, "below": advice.below, "kind": "all"}]
    rows += [{"bar": f"without {_names(one)}", "below": one.below, "kind": "without"} for one in drawn]
    told = ", ".join(f"{_names(one)} {one.below:,}" for one in drawn[:5])
    return Plot(
        title=f"{advice.person.capitalize()} below the limit of {advice.limit:,}, and without each column",
        alternative=(
            f"{advice.below:,} of {advice.persons:,} {advice.person} are below the limit of"
            f" {advice.limit:,}; without {told}."
        ),
        chart=_chart(rows, advice.person),
    )


def _names(one: "Exposed") -> str:
    return " and ".join(shown_name(name) for name in one.columns)


def _chart(rows: list[dict[str, Any]], person: str) -> dict[str, Any]:
    order = [row["bar"] for row in rows]
    y = {"field": "bar", "type": "nominal", "sort": order, "title": None, "axis": {"labelLimit": 260}}
    x = {"field": "below", "type": "quantitative", "title": f"{person} in classes that are too small"}
    return {
        "data": {"values": rows},
        "width": _WIDTH,
        "height": {"step": _STEP},
        "encoding": {"y": y, "x": x},
        "layer": [
            {
                "mark": {"type": "bar"},
                "encoding": {
                    "opacity": {
                        "condition": {"test": "datum.kind === 'all'", "value": 1.0},
                        "value": 0.55,
                    }
                },
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 4},
                "encoding": {"text": {"field": "below", "type": "quantitative", "format": ",d"}},
            },
        ],
    }

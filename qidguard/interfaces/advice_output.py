"""Advice at the command line: made where a table is blocked, after the verdict is told, and never instead."""

import os
from typing import TYPE_CHECKING, Any, Final

from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.screen import console
from qidguard.plot.plot import Plot
from qidguard.rendering.printable import shown_name

if TYPE_CHECKING:
    from qidguard.advising.advice import Advice, Exposed
    from qidguard.advising.asking import TriedAdvice
    from qidguard.core.report import AuditReport
    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.policy import Policy


_WIDEST = 120


ADVICE_VARIABLE = "QIDGUARD_ADVICE"
"""Environment variable that switches advice off at every door, with the value 0."""


def is_wanted(report: "AuditReport | None") -> bool:
    """Whether thresholds block a table, so that advice may help, and nobody switched it off.

    Example:
        >>> is_wanted(None)
        False
    """
    verdict = None if report is None else report.verdict
    is_missed = verdict is not None and any(one.is_blocking for one in verdict.thresholds)
    return is_missed and is_switched_on()


def is_switched_on() -> bool:
    """Whether nobody switched advice off for all doors."""
    return os.environ.get(ADVICE_VARIABLE) != "0"


def advised(
    source: Any,
    policy: "Policy",
    report: "AuditReport",
    *,
    read: "ReadOptions",
    settings: "EngineSettings",
    is_quiet: bool,
) -> "TriedAdvice":
    """Return advice on a blocked table, or why there is none; nothing that happens here changes a verdict."""
    from qidguard.advising.asking import advise, tried_advice

    with progress_bar(is_quiet=is_quiet) as progress:
        return tried_advice(
            lambda: advise(source, policy, report=report, read=read, settings=settings, progress=progress)
        )


def show_advice(tried: "TriedAdvice") -> None:
    """Write advice to the screen, as plain lines that may be copied."""
    import click
    from rich.text import Text

    from qidguard.advising.advice_lines import TITLE, tried_lines

    screen = console()
    lines = tried_lines(tried, min(screen.width, _WIDEST))
    if lines[:1] == [TITLE]:
        screen.print(Text(f"\n{lines.pop(0)}", "bold underline"))
    for line in lines:
        click.echo(line)


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

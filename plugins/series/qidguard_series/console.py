"""A plan of a series on a console: one row a way of keeping it, then which to take and what cannot be had."""

from collections.abc import Callable, Iterator
from io import StringIO
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qidguard.rendering import html
from qidguard.rendering.printable import ASCII, UNICODE, visible

if TYPE_CHECKING:
    from qidguard.planning.figures import KeptSeries
    from qidguard.planning.series_plan import SeriesPlan


PLAIN_WIDTH = 110
"""Width of what is written to a file, in characters."""
_LONGEST_LABEL = 34
_NOTHING = "-"

LEGEND = (
    "NCP: share of detail lost in what is shown, in the mean and in the last release. fresh: of who is there,"
    " shown with the values of today, at least. stale: of who is shown, gone, at most, the oldest for so many"
    " releases. waiting: who is there and was never shown, at most, the longest for so many releases."
    " companions: who is there and was left out so that who left has company, and dissolved: whose group was"
    " left out whole, over all releases. isolated: in joint classes below k, at most."
)
"""What the titles of the columns mean."""


def console_text(plan: "SeriesPlan") -> str:
    """Return a plan as plain text, lines without white space at their end."""
    stream = StringIO()
    screen = Console(file=stream, width=PLAIN_WIDTH, markup=False, emoji=False, highlight=False)
    for part in parts(plan):
        screen.print(part)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def html_text(plan: "SeriesPlan") -> str:
    """Return a plan as one HTML element for a notebook."""
    best, color = (plan.ranked[0].label, html.GOOD) if plan.ranked else ("NONE", html.BAD)
    rows = [(way.label, *(read(way) for _, read in _COLUMNS)) for way in plan.ways]
    rows += [alone] if (alone := _alone(plan)) else []
    return html.whole(
        (
            html.badge(best, color, " ".join(recommended(plan))),
            html.table(heading(plan), ("way", *(" ".join(title.split()) for title, _ in _COLUMNS)), rows),
            html.items("What cannot be had", _not_had(plan)),
            html.items("Remarks", plan.remarks),
            html.heading("Interrupted: ways are missing.") if plan.is_interrupted else "",
        )
    )


def heading(plan: "SeriesPlan") -> str:
    """Return what was planned, in one line."""
    true = f", {plan.true_releases} of them files" if plan.true_releases else ""
    return (
        f"{visible(plan.source)}: {plan.persons:,} persons, policy {visible(plan.policy)}, k = {plan.k:,},"
        f" {plan.releases:,} releases{true}; from one to the next {plan.turnover}"
    )


def parts(
    plan: "SeriesPlan", width: int = PLAIN_WIDTH, *, is_ascii: bool = False
) -> Iterator[RenderableType]:
    """Yield what rich draws: the table, what is recommended, and what cannot be had."""
    yield Text(heading(plan), "bold")
    yield _table(plan, width, is_ascii=is_ascii)
    yield Text(LEGEND, "dim")
    for line in recommended(plan):
        yield Text(visible(line))
    marks = ASCII if is_ascii else UNICODE
    missed = _not_had(plan)
    if missed:
        yield Text("\nWhat cannot be had", "bold underline")
    for sentence in missed:
        yield Padding(Text(f"{marks.missed} {visible(sentence)}"), (0, 0, 0, 2))
    if plan.remarks:
        yield Text("\nRemarks", "bold underline")
    for sentence in plan.remarks:
        yield Padding(Text(visible(sentence)), (0, 0, 0, 2))
    if plan.is_interrupted:
        yield Text("Interrupted: ways are missing.", "bold")


def _table(plan: "SeriesPlan", width: int, *, is_ascii: bool) -> Table:
    columns = [one for one in _COLUMNS if width >= _WIDE or one[0] not in _LEFT_OUT]
    table = Table(box=box.ASCII if is_ascii else box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("way", overflow="fold", max_width=_LONGEST_LABEL)
    for title, _ in columns:
        table.add_column(title, justify="right", no_wrap=True)
    best = plan.ranked[0] if plan.ranked else None
    for way in plan.ways:
        style = "" if way.is_had else "red"
        cells = (Text(read(way), style) for _, read in columns)
        table.add_row(Text(visible(way.label), "bold" if way is best else ""), *cells)
    if alone := _alone(plan):
        table.add_row(*(Text(cell, "dim") for cell in alone[: len(columns) + 1]))
    return table


def _alone(plan: "SeriesPlan") -> tuple[str, ...]:
    """Return the row of releases that look at no other; nothing where none was made."""
    if plan.alone_mean is None:
        return ()
    losses = (percent(plan.alone_mean), percent(plan.alone[-1]))
    return (f"each alone, {plan.plain_method}", *losses, *[_NOTHING] * (len(_COLUMNS) - len(losses)))


def _not_had(plan: "SeriesPlan") -> list[str]:
    whose: dict[str, list[str]] = {}
    for way in plan.ways:
        if way.reason:
            whose.setdefault(way.reason, []).append(way.label)
    said = [f"{'; '.join(labels)}: {reason}" for reason, labels in whose.items()]
    said += [
        f"{way.label}: {way.isolated:,} persons stand in joint classes of fewer than {plan.k:,}"
        for way in plan.ways
        if way.isolated
    ]
    return said


def percent(share: float) -> str:
    """Return a share in percent.

    Example:
        >>> percent(0.0561)
        '5.61 %'
    """
    return f"{share * 100:.3g} %"


def _made(told: "Callable[[KeptSeries], str]") -> "Callable[[KeptSeries], str]":
    return lambda way: told(way) if way.releases else _NOTHING


def _stale(way: "KeptSeries") -> str:
    return f"{percent(way.stale_share)} ({way.most('oldest')})" if way.stale_share else "0 %"


def _waiting(way: "KeptSeries") -> str:
    most = way.most("waiting")
    return f"{most:,} ({way.most('longest')})" if most else "0"


_COLUMNS: "tuple[tuple[str, Callable[[KeptSeries], str]], ...]" = (
    ("NCP\nmean", _made(lambda way: percent(way.ncp_mean))),
    ("NCP\nlast", _made(lambda way: percent(way.releases[-1].ncp))),
    ("fresh", _made(lambda way: percent(way.fresh_share))),
    ("stale\n(oldest)", _made(_stale)),
    ("waiting\n(longest)", _made(_waiting)),
    ("isolated", _made(lambda way: f"{way.isolated:,}")),
    ("companions", _made(lambda way: f"{way.total('companions'):,}")),
    ("dissolved", _made(lambda way: f"{way.total('dissolved'):,}")),
)
"""Titles of the columns, and what a way has in each."""
_LEFT_OUT = ("companions", "dissolved")
_WIDE = 96
"""Characters from which on a table has all columns."""


def recommended(plan: "SeriesPlan") -> Iterator[str]:
    """Yield sentences: the way that loses least, the least for each other stay of leavers, and by what."""
    if not plan.ranked:
        yield "No way that was tried keeps the series."
        return
    best = plan.ranked[0]
    yield (
        f"{best.label} loses least: {_told(best)}. Ranked by the mean NCP of who is there, where who is not"
        " shown counts as lost."
    )
    others = {way.keeping.leavers_stay: way for way in reversed(plan.ranked)}
    others.pop(best.keeping.leavers_stay, None)
    told = [f"{way.label} {_told(way)}" for way in plan.ranked if way in others.values()]
    if told:
        yield f"Of other stays: {'; '.join(told)}."
    if plan.alone_mean is not None:
        yield (
            f"Each release alone loses {plan.alone_mean * 100:.3g} %, by {plan.plain_method}, and isolates"
            " people together with the others."
        )
    if others:
        yield "For how long a leaver's last values may stay is a legal decision, which no figure makes."


def _told(way: "KeptSeries") -> str:
    stale = f"{way.stale_share * 100:.3g} % stale" if way.stale_share else "nothing stale"
    return f"{way.loss_mean * 100:.3g} %, {way.fresh_share * 100:.3g} % fresh, {stale}"

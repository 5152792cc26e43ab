"""A plan of a series on one page: one row a way of keeping it, then which to take and what cannot be had."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from qidguard.sdk import PageRow, ResultPage

if TYPE_CHECKING:
    from qidguard_series.plan import KeptSeries, SeriesPlan

LEGEND = (
    "NCP: share of detail lost in what is shown, in the mean and in the last release. fresh: of who is there,"
    " shown with the values of today, at least. stale: of who is shown, gone, at most, the oldest for so many"
    " releases. waiting: who is there and was never shown, at most, the longest for so many releases."
    " companions: who is there and was left out so that who left has company, and dissolved: whose group was"
    " left out whole, over all releases. isolated: in joint classes below k, at most."
)
"""What the titles of the columns mean."""
_NOTHING = "-"


def plan_page(plan: "SeriesPlan") -> ResultPage:
    """Return a plan as a console and a notebook show it."""
    true = f", {plan.true_releases} of them files" if plan.true_releases else ""
    return ResultPage(
        heading=(
            f"{plan.source}: {plan.persons:,} persons, policy {plan.policy}, k = {plan.k:,},"
            f" {plan.releases:,} releases{true}; from one to the next {plan.turnover}"
        ),
        best=plan.ranked[0].label if plan.ranked else "",
        columns=("way", *_COLUMNS),
        rows=tuple(_rows(plan)),
        left_out=("companions", "dissolved"),
        legend={"": LEGEND},
        sentences=tuple(_recommended(plan)),
        missed={"What cannot be had": tuple(_not_had(plan))},
        lists={"Remarks": plan.remarks},
        ending="Interrupted: ways are missing." if plan.is_interrupted else "",
    )


def _rows(plan: "SeriesPlan") -> Iterator[PageRow]:
    """Yield a row for each way, and one of releases that look at no other."""
    best = plan.ranked[0] if plan.ranked else None
    for way in plan.ways:
        figures = [read(way) if way.releases else _NOTHING for read in _COLUMNS.values()]
        cells = (way.label, *figures)
        yield PageRow(cells=cells, looks="best" if way is best else "plain" if way.is_had else "bad")
    if plan.alone_mean is not None:
        losses = (_percent(plan.alone_mean), _percent(plan.alone[-1]))
        rest = [_NOTHING] * (len(_COLUMNS) - len(losses))
        yield PageRow(cells=(f"each alone, {plan.plain_method}", *losses, *rest), looks="aside")


def _not_had(plan: "SeriesPlan") -> Iterator[str]:
    whose: dict[str, list[str]] = {}
    for way in plan.ways:
        if way.reason:
            whose.setdefault(way.reason, []).append(way.label)
    yield from (f"{'; '.join(labels)}: {reason}" for reason, labels in whose.items())
    for way in plan.ways:
        if way.isolated:
            yield f"{way.label}: {way.isolated:,} persons stand in joint classes of fewer than {plan.k:,}"


def _percent(share: float) -> str:
    """Return a share in percent.

    Example:
        >>> _percent(0.0561)
        '5.61 %'
    """
    return f"{share * 100:.3g} %"


def _stale(way: "KeptSeries") -> str:
    return f"{_percent(way.stale_share)} ({way.most('oldest')})" if way.stale_share else "0 %"


def _waiting(way: "KeptSeries") -> str:
    most = way.most("waiting")
    return f"{most:,} ({way.most('longest')})" if most else "0"


_COLUMNS: "dict[str, Callable[[KeptSeries], str]]" = {
    "NCP\nmean": lambda way: _percent(way.ncp_mean),
    "NCP\nlast": lambda way: _percent(way.releases[-1].ncp),
    "fresh": lambda way: _percent(way.fresh_share),
    "stale\n(oldest)": _stale,
    "waiting\n(longest)": _waiting,
    "isolated": lambda way: f"{way.isolated:,}",
    "companions": lambda way: f"{way.total('companions'):,}",
    "dissolved": lambda way: f"{way.total('dissolved'):,}",
}
"""Title of a column → what a way with a release has in it."""


def _recommended(plan: "SeriesPlan") -> Iterator[str]:
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
            f"Each release alone loses {_percent(plan.alone_mean)}, by {plan.plain_method}, and isolates"
            " people together with the others."
        )
    if others:
        yield "For how long a leaver's last values may stay is a legal decision, which no figure makes."


def _told(way: "KeptSeries") -> str:
    stale = f"{_percent(way.stale_share)} stale" if way.stale_share else "nothing stale"
    return f"{_percent(way.loss_mean)}, {_percent(way.fresh_share)} fresh, {stale}"

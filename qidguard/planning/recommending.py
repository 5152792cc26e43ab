"""Which way of keeping a series to take: by what it ranks, and what stays somebody else's decision."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidguard.planning.figures import KeptSeries
    from qidguard.planning.series_plan import SeriesPlan


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

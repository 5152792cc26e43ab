"""What planning a series found: what each way of keeping it costs, release by release."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from qidguard.core.errors import ExitCode, NotMeasurable
from qidguard.planning.figures import KeptSeries
from qidguard.planning.turnover import Turnover
from qidguard.plot.plot import Plot
from qidguard.rendering.printable import visible

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class SeriesPlan:
    """What each way of keeping a series costs, simulated; it holds no value of the table.

    Args:
        source: The table, as the user named it.
        policy: The policy's name.
        qids: The quasi-identifiers.
        persons: Persons of the first release.
        k: Persons in the smallest class, of one release and of all together.
        turnover: Who moves from one release to the next.
        releases: Number of releases, ≥ 2.
        true_releases: How many of them are files; 0 where all are simulated.
        ways: One series a way, in the order in which they were asked for.
        plain_method: The anonymizer that made each release without a look at the others.
        alone: What each release loses so, 0..1; empty where it could not be made.
        remarks: What cannot be had, told before it is tried, and what else is worth knowing.
        seed: Seeds the persons who move, and the anonymizer.
        is_interrupted: Whether ways are missing because somebody stopped it.
        versions: Distribution → version of what took part.
    """

    source: str
    policy: str
    qids: tuple[str, ...]
    persons: int
    k: int
    turnover: Turnover
    releases: int
    true_releases: int = 0
    ways: tuple[KeptSeries, ...]
    plain_method: str
    alone: tuple[float, ...] = ()
    remarks: tuple[str, ...] = ()
    seed: int = 0
    is_interrupted: bool = False
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def ranked(self) -> tuple[KeptSeries, ...]:
        """The ways that can be had, those first that lose least; who is not shown counts as lost."""
        return tuple(sorted((way for way in self.ways if way.is_had), key=lambda way: way.loss_mean))

    @property
    def alone_mean(self) -> float | None:
        """The mean loss of the releases where nobody looks at the others, 0..1."""
        return fmean(self.alone) if self.alone else None

    @property
    def exit_code(self) -> ExitCode:
        """0 where a way can be had, else 1."""
        return ExitCode.PASSED if self.ranked else ExitCode.BLOCKED

    def plot(self) -> "Plot":
        """Return the loss and the share of stale records over the releases, a line a way.

        Returns:
            Two panels.

        Units:
            Shares, 0..1.

        Raises:
            NotMeasurable: When no way could make a release.

        Example:
            >>> from qidguard.planning.example import small_plan
            >>> small_plan().plot().title
            'What keeping the series costs'
        """
        if not any(way.releases for way in self.ways):
            raise NotMeasurable("no way could make a release, so there is nothing to draw")
        return plan_plot(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return the figures of every release of every way as a table.

        Returns:
            One row a way and release: the way's label, then the fields of ``ReleaseFigures``.

        Example:
            >>> from qidguard.planning.example import small_plan
            >>> small_plan().to_frame()[["way", "release", "fresh", "isolated"]].values.tolist()
            [['as it is', 1, 8, 0], ['as it is', 2, 8, 1]]
        """
        import pandas as pd

        from qidguard.planning.document import release_document

        return pd.DataFrame(
            [{"way": way.label} | release_document(one) for way in self.ways for one in way.releases]
        )

    def to_dict(self) -> "dict[str, Any]":
        """Return the document ``qidguard-series-plan/1`` as plain values that JSON knows.

        Returns:
            What ``qidguard schema series-plan`` describes.

        Example:
            >>> from qidguard.planning.example import small_plan
            >>> small_plan().to_dict()["format"]
            'qidguard-series-plan/1'
        """
        from qidguard.planning.document import document

        return document(self)

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON text, the same as ``qidguard series plan --format json`` writes.

        Example:
            >>> from qidguard.planning.example import small_plan
            >>> small_plan().to_json().splitlines()[1]
            '  "format": "qidguard-series-plan/1",'
        """
        from qidguard.planning.document import json_text

        return json_text(self)

    def __str__(self) -> str:
        from qidguard.planning.console import console_text

        return console_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from qidguard.planning.console import html_text

        return html_text(self)


MOST_POINTS: Final = 60
"""Releases that are drawn of each way; of more, evenly chosen ones."""
_WIDTH, _HEIGHT = 330, 240
_LOSS, _STALE = "loss", "stale"
_MOST_TICKS: Final = 13
_ROOM: Final = 1.08
_LEAST_TOP: Final = 0.05
_COLORS: Final = 6
_DASHES: Final = ([1, 0], [6, 3], [2, 2])
_NEUTRAL: Final = "#80868d"


def plan_plot(plan: "SeriesPlan") -> Plot:
    """Return two panels: NCP, with each release alone beside it, and the share of stale records."""
    drawn = [way for way in plan.ways if way.releases]
    rows: list[dict[str, Any]] = [
        {
            "way": visible(way.label),
            "release": one.release,
            _LOSS: round(one.ncp, 5),
            _STALE: round(one.stale_share, 5),
        }
        for way in drawn
        for one in way.releases[:: _step(len(way.releases))]
    ]
    alone: list[dict[str, Any]] = [
        {"release": at + 1, _LOSS: round(plan.alone[at], 5)}
        for at in range(0, len(plan.alone), _step(len(plan.alone)))
    ]
    ways = [visible(way.label) for way in drawn]
    most = max(one[_LOSS] for one in [*rows, *alone])
    loss = _panel(_LOSS, "NCP of what is shown", ways, plan.releases, most)
    stale = _panel(
        _STALE, "stale records, of those shown", ways, plan.releases, max(row[_STALE] for row in rows)
    )
    dashed = f"; dashed: each release alone, by {plan.plain_method}" if alone else ""
    if alone:
        loss["layer"].append(_alone(alone))
    return Plot(
        title="What keeping the series costs",
        alternative=_sentence(plan),
        chart={
            "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
            "title": {"subtitle": f"k = {plan.k:,}; from one release to the next {plan.turnover}{dashed}"},
            "data": {"values": rows},
            "hconcat": [loss, stale],
            "spacing": 36,
        },
    )


def _step(releases: int) -> int:
    return max(1, -(-releases // MOST_POINTS))


def _ticks(releases: int) -> list[int]:
    return list(range(1, releases + 1, max(1, -(-releases // _MOST_TICKS))))


def _panel(figure: str, title: str, ways: list[str], releases: int, most: float) -> dict[str, Any]:
    legend = {"orient": "bottom", "columns": 3, "symbolType": "stroke", "symbolStrokeWidth": 3}
    way = {"field": "way", "type": "nominal", "title": None, "sort": ways, "legend": legend}
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "encoding": {
            "x": {
                "field": "release",
                "type": "quantitative",
                "title": "release",
                "scale": {"domain": [1, releases], "nice": False},
                "axis": {"values": _ticks(releases), "format": "d", "grid": False},
            },
            "y": {
                "field": figure,
                "type": "quantitative",
                "title": title,
                "scale": {"domain": [0, min(1.0, most * _ROOM) or _LEAST_TOP], "nice": False},
                "axis": {"format": "~%", "tickCount": 6},
            },
        },
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 2, "point": {"size": 22, "filled": True}},
                "encoding": {
                    "color": {**way, "scale": {"domain": ways}},
                    "strokeDash": {**way, "scale": {"domain": ways, "range": _dashes(len(ways))}},
                    "tooltip": [
                        {"field": "way", "type": "nominal"},
                        {"field": "release", "type": "quantitative"},
                        {"field": figure, "type": "quantitative", "title": title, "format": ".2%"},
                    ],
                },
            }
        ],
    }


def _dashes(ways: int) -> list[list[int]]:
    """Return how each line is drawn: where colors are used up they come again with another dash."""
    return [_DASHES[min(at // _COLORS, len(_DASHES) - 1)] for at in range(ways)]


def _alone(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "data": {"values": rows},
        "mark": {"type": "line", "strokeWidth": 1.5, "strokeDash": [5, 4], "color": _NEUTRAL},
    }


def _sentence(plan: "SeriesPlan") -> str:
    told = [
        f"{way.label}: NCP {way.releases[-1].ncp * 100:.3g} % and {way.releases[-1].stale_share * 100:.3g} %"
        f" stale after {len(way.releases):,} releases"
        for way in plan.ways
        if way.releases
    ]
    if plan.alone:
        told.append(f"each release alone: NCP {plan.alone[-1] * 100:.3g} %")
    return visible(f"{'; '.join(told)}.")

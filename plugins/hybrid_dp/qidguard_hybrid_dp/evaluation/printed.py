"""What the paper prints of Adult, beside what was measured: published facts, not our results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.sdk import ResultTable
from qidguard_hybrid_dp.evaluation.trial import HYBRID, PLAIN

if TYPE_CHECKING:
    from qidguard_hybrid_dp.evaluation.evaluation import MeasuredTrial


@dataclass(frozen=True, kw_only=True)
class PrintedFigure:
    """A figure that the paper prints and we measure here.

    Args:
        name: What it tells.
        printed: The figure as printed.
        cluster: Which setting of ours it is held against.
        ours: Returns ours of some trials, or nothing where it needs others.
        why: What to know of the two.
    """

    name: str
    printed: str
    cluster: str
    ours: "Callable[[Sequence[MeasuredTrial], Sequence[MeasuredTrial]], str]"
    why: str


def _originality(ours: "Sequence[MeasuredTrial]", plain: "Sequence[MeasuredTrial]") -> str:
    shares = [one.originality.share for one in ours]
    beside = [one.originality.share for one in plain]
    told = f"{100 * max(shares):.1f} to {100 * min(shares):.1f} %"
    return f"{told}; plain {100 * max(beside):.1f} to {100 * min(beside):.1f} %" if beside else told


def _faster(ours: "Sequence[MeasuredTrial]", plain: "Sequence[MeasuredTrial]") -> str:
    beside = {one.trial.k: one.trial.total for one in plain}
    ratios = [beside[one.trial.k] / one.trial.total for one in ours if one.trial.k in beside]
    return f"{min(ratios):.2f} to {max(ratios):.2f} × plain" if ratios else ""


def _outside(ours: "Sequence[MeasuredTrial]", plain: "Sequence[MeasuredTrial]") -> str:
    _ = plain
    return f"{sum(number.outside for one in ours for number in one.statistics)} numbers outside"


PRINTED = (
    PrintedFigure(
        name="originality",
        printed="60.81 %",
        cluster="violating",
        ours=_originality,
        why="the paper's quasi-identifiers and scale are not told",
    ),
    PrintedFigure(
        name="originality",
        printed="60.81 %",
        cluster="both",
        ours=_originality,
        why="Fig. 11 implies that both parts are clustered",
    ),
    PrintedFigure(
        name="time",
        printed="3.13 × faster",
        cluster="violating",
        ours=_faster,
        why="against plain k-member on the whole table, same kernel, one run",
    ),
    PrintedFigure(
        name="time",
        printed="3.13 × faster",
        cluster="both",
        ours=_faster,
        why="clusters of both parts save nothing",
    ),
    PrintedFigure(
        name="numbers outside their bounds",
        printed="none below 16",
        cluster="both",
        ours=_outside,
        why="noise is clamped to declared bounds",
    ),
)
"""What can be held against one evaluation; the README has the others."""


def printed_table(measured: "Sequence[MeasuredTrial]") -> ResultTable:
    """Return each printed figure beside ours, over every k and for each scale that was tried."""
    rows = []
    plain = [one for one in measured if one.trial.method == PLAIN]
    settings = dict.fromkeys(one.trial.settings for one in measured if one.trial.method == HYBRID)
    for figure in PRINTED:
        for told in settings:
            if told.split(", ")[0] != figure.cluster:
                continue
            ours = [one for one in measured if one.trial.method == HYBRID and one.trial.settings == told]
            rows.append((figure.name, figure.printed, told, figure.ours(ours, plain), figure.why))
    return ResultTable(
        name="printed",
        title="The paper's figures of Adult beside ours",
        columns=("figure", "printed", "setting", "ours", "why"),
        rows=tuple(rows),
    )

"""What the paper prints of Adult, beside what was measured: published facts, not our results."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qidguard.sdk import ResultTable
from qidguard_hybrid_dp.evaluation.trial import HYBRID, PLAIN

if TYPE_CHECKING:
    from qidguard_hybrid_dp.evaluation.evaluation import MeasuredTrial


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
    (
        "originality",
        "60.81 %",
        _originality,
        {
            "violating": "the paper's quasi-identifiers and scale are not told",
            "both": "Fig. 11 implies that both parts are clustered",
        },
    ),
    (
        "time",
        "3.13 × faster",
        _faster,
        {
            "violating": "against plain k-member on the whole table, same kernel, one run",
            "both": "clusters of both parts save nothing",
        },
    ),
    (
        "numbers outside their bounds",
        "none below 16",
        _outside,
        {"both": "noise is clamped to declared bounds"},
    ),
)
"""What can be held against one evaluation: a figure, as it is printed, ours by trials of the scheme and of
plain k-anonymity, and what to know of both by the clusters of ours. The README has the others."""


def printed_table(measured: "Sequence[MeasuredTrial]") -> ResultTable:
    """Return each printed figure beside ours, over every k and for each scale that was tried."""
    rows = []
    plain = [one for one in measured if one.trial.method == PLAIN]
    settings = dict.fromkeys(one.trial.settings for one in measured if one.trial.method == HYBRID)
    for name, printed, figure, known in PRINTED:
        for told in settings:
            why = known.get(told.split(", ")[0])
            if why is not None:
                ours = [one for one in measured if one.trial.method == HYBRID and one.trial.settings == told]
                rows.append((name, printed, told, figure(ours, plain), why))
    return ResultTable(
        name="printed",
        title="The paper's figures of Adult beside ours",
        columns=("figure", "printed", "setting", "ours", "why"),
        rows=tuple(rows),
    )

"""Which method a comparison recommends: by which measures it leads, by which not, and where one misleads."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from qidguard.sdk import part_document
from qidguard_comparison.row import LOSS, MethodRow, finite_figures

if TYPE_CHECKING:
    from qidguard_comparison.comparison import Comparison

MEASURES = {
    LOSS: "NCP",
    "hierarchy_ncp": "NCP by hierarchies",
    "information_loss": "information loss",
    "marginal_total_variation": "one-way tables",
    "two_way_total_variation": "two-way tables",
    "correlation_shift": "correlations",
    "mean_shift": "means",
    "model_f1_change": "model scores",
}
"""Metric → what it is called; by each of them smaller is better, but for model scores."""
_LARGER_IS_BETTER = {"model_f1_change"}
TABLES = ("marginal_total_variation", "two_way_total_variation")
"""Statistics that readers take from any table, and that NCP says nothing of."""
MOST_CHANGED = 0.5
"""Share of the published cells from which that they are not the original's is a warning."""
_CLOSE = 1e-9


@dataclass(frozen=True, kw_only=True)
class Behind:
    """A measure by which another method is better than the recommended one.

    Args:
        metric: The measure.
        value: The figure of the recommended method, in the metric's unit.
        best: The label of the method that is best by it.
        least: Its figure.
    """

    metric: str
    value: float
    best: str
    least: float


@dataclass(frozen=True, kw_only=True)
class MethodRecommendation:
    """The method that loses least NCP among those on which the policy holds, beside other measures.

    Args:
        label: The method.
        leads: The measures by which no other method on which the policy holds is better; none where there is
            no other.
        behind: The measures by which another one is.
        warnings: Sentences on where a single measure misleads.
    """

    label: str
    leads: tuple[str, ...] = ()
    behind: tuple[Behind, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON knows."""
        numbers = [finite_figures({"value": one.value, "least": one.least}) for one in self.behind]
        behind = [asdict(one) | found for one, found in zip(self.behind, numbers, strict=True)]
        told: dict[str, Any] = part_document({**vars(self), "behind": behind})
        return told


def recommendation_of(comparison: "Comparison") -> MethodRecommendation | None:
    """Return what is recommended; None where the policy holds on nothing."""
    best = comparison.best
    if best is None:
        return None
    passed = [row for row in comparison.methods if row.is_passed]
    leads, behind, worst = [], [], []
    for metric in MEASURES:
        rows = [row for row in passed if metric in row.figures]
        if best not in rows or len(rows) == 1:
            continue
        least_cost, label = min((_cost(row, metric), row.label) for row in rows)
        first = next(row for row in rows if row.label == label)
        value, least = best.figures[metric], first.figures[metric]
        if _cost(best, metric) <= least_cost + _CLOSE:
            leads.append(metric)
            continue
        behind.append(Behind(metric=metric, value=value, best=first.label, least=least))
        if metric in TABLES and value >= max(row.figures[metric] for row in rows):
            worst.append((metric, len(rows)))
    warnings = [
        f"NCP misleads here: {best.label} is best of {count} by it and worst by {MEASURES[metric]}, so look"
        " at what readers take from the table"
        for metric, count in worst
        if LOSS in leads
    ]
    return MethodRecommendation(
        label=best.label,
        leads=tuple(leads),
        behind=tuple(behind),
        warnings=(*warnings, *_of_the_table(best, comparison.records)),
    )


def _cost(row: MethodRow, metric: str) -> float:
    return -row.figures[metric] if metric in _LARGER_IS_BETTER else row.figures[metric]


def _of_the_table(row: MethodRow, records: int) -> list[str]:
    """Return what a share of lost detail does not tell of one table."""
    said = []
    if row.changed_share is not None and row.changed_share > MOST_CHANGED:
        said.append(
            f"{row.label} publishes another value than the original's in {row.changed_share * 100:.3g} % of"
            " the cells of its quasi-identifiers: a set, a range, a mark, a mean or a wrong value"
        )
    if row.records_suppressed:
        said.append(
            f"{row.label} leaves out {row.records_suppressed:,} of {records:,} records"
            f" ({row.records_suppressed / records * 100:.3g} %), whom no figure of the others speaks for"
        )
    return said


def sentences_of(found: MethodRecommendation) -> list[str]:
    """Return by which measures it leads, by which not, and the warnings."""
    said = []
    if found.leads:
        said.append(f"It leads by {_listed([MEASURES[metric] for metric in found.leads])}.")
    if found.behind:
        others = [
            f"{MEASURES[one.metric]} ({one.best}: {one.least:.3g} against {one.value:.3g})"
            for one in found.behind
        ]
        said.append(f"It does not by {_listed(others)}.")
    return [*said, *(f"Warning: {warning}." for warning in found.warnings)]


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"

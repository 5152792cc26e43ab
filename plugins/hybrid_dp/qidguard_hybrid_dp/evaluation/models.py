"""Models that learned from published records, tested on original ones (Table VII, Fig. 13)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from qidguard.sdk import Plot, ResultTable, shown_name
from qidguard_hybrid_dp.charts import Part, lines_by_k, panel, plot, spans
from qidguard_hybrid_dp.evaluation.risk import Mean, mean_of
from qidguard_hybrid_dp.evaluation.trial import CaseTrial
from qidguard_learning import LearningDesign, ModelUtility

LEARNERS = ("random_forest", "logistic_regression")
"""The paper's model, and one that needs straight lines."""


@dataclass(frozen=True, kw_only=True)
class ModelRow:
    """One model that learned from one published table.

    Args:
        k: The k that was asked for.
        label: The method with its settings.
        model: The model.
        original: Mean accuracy of what learned from original records, 0..1.
        published: Mean accuracy of what learned from published records, 0..1.
        points: Published less original on the same splits, percentage points, with its 95 % interval.
    """

    k: int
    label: str
    model: str
    original: float
    published: float
    points: Mean


@dataclass(frozen=True, kw_only=True)
class ModelStudy:
    """Models beside one another; it holds names and figures, no value of the table.

    Args:
        target: What they predict.
        rows: A row for each table and model.
        design: How they were tried.
        failed: Methods that could not be done.
    """

    target: str
    rows: tuple[ModelRow, ...] = field(repr=False)
    design: LearningDesign
    failed: tuple[CaseTrial, ...] = ()
    is_interrupted: ClassVar[bool] = False
    """Who stops models while they learn has no study."""

    @property
    def headline(self) -> str:
        """How models were tried."""
        told = [
            f"LEARNED  {len(self.rows)} models predict {shown_name(self.target)}; {self.design}",
            "  accuracy on original records that no model has seen; splits share records: intervals guide",
        ]
        told += [f"  no figures  k={one.k}, {one.label}: {one.reason}" for one in self.failed]
        return "\n".join(told)

    def tables(self) -> tuple[ResultTable, ...]:
        """Return accuracies and their differences in percentage points."""
        return (
            ResultTable(
                name="models",
                title="Accuracy (3) on original records, learned from published and from original ones",
                columns=("k", "method", "model", "original", "published", "points", "from", "to"),
                rows=tuple(
                    (
                        row.k,
                        row.label,
                        row.model,
                        round(row.original, 5),
                        round(row.published, 5),
                        *(round(one, 3) for one in (row.points.value, row.points.low, row.points.high)),
                    )
                    for row in self.rows
                ),
                note="points: published less original on the same splits, percentage points, 95 % interval.",
            ),
        )

    def plots(self) -> dict[str, Plot]:
        """Return the differences over k, a panel for each model."""
        rows: list[Part] = [
            {"method": row.label, "k": row.k, "model": row.model, "points": row.points.value}
            for row in self.rows
        ]
        panels = []
        for model in dict.fromkeys(row["model"] for row in rows):
            some = [row for row in rows if row["model"] == model]
            chart = lines_by_k(some, "points", "points of accuracy", "~g")
            panels.append(panel(model.replace("_", " "), chart, some, width=290, height=200))
        return {
            "accuracy": plot(
                "Accuracy lost by learning from published records",
                f"Points of accuracy less than from original records: {spans(rows, 'points')}.",
                concat=panels,
                columns=2,
                spacing=24,
            )
        }


def model_rows(
    made: Sequence[tuple[int, str]], found: Mapping[str, ModelUtility], models: Sequence[str]
) -> tuple[ModelRow, ...]:
    """Return a row for each published table, by its k and method, and each model."""
    rows = []
    for (k, label), one in zip(made, found.values(), strict=True):
        for place, model in enumerate(models):
            original, published = one.original_accuracy[place], one.published_accuracy[place]
            rows.append(
                ModelRow(
                    k=k,
                    label=label,
                    model=model,
                    original=float(np.mean(original)),
                    published=float(np.mean(published)),
                    points=mean_of(100 * (published - original)),
                )
            )
    return tuple(rows)

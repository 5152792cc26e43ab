"""Models that learned from published records, tested on original ones (Table VII, Fig. 13)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from qidguard.sdk import NotMeasurable, Plot, Progress, ResultTable, UserError, shown_name
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.evaluation_plots import SCHEMA, Row, lines_by_k, spans
from qidguard_hybrid_dp.evaluation.risk import Mean, mean_of
from qidguard_hybrid_dp.evaluation.trial import CaseTrial
from qidguard_learning import LearningDesign, ModelUtility, compare_models

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
        rows: list[Row] = [
            {"method": row.label, "k": row.k, "model": row.model, "points": row.points.value}
            for row in self.rows
        ]
        panels = []
        for model in dict.fromkeys(row["model"] for row in rows):
            some = [row for row in rows if row["model"] == model]
            chart = lines_by_k(some, "points", "points of accuracy", shown="~g", height=200)
            title = {"text": model.replace("_", " "), "anchor": "start", "fontSize": 12}
            panels.append({**chart, "data": {"values": some}, "title": title, "width": 290})
        return {
            "accuracy": Plot(
                title="Accuracy lost by learning from published records",
                alternative=f"Points of accuracy less than from original records: {spans(rows, 'points')}.",
                chart={"$schema": SCHEMA, "concat": panels, "columns": 2, "spacing": 24},
            )
        }


def models_in(
    case: PrivacyCase,
    trials: Sequence[CaseTrial],
    *,
    models: Sequence[str] = LEARNERS,
    design: LearningDesign | None = None,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> ModelStudy:
    """Return how accurate models are that learned from what methods publish.

    Models learn from the quasi-identifiers alone, as in the paper: it removes all other columns.

    Args:
        case: The table, with its target.
        trials: What methods made of it.
        models: Names out of ``qidguard_learning.MODELS``.
        design: Splits and sample; None takes 10 splits of all records.
        progress: Hears of each model on each split.
        is_stopped: Asked about ten times a second whether to stop.

    Raises:
        UserError: When there is no target.
        NotMeasurable: When no method can publish a table.
    """
    if case.target is None:
        raise UserError("models need a target to predict; name its column")
    made = {(one.k, one.label): one.done.changes for one in trials if one.done is not None}
    failed = tuple(one for one in trials if one.done is None)
    if not made:
        raise NotMeasurable("no method can publish this table, so no model can learn from one")
    asked = LearningDesign(sample=0) if design is None else design
    found = compare_models(
        {f"k={k}, {label}": changes for (k, label), changes in made.items()},
        case.target,
        case.qids,
        models=tuple(models),
        design=asked,
        seed=case.seed,
        progress=progress,
        is_interrupted=is_stopped,
    )
    return ModelStudy(
        target=case.target, rows=_rows(list(made), found, tuple(models)), design=asked, failed=failed
    )


def _rows(
    made: Sequence[tuple[int, str]], found: Mapping[str, ModelUtility], models: Sequence[str]
) -> tuple[ModelRow, ...]:
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

"""Several published tables of one original, compared by the same models on the same splits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from qidguard.core.errors import NotMeasurable, UserError
from qidguard.core.progress import Progress
from qidguard.core.result_table import Cell, ResultTable
from qidguard.core.versions import Changes
from qidguard.learning.material import Material, material
from qidguard.learning.models import MODELS, check_models
from qidguard.learning.splits import LearningDesign, splits
from qidguard.learning.utility import ModelUtility, joined, one_model
from qidguard.learning.working import trained_on_all

_DESIGN = LearningDesign()


def compare_models(
    published: Mapping[str, Changes],
    target: str,
    columns: tuple[str, ...] | None = None,
    *,
    models: Sequence[str] = MODELS,
    design: LearningDesign = _DESIGN,
    seed: int = 0,
    progress: Progress | None = None,
    is_interrupted: Callable[[], bool] = lambda: False,
) -> dict[str, ModelUtility]:
    """Return how well models predict that learned from each of several published tables of one original.

    The splits are the same for all tables, and from the original each model learns once a split and not once
    a table: the original's scores are the same arrays in every answer. Otherwise each table is tried as
    ``model_utility`` tries one.

    Args:
        published: A label → the original beside that table; all of the same original.
        target: The column that is predicted, of 2 to 20 values.
        columns: What models learn from, at least one, published in every table; None takes every published
            column but the target.
        models: Names out of ``MODELS``.
        design: Splits, sample and score. The support vector machine's time grows with the square of the
            sample.
        seed: Seeds splits and models: the same seed gives the same scores, whatever the number of threads.
        progress: Hears of each model on each split.
        is_interrupted: Asked about ten times a second whether to stop.

    Returns:
        The scores under each label, in the order given; shape (models, splits), 0..1.

    Raises:
        NotMeasurable: As ``model_utility`` does; it names the table.
        UserError: When there is no table, they are of different originals or publish different columns, a
            column is in none of them, a model has another name, or the positive class is no value of the
            target.
        KeyboardInterrupt: When it was interrupted.

    Example:
        >>> from qidguard.learning.example import two_tables
        >>> two, tree = LearningDesign(repeats=2), ("decision_tree",)
        >>> found = compare_models({"k=20": two_tables()}, "income", ("age",), models=tree, design=two)
        >>> found["k=20"].mean_f1("decision_tree")
        1.0
    """
    check_models(models)
    made = _materials(published, target, columns, design.positive)
    first = made[0]
    parts = splits(
        first.labels, repeats=design.repeats, test_share=design.test_share, sample=design.sample, seed=seed
    )
    trained = trained_on_all(
        made, tuple(models), parts, design, progress=progress, is_interrupted=is_interrupted
    )
    return {
        label: joined(
            [
                one_model(model, first.columns, rows, design, table)
                for model, rows in zip(models, trained, strict=True)
            ]
        )
        for table, label in enumerate(published, 1)
    }


def model_table(found: Mapping[str, ModelUtility]) -> ResultTable:
    """Return compared models as a table: F1 by original and published records, p-value and effect size.

    Args:
        found: What ``compare_models`` returned, at least one.

    Returns:
        A row for each model in each published table.

    Raises:
        UserError: When there is nothing to show.

    Example:
        >>> from qidguard.learning.example import utility_example
        >>> model_table({"k=20": utility_example()}).rows
        (('k=20', 'decision_tree', 0.8, 0.6, -0.2, 0.1, -1.0),)
    """
    if not found:
        raise UserError("no table was compared, so there is nothing to show")
    rows: list[tuple[Cell, ...]] = [
        (
            label,
            model,
            round(one.original_mean_f1(model), 6),
            round(one.mean_f1(model), 6),
            round(one.f1_change(model), 6),
            one.p_value(model),
            round(one.effect_size(model), 6),
        )
        for label, one in found.items()
        for model in one.models
    ]
    design = next(iter(found.values())).design
    return ResultTable(
        name="models",
        title="Models by original and by published records",
        columns=("table", "model", "original_f1", "published_f1", "f1_change", "p_value", "effect_size"),
        rows=tuple(rows),
        note=f"{f'{design}. ' if design else ''}p-value: Mann and Whitney's U test of the splits' F1, which "
        "share records; effect size: rank-biserial correlation.",
    )


def _materials(
    published: Mapping[str, Changes], target: str, columns: tuple[str, ...] | None, positive: str | None
) -> list[Material]:
    """Return what models learn from in each table, once it is sure that they can be compared."""
    if not published:
        raise UserError("models are compared over published tables; name at least one")
    made: dict[str, Material] = {}
    for label, changes in published.items():
        for name in (target, *(columns or ())):
            if name not in changes.after.names:
                raise UserError(f"the table {label!r} has no column {name!r}; name published columns")
        try:
            made[label] = replace(material(changes, target, columns, positive), table=label)
        except NotMeasurable as reason:
            raise NotMeasurable(f"{label}: {reason}") from None
    (first_label, first), *others = made.items()
    for label, one in others:
        if one.columns != first.columns:
            raise UserError(
                f"the tables {first_label!r} and {label!r} publish different columns; name some of both"
            )
        if not _is_same_original(one, first):
            raise UserError(
                f"the tables {first_label!r} and {label!r} are of different originals; compare those of one"
            )
    return list(made.values())


def _is_same_original(one: Material, other: Material) -> bool:
    """Whether two materials have the same original records, as far as models see them."""
    return np.array_equal(one.labels, other.labels) and all(
        np.array_equal(mine.before, its.before)
        and np.array_equal(mine.original, its.original, equal_nan=True)
        for mine, its in zip(one.features, other.features, strict=True)
    )

"""Several published tables of one original, compared by the same models on the same splits."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

import numpy as np

from qidguard.sdk import Cell, Changes, NotMeasurable, Progress, ResultTable, UserError
from qidguard_learning.material import Material, material
from qidguard_learning.models import MODELS, check_models
from qidguard_learning.splits import LearningDesign
from qidguard_learning.utility import ModelUtility, joined, one_model
from qidguard_learning.working import trained_on_all

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
        >>> from qidguard_learning.example import two_tables
        >>> two, tree = LearningDesign(repeats=2), ("decision_tree",)
        >>> found = compare_models({"k=20": two_tables()}, "income", ("age",), models=tree, design=two)
        >>> found["k=20"].mean_f1("decision_tree")
        1.0
    """
    check_models(models)
    made = _materials(published, target, columns, design.positive)
    trained = trained_on_all(made, models, design, seed, progress=progress, is_interrupted=is_interrupted)
    return {
        label: joined(
            [
                one_model(model, made[0].columns, rows, design, table)
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
        >>> from qidguard_learning.example import utility_example
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


class _Asked(NamedTuple):
    target: str
    columns: tuple[str, ...] | None
    model: str
    design: LearningDesign


_KNOWN: dict[int, tuple["weakref.ref[Changes]", dict[_Asked, ModelUtility]]] = {}
_LOCK = Lock()


def model_utility(
    changes: Changes,
    target: str,
    columns: tuple[str, ...] | None = None,
    *,
    models: Sequence[str] = MODELS,
    design: LearningDesign = _DESIGN,
    progress: Progress | None = None,
    is_interrupted: Callable[[], bool] = lambda: False,
) -> ModelUtility:
    """Return how well models predict original records, having learned from published and original ones.

    For each split records of the original are drawn and parted by class. A model learns from the one part, as
    it is and as it is published (suppressed records are missing there), and predicts the other as it is. The
    six models and the repeated splits are those of Wei, Benson, Agor & Capan 2024, Multi-objective
    optimization-based anonymization of structured data for machine learning. The splits come from
    ``changes.seed``, and so does what is random in a model, alike for both tables: where nothing was changed
    all scores are the same. What is found is kept as long as ``changes`` is; neither the number of threads
    nor the order of questions changes it. Records of one entity may stand in both parts.

    Numbers are standardized, an interval counts as its middle, a centroid as itself, a suppressed number as
    the mean; text is one feature a value, and a generalized cell has 1/s in each of the s values that it
    covers. NULL is a value of its own, except in the target, where the record is left out.

    Args:
        changes: The original beside what is published of it, such as ``RehearsedTable.changes``.
        target: The column that is predicted, of 2 to 20 values.
        columns: What models learn from; None takes every published column but the target. Those that are not
            published are left out: ``ModelUtility.columns`` has the others.
        models: Names out of ``MODELS``.
        design: Splits, sample and score.
        progress: Hears of each model on each split.
        is_interrupted: Asked about ten times a second whether to stop.

    Returns:
        Scores, shape (models, splits), 0..1.

    Raises:
        NotMeasurable: When nobody knows which published record is which, the target has fewer than 2 values
            (an empty table has none) or more than 20, the target or all columns are not published, a
            published value cannot be read, or no record of a part is published.
        UserError: When a model has another name, or the positive class is no value of the target.
        KeyboardInterrupt: When it was interrupted.

    Example:
        >>> from qidguard_learning.example import two_tables
        >>> two, tree = LearningDesign(repeats=2), ("decision_tree",)
        >>> found = model_utility(two_tables(), "income", ("age",), models=tree, design=two)
        >>> found.original_f1.tolist(), found.published_f1.tolist()
        ([[1.0, 1.0]], [[1.0, 1.0]])
    """
    check_models(models)
    with _LOCK:
        known = _remembered(changes)
        asked = [_Asked(target, columns, model, design) for model in models]
        new = [one.model for one in asked if one not in known]
        if new:
            made = material(changes, target, columns, design.positive)
            trained = trained_on_all(
                [made], new, design, changes.seed, progress=progress, is_interrupted=is_interrupted
            )
            for model, rows in zip(new, trained, strict=True):
                known[_Asked(target, columns, model, design)] = one_model(model, made.columns, rows, design)
        return joined([known[one] for one in asked])


def _remembered(changes: Changes) -> dict[_Asked, ModelUtility]:
    """Return what is known of these changes; it is forgotten with them."""
    place = id(changes)
    if place not in _KNOWN or _KNOWN[place][0]() is not changes:
        # by identity: two tables are as costly to compare as to hash
        _KNOWN[place] = weakref.ref(changes, lambda _: _KNOWN.pop(place, None)), {}
    return _KNOWN[place][1]

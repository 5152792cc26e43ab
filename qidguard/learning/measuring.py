"""Measuring model utility, once for each question that is asked of the same two tables."""

import weakref
from collections.abc import Callable, Sequence
from threading import Lock
from typing import NamedTuple

from qidguard.core.progress import Progress
from qidguard.core.versions import Changes
from qidguard.learning.material import material
from qidguard.learning.models import MODELS, check_models
from qidguard.learning.splits import LearningDesign, splits
from qidguard.learning.utility import ModelUtility, joined, one_model
from qidguard.learning.working import trained_on_all


class _Asked(NamedTuple):
    target: str
    columns: tuple[str, ...] | None
    model: str
    design: LearningDesign


_DESIGN = LearningDesign()
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
        >>> from qidguard.learning.example import two_tables
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
            parts = splits(
                made.labels,
                repeats=design.repeats,
                test_share=design.test_share,
                sample=design.sample,
                seed=changes.seed,
            )
            trained = trained_on_all(
                [made], new, parts, design, progress=progress, is_interrupted=is_interrupted
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

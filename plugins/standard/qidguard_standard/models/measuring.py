"""Measuring model utility, once for each question that is asked of the same two tables."""

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

from qidguard.sdk import Changes, Progress
from qidguard_standard.models.material import material
from qidguard_standard.models.model_utility import ModelUtility, joined, one_model
from qidguard_standard.models.training import MODELS, splits
from qidguard_standard.models.working import trained_on_all


@dataclass(frozen=True, kw_only=True)
class Design:
    """How models are tried.

    Args:
        repeats: Number of splits, ≥ 1.
        test_share: Share of the records that is tested, 0 < share < 1.
        sample: Largest number of records in a split, ≥ 0; 0 means all.
        with_importance: Whether it is measured which columns a model goes by, too.
    """

    repeats: int = 10
    test_share: float = 0.3
    sample: int = 3000
    with_importance: bool = False

    def __post_init__(self) -> None:
        if self.repeats < 1 or self.sample < 0 or not 0 < self.test_share < 1:
            raise ValueError("models are tried in at least one split that has both parts")


class _Asked(NamedTuple):
    target: str
    qids: tuple[str, ...]
    model: str
    design: Design


_DESIGN = Design()
_KNOWN: dict[int, tuple["weakref.ref[Changes]", dict[_Asked, ModelUtility]]] = {}
_LOCK = Lock()


def model_utility(
    changes: Changes,
    target: str,
    qids: tuple[str, ...],
    *,
    models: tuple[str, ...] = MODELS,
    design: Design = _DESIGN,
    progress: Progress | None = None,
    is_interrupted: Callable[[], bool] = lambda: False,
) -> ModelUtility:
    """Return how well models predict original records, having learned from published and original ones.

    For each split records of the original are drawn and parted by class. A model learns from the one part, as
    it is and as it is published (suppressed records are missing there), and predicts the other as it is. The
    six models and the repeated splits are those of the MO-OBAM paper. The splits come from ``changes.seed``,
    and so does what is random in a model, alike for both tables: where nothing was changed all scores are the
    same. What is found is kept as long as ``changes`` is; neither the number of threads nor the order of
    questions changes it. Records of one entity may stand in both parts.

    Example:
        >>> from qidguard_standard.models.example import two_tables
        >>> two, tree = Design(repeats=2), ("decision_tree",)
        >>> found = model_utility(two_tables(), "income", ("age",), models=tree, design=two)
        >>> found.original_f1.tolist(), found.published_f1.tolist()
        ([[1.0, 1.0]], [[1.0, 1.0]])
    """
    with _LOCK:
        known = _remembered(changes)
        asked = [_Asked(target, qids, model, design) for model in models]
        new = [model_name for model_name in asked if model_name not in known]
        if new:
            made = material(changes, target, qids)
            columns = tuple(model_name.name for model_name in made.features)
            trained = trained_on_all(
                made,
                tuple(model_name.model for model_name in new),
                splits(
                    made.labels,
                    repeats=design.repeats,
                    test_share=design.test_share,
                    sample=design.sample,
                    seed=changes.seed,
                ),
                with_importance=design.with_importance,
                progress=progress,
                is_interrupted=is_interrupted,
            )
            known.update(
                {
                    model_name: one_model(model_name.model, columns, scores)
                    for model_name, scores in zip(new, trained, strict=True)
                }
            )
        return joined([known[model_name] for model_name in asked])


def _remembered(changes: Changes) -> dict[_Asked, ModelUtility]:
    """Return what is known of these changes; it is forgotten with them."""
    place = id(changes)
    if place not in _KNOWN or _KNOWN[place][0]() is not changes:
        # by identity: two tables are as costly to compare as to hash
        _KNOWN[place] = weakref.ref(changes, lambda _: _KNOWN.pop(place, None)), {}
    return _KNOWN[place][1]

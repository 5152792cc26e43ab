"""Models trained and scored, split by split."""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import NotMeasurable
from qidguard_learning.material import Material
from qidguard_learning.models import alone, classifier
from qidguard_learning.splits import LearningDesign, TrainTestSplit


@dataclass(frozen=True, kw_only=True)
class Scores:
    """How good a model is.

    Args:
        f1: 2·precision·recall/(precision + recall), the mean over the classes or that of the positive one; 0
            where a class is never right.
        accuracy: Share of the records that is predicted right.
        importance: Shape (columns,), the F1 that is lost when a column's values are shuffled among the tested
            records, ≥ 0; None where nobody asked.
    """

    f1: float
    accuracy: float
    importance: NDArray[np.float64] | None


class _Records(NamedTuple):
    """Records as one table has them: features, and classes."""

    values: NDArray[np.float64]
    labels: NDArray[np.int64]


def trained(
    materials: Sequence[Material],
    model: str,
    split: TrainTestSplit,
    design: LearningDesign,
    is_stopped: Callable[[], bool] = lambda: False,
) -> tuple[Scores, ...]:
    """Return the scores of what learned from original records, then from the same as each table has them.

    The materials are of the same original, from which is learned once for all of them.
    """
    first = materials[0]
    train, test = _original(first, split.train), _original(first, split.test)
    scores = [_scores(train, test, first, model, split.seed, design)]
    for one in materials:
        if is_stopped():
            raise CancelledError
        train = _published(one, split.train, "learn from")
        seen = _published(one, split.test, "predict") if design.tested_on == "published" else test
        scores.append(_scores(train, seen, first, model, split.seed, design))
    return tuple(scores)


def _original(material: Material, records: NDArray[np.int64]) -> _Records:
    return _Records(material.original(records), material.labels[records])


def _published(material: Material, records: NDArray[np.int64], purpose: str) -> _Records:
    """Return those of some original records that are published with a class, as they are published."""
    if material.is_new and purpose == "predict":
        raise NotMeasurable("No record of a new table is one of the original; test on the original instead.")
    places = _of_new(material, len(records)) if material.is_new else material.place[records]
    places = places[places >= 0]
    places = places[material.published_labels[places] >= 0]
    if not len(places):
        which = f"{material.table}: " if material.table else ""
        raise NotMeasurable(
            f"{which}None of the {len(records):,} records to {purpose} is published with a class; "
            "suppress less or take a larger sample."
        )
    return _Records(material.published(places), material.published_labels[places])


def _of_new(material: Material, records: int) -> NDArray[np.int64]:
    """Return as many records of a new table as asked for, spread evenly; all, where it has fewer."""
    every = len(material.published_labels)
    return np.unique(np.linspace(0, every - 1, min(records, every)).astype(np.int64))


@dataclass(frozen=True, kw_only=True)
class _Learned:
    """A fitted model with the scale of its features."""

    model: Any
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    only: int | None

    @classmethod
    def of(
        cls,
        values: NDArray[np.float64],
        labels: NDArray[np.int64],
        is_number: NDArray[np.bool_],
        model: Any,
    ) -> "_Learned":
        """Fit a model to features as they come."""
        is_known = np.isfinite(values)
        known = np.maximum(is_known.sum(axis=0), 1)
        mean = np.where(is_known, values, 0.0).sum(axis=0) / known
        spread = np.sqrt((np.where(is_known, values - mean, 0.0) ** 2).sum(axis=0) / known)
        # what does not vary here, but for rounding, teaches nothing: it is 0 wherever it is met again
        varies = spread > _CONSTANT * np.maximum(1.0, np.abs(mean))
        spread = np.where(varies, np.where(is_number, spread, 1.0), np.inf)
        # records that look all alike teach no more than which class is the most frequent
        is_plain = not varies.any() or bool((labels == labels[0]).all())
        only = int(np.bincount(labels).argmax()) if is_plain else None
        learned = cls(model=model, mean=mean, spread=spread, only=only)
        if only is None:
            learned.model.fit(learned.scaled(values), labels)
        return learned

    def scaled(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return centered features, numbers in standard deviations; an unknown one stands at the mean."""
        return np.where(np.isfinite(values), (values - self.mean) / self.spread, 0.0)

    def predicted(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class of each record; the same for all, where there was no other to learn."""
        if self.only is not None:
            return np.full(len(values), self.only)
        return np.asarray(self.model.predict(self.scaled(values)))


def _scores(
    train: _Records, test: _Records, material: Material, model: str, seed: int, design: LearningDesign
) -> Scores:
    with alone(model):
        learned = _Learned.of(train.values, train.labels, material.is_number, classifier(model, seed))
        return _tested(learned, test, material, seed, design)


def _tested(
    learned: "_Learned", test: _Records, material: Material, seed: int, design: LearningDesign
) -> Scores:
    predicted = learned.predicted(test.values)
    f1 = _f1(test.labels, predicted, material.positive)
    widths = [feature.width for feature in material.features] if design.with_importance else []
    importance = np.zeros(len(widths)) if widths else None
    end = 0
    for column, width in enumerate(widths):
        begin, end = end, end + width
        shuffled = test.values.copy()
        # the same shuffle for all tables, so that equal models give equal importances
        order = np.random.default_rng([seed, column]).permutation(len(shuffled))
        shuffled[:, begin:end] = test.values[order, begin:end]
        if importance is not None:
            lost = f1 - _f1(test.labels, learned.predicted(shuffled), material.positive)
            importance[column] = max(0.0, lost)
    return Scores(f1=f1, accuracy=float((test.labels == predicted).mean()), importance=importance)


def _f1(truth: NDArray[np.int64], predicted: NDArray[np.int64], positive: int | None) -> float:
    return macro_f1(truth, predicted) if positive is None else class_f1(truth, predicted, positive)


def class_f1(truth: NDArray[np.int64], predicted: NDArray[np.int64], label: int) -> float:
    """Return the F1 of one class, 2·right/(said + there), 0 where it is never right."""
    right = int(((truth == label) & (predicted == label)).sum())
    return 2 * right / max(1, int((truth == label).sum() + (predicted == label).sum()))


def macro_f1(truth: NDArray[np.int64], predicted: NDArray[np.int64]) -> float:
    """Return the mean F1 over the classes that occur in the truth or in what was said.

    F1 of a class is 2·right/(said + there), 0 where it is never right.
    """
    if not len(truth):
        raise ValueError("there is nobody to be predicted")
    classes = np.union1d(truth, predicted)
    right = np.array([((truth == label) & (predicted == label)).sum() for label in classes])
    both = np.array([(truth == label).sum() + (predicted == label).sum() for label in classes])
    return float((2 * right / both).mean())


_CONSTANT = 1e-12

"""Training: a model learns from one split, original and published, and is tried on original records."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidguard import NotMeasurable
from qidguard_standard.models.classifiers import classifier
from qidguard_standard.models.material import Material
from qidguard_standard.models.splits import Split


@dataclass(frozen=True, kw_only=True)
class Scores:
    """How good a model is.

    Args:
        f1: Mean over the classes of 2·precision·recall/(precision + recall), 0 where a class is never right.
        accuracy: Share of the records that is predicted right.
        importance: Shape (columns,), the F1 that is lost when a column's values are shuffled among the tested
            records, ≥ 0; None where nobody asked.
    """

    f1: float
    accuracy: float
    importance: NDArray[np.float64] | None


def trained(material: Material, model: str, split: Split, *, with_importance: bool) -> tuple[Scores, Scores]:
    """Return the scores of what learned from original records, and from the same records as published.

    Args:
        material: The records.
        model: The model's name.
        split: Who is learned from and who is tested.
        with_importance: Whether importances are measured.

    Raises:
        NotMeasurable: When none of the records to learn from is published.
    """
    test, truth = material.original(split.test), material.labels[split.test]
    places = material.place[split.train]
    places = places[places >= 0]
    places = places[material.published_labels[places] >= 0]
    if not len(places):
        raise NotMeasurable(
            f"None of the {len(split.train):,} records to learn from is published with a class; "
            "suppress less or take a larger sample."
        )
    labels, numbers = material.labels[split.train], material.is_number
    original = _Learned.of(material.original(split.train), labels, numbers, classifier(model, split.seed))
    labels = material.published_labels[places]
    published = _Learned.of(material.published(places), labels, numbers, classifier(model, split.seed))
    widths = [one.width for one in material.features] if with_importance else []
    return (
        _scores(original, test, truth, widths, split.seed),
        _scores(published, test, truth, widths, split.seed),
    )


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
        only = int(labels[0]) if (labels == labels[0]).all() else None
        learned = cls(model=model, mean=mean, spread=spread, only=only)
        if only is None:
            learned.model.fit(learned.scaled(values), labels)
        return learned

    def scaled(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return centred features, numbers in standard deviations; an unknown one stands at the mean."""
        return np.where(np.isfinite(values), (values - self.mean) / self.spread, 0.0)

    def predicted(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class of each record; the only one, where there was no other to learn."""
        if self.only is not None:
            return np.full(len(values), self.only)
        return np.asarray(self.model.predict(self.scaled(values)))


def _scores(
    learned: _Learned, test: NDArray[np.float64], truth: NDArray[np.int64], widths: list[int], seed: int
) -> Scores:
    said = learned.predicted(test)
    f1 = macro_f1(truth, said)
    importance = np.zeros(len(widths)) if widths else None
    end = 0
    for column, width in enumerate(widths):
        begin, end = end, end + width
        shuffled = test.copy()
        # the same shuffle for both tables, so that equal models give equal importances
        order = np.random.default_rng([seed, column]).permutation(len(test))
        shuffled[:, begin:end] = test[order, begin:end]
        if importance is not None:
            importance[column] = max(0.0, f1 - macro_f1(truth, learned.predicted(shuffled)))
    return Scores(f1=f1, accuracy=float((truth == said).mean()), importance=importance)


def macro_f1(truth: NDArray[np.int64], said: NDArray[np.int64]) -> float:
    """Return the mean F1 over the classes that occur in the truth or in what was said.

    F1 of a class is 2·right/(said + there), 0 where it is never right.

    Args:
        truth: The class of each record, at least one.
        said: The class that a model says.

    Returns:
        The score.

    Units:
        A score, 0..1.

    Raises:
        ValueError: When there is no record.

    Example:
        >>> macro_f1(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])).__round__(4)
        0.7333
    """
    if not len(truth):
        raise ValueError("there is nobody to be predicted")
    classes = np.union1d(truth, said)
    right = np.array([((truth == one) & (said == one)).sum() for one in classes])
    both = np.array([(truth == one).sum() + (said == one).sum() for one in classes])
    return float((2 * right / both).mean())


_CONSTANT = 1e-12

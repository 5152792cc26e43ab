"""Models trained and scored, split by split."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import NotMeasurable
from qidguard_standard.models.material import Material

MODELS = (
    "decision_tree",
    "logistic_regression",
    "naive_bayes",
    "neural_network",
    "random_forest",
    "support_vector_machine",
)
"""The names of the models, as policies write them."""


def classifier(model: str, seed: int) -> Any:
    """Return a new, unfitted classifier of scikit-learn.

    Their settings are scikit-learn's own but for these: the tree and the forest ask for two records a leaf,
    so that one record is no rule, and the forest has 60 trees; the neural network has one hidden layer of 50
    units, a learning rate of 0.01 and 40 rounds; logistic regression stops after 300. Naive Bayes takes each
    feature for Gaussian and adds a tenth of the largest variance to each, or rare categories would decide
    alone. The support vector machine has a radial kernel.

    Example:
        >>> classifier("naive_bayes", 0)
        GaussianNB(var_smoothing=0.1)
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    made = {
        "decision_tree": lambda: DecisionTreeClassifier(min_samples_leaf=2, random_state=seed),
        "logistic_regression": lambda: LogisticRegression(max_iter=300),
        "naive_bayes": lambda: GaussianNB(var_smoothing=0.1),
        "neural_network": lambda: MLPClassifier(
            hidden_layer_sizes=(50,), max_iter=40, learning_rate_init=0.01, random_state=seed
        ),
        "random_forest": lambda: RandomForestClassifier(
            n_estimators=60, min_samples_leaf=2, n_jobs=1, random_state=seed
        ),
        "support_vector_machine": SVC,
    }
    return made[model]()


@dataclass(frozen=True, kw_only=True)
class Split:
    """One split.

    Args:
        train: Records of the original to learn from.
        test: Records of the original to be predicted, none of them in ``train``.
        seed: Seeds the model.
    """

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    seed: int


def splits(
    labels: NDArray[np.int64], *, repeats: int, test_share: float, sample: int, seed: int
) -> tuple[Split, ...]:
    """Draw splits, each from a seeded sample of its own and in proportion to the classes."""
    known = np.flatnonzero(labels >= 0)
    drawn = []
    for repeat in range(repeats):
        generator = np.random.default_rng([seed, repeat])
        order = generator.permutation(known)
        if sample:
            order = order[:sample]
        is_test = np.zeros(len(order), dtype=np.bool_)
        for label in np.unique(labels[order]):
            places = np.flatnonzero(labels[order] == label)
            tested = min(len(places) - 1, max(1, round(test_share * len(places))))
            is_test[places[:tested]] = True
        drawn.append(
            Split(
                train=np.sort(order[~is_test]),
                test=np.sort(order[is_test]),
                seed=int(generator.integers(2**31)),
            )
        )
    return tuple(drawn)


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
    """Return the scores of what learned from original records, and from the same records as published."""
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
    widths = [feature.width for feature in material.features] if with_importance else []
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
        """Return centered features, numbers in standard deviations; an unknown one stands at the mean."""
        return np.where(np.isfinite(values), (values - self.mean) / self.spread, 0.0)

    def predicted(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class of each record; the only one, where there was no other to learn."""
        if self.only is not None:
            return np.full(len(values), self.only)
        return np.asarray(self.model.predict(self.scaled(values)))


def _scores(
    learned: _Learned, test: NDArray[np.float64], truth: NDArray[np.int64], widths: list[int], seed: int
) -> Scores:
    predicted = learned.predicted(test)
    f1 = macro_f1(truth, predicted)
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
    return Scores(f1=f1, accuracy=float((truth == predicted).mean()), importance=importance)


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

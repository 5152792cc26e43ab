"""The probability that a record is of the published table, by a model fitted to both tables."""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from qidguard import NotMeasurable

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST_LEAF = 20
"""Records in a leaf of the tree."""
PERMUTATIONS = 10
"""Permutations that the expected value of a tree is taken over."""
_ROUNDS = 500
_TOLERANCE = 1e-8


def scores(
    features: "NDArray[np.float64]", is_published: "NDArray[np.bool_]", model: str
) -> "NDArray[np.float64]":
    """Return for each record the probability of being published.

    Args:
        features: Shape (records, features).
        is_published: Shape (records,), both kinds present.
        model: ``logistic`` or ``cart``.

    Returns:
        Probabilities; the share of published records everywhere where there is no feature.

    Units:
        Shares, 0..1.

    Raises:
        NotMeasurable: When the regression does not converge.

    Example:
        >>> scores(np.zeros((4, 0)), np.array([False, False, True, True]), "logistic").tolist()
        [0.5, 0.5, 0.5, 0.5]
    """
    if not features.shape[1]:
        return np.full(len(features), is_published.mean())
    return _tree(features, is_published) if model == "cart" else _regression(features, is_published)


def _regression(features: "NDArray[np.float64]", is_published: "NDArray[np.bool_]") -> "NDArray[np.float64]":
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    # the other solvers of second order lose their way where the tables are the same and 0 is the answer
    model = LogisticRegression(solver="newton-cg", max_iter=_ROUNDS, tol=_TOLERANCE)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            model.fit(features, is_published)
        except ConvergenceWarning:
            raise NotMeasurable(
                f"The regression that tells the tables apart does not converge in {_ROUNDS} rounds; name"
                " fewer QIDs or set model to cart."
            ) from None
    found: NDArray[np.float64] = model.predict_proba(features)[:, 1]
    return found


def _tree(features: "NDArray[np.float64]", is_published: "NDArray[np.bool_]") -> "NDArray[np.float64]":
    from sklearn.tree import DecisionTreeClassifier

    # the seed breaks ties between features only; one for all keeps the figure a function of the tables
    model = DecisionTreeClassifier(min_samples_leaf=SMALLEST_LEAF, random_state=0)
    found: NDArray[np.float64] = model.fit(features, is_published).predict_proba(features)[:, 1]
    return found


def expected_by_permutation(
    features: "NDArray[np.float64]",
    is_published: "NDArray[np.bool_]",
    seed: int,
    is_interrupted: Callable[[], bool],
) -> float:
    """Return the mean pMSE of a tree when it is chance alone which records are published (Snoke et al. 2018).

    Args:
        features: Shape (records, features).
        is_published: Shape (records,).
        seed: Seeds the permutations.
        is_interrupted: Whether the caller asked to stop.

    Returns:
        The expected value, ≥ 0.

    Units:
        Squared probabilities.

    Raises:
        KeyboardInterrupt: When the caller asked to stop.

    Example:
        >>> expected_by_permutation(np.zeros((4, 0)), np.array([False, True] * 2), 0, lambda: False)
        0.0
    """
    random = np.random.default_rng([seed, 2])
    found = []
    for _ in range(PERMUTATIONS):
        if is_interrupted():
            raise KeyboardInterrupt
        shuffled = random.permutation(is_published)
        found.append(float(((scores(features, shuffled, "cart") - shuffled.mean()) ** 2).mean()))
    return float(np.mean(found))

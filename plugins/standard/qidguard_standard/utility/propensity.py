"""Propensity: features of records, and the chance that a record is a published one."""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import NotMeasurable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard_standard.utility.changed_columns import ChangedColumn


MOST_LEVELS = 50
"""The most frequent values of a text column that have an indicator of their own; the rest share one."""


def features(
    columns: "tuple[ChangedColumn, ...]", before: "NDArray[np.int64]", after: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    """Return the features of some original records, followed by those of some published ones.

    Numbers are standardized, with the middle of a generalized cell; NULL and suppressed cells stand at the
    mean and have an indicator. Text has an indicator for each value, the most frequent one left out, where a
    generalized cell has the weight 1/s in each of the s values that it covers. Constant features are dropped.

    Shape (records, features), those of ``before`` first.
    """
    parts = []
    for column in columns:
        original, published = _numbers(column) if column.is_numeric else _levels(column)
        parts.append(
            np.concatenate([original[column.before.codes[before]], published[column.after.codes[after]]])
        )
    table = np.concatenate(parts, axis=1)
    return table[:, table.min(axis=0) < table.max(axis=0)]


def _numbers(column: "ChangedColumn") -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return number, is NULL and is suppressed of each code."""
    numbers = column.before.numbers
    if numbers is None:
        numbers = np.full(len(column.before.texts), np.nan)
    is_known = np.isfinite(numbers)
    records = column.original_records * is_known
    mean = float(np.where(is_known, numbers, 0.0) @ records) / max(int(records.sum()), 1)
    variance = float(np.where(is_known, numbers - mean, 0.0) ** 2 @ records) / max(int(records.sum()), 1)

    def standard(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
        return np.where(np.isfinite(values), values - mean, 0.0) / (np.sqrt(variance) or 1.0)

    read = column.coverage
    nothing = np.zeros(len(numbers))
    lacks = ~np.isfinite(read.centers) & ~read.is_suppressed
    return (
        np.stack([standard(numbers), (~is_known).astype(float), nothing], axis=1),
        np.stack([standard(read.centers), lacks.astype(float), read.is_suppressed.astype(float)], axis=1),
    )


def _levels(column: "ChangedColumn") -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return the indicators of each code; suppressed cells have one of their own."""
    counts = column.original_records
    # of equally frequent values the first by code, whatever the order of the records
    ranked = np.lexsort((np.arange(len(counts)), -counts))
    level = np.full(len(counts), min(MOST_LEVELS, len(counts)))
    level[ranked[:MOST_LEVELS]] = np.arange(min(MOST_LEVELS, len(counts)))
    width = int(level.max()) + 2
    original = np.zeros((len(counts), width))
    original[np.arange(len(counts)), level] = 1.0
    read = column.coverage
    published = np.zeros((len(read.counts), width))
    for code in np.flatnonzero(read.counts * ~read.is_suppressed):
        covered = read.covered(int(code))
        published[code] = np.bincount(level[covered], minlength=width) / len(covered)
    published[read.is_suppressed, -1] = 1.0
    return original[:, 1:], published[:, 1:]  # the first one is what the others are compared with


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
    chances: NDArray[np.float64] = model.predict_proba(features)[:, 1]
    return chances


def _tree(features: "NDArray[np.float64]", is_published: "NDArray[np.bool_]") -> "NDArray[np.float64]":
    from sklearn.tree import DecisionTreeClassifier

    # the seed breaks ties between features only; one for all keeps the figure a function of the tables
    model = DecisionTreeClassifier(min_samples_leaf=SMALLEST_LEAF, random_state=0)
    chances: NDArray[np.float64] = model.fit(features, is_published).predict_proba(features)[:, 1]
    return chances


def expected_by_permutation(
    features: "NDArray[np.float64]",
    is_published: "NDArray[np.bool_]",
    seed: int,
    is_interrupted: Callable[[], bool],
) -> float:
    """Return the mean pMSE of a tree when it is chance alone which records are published (Snoke et al. 2018).

    Example:
        >>> expected_by_permutation(np.zeros((4, 0)), np.array([False, True] * 2), 0, lambda: False)
        0.0
    """
    random = np.random.default_rng([seed, 2])
    squares = []
    for _ in range(PERMUTATIONS):
        if is_interrupted():
            raise KeyboardInterrupt
        shuffled = random.permutation(is_published)
        squares.append(float(((scores(features, shuffled, "cart") - shuffled.mean()) ** 2).mean()))
    return float(np.mean(squares))

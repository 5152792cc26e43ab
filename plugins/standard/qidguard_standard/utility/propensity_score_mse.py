"""How well a model tells original records from published ones.

Propensity: features of records, and the chance that a record is a published one.

Propensity-score MSE: how well a model tells published records from original ones.

It is no group-by: a model is fitted to the records of both tables.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.shared import three_jobs
    >>> view = SimpleNamespace(changes=three_jobs(), is_interrupted=False)
    >>> pmse, _ = PROPENSITY_METRICS
    >>> arguments = {"model": "logistic", "sample": 5_000}
    >>> 0 < pmse.method.measure(view, Grouping(qids=("job",)), arguments) < 0.24
    True
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Changes,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    Parameter,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.metrics.wording import scale
from qidguard_standard.utility.changed_columns import (
    ChangedColumn,
    changed_columns,
    original_and_published,
    remembered,
)
from qidguard_standard.utility.shared import CELLS, EMPTY, MIDDLE, NO_NUMBER

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    numbers = column.numbers
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


_PARAMETERS = (
    Parameter(
        name="model",
        type=str,
        default="logistic",
        choices=("logistic", "cart"),
        meaning="the model that tells the tables apart: logistic regression on the QIDs, or a tree (CART),"
        " which sees interactions",
    ),
    Parameter(
        name="sample",
        type=int,
        default=5_000,
        minimum=0,
        meaning="largest number of original records that it is fitted to, drawn by the seed; 0 takes all",
    ),
)


def _stacked(
    view: TableView, grouping: Grouping, arguments: Arguments
) -> "tuple[NDArray[np.float64], NDArray[np.bool_]]":
    """Return the features of original and published records, and which are published."""
    changes = original_and_published(view)
    columns = changed_columns(view, grouping)
    before, after = _drawn(changes, int(arguments["sample"]))
    if not len(after):
        raise NotMeasurable(
            "No published record is among those drawn, so there is nothing to tell from the original;"
            " set sample to 0, or publish more."
        )
    is_published = np.arange(len(before) + len(after)) >= len(before)
    return features(columns, before, after), is_published


def _drawn(changes: Changes, sample: int) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return positions of original records and of published ones: the same records where that is known."""
    records, published = changes.before.records, changes.after.records
    if not 0 < sample < records:
        return np.arange(records), np.arange(published)
    random = np.random.default_rng([changes.seed, 1])
    drawn = np.sort(random.choice(records, sample, replace=False))
    if changes.kept is None:
        return drawn, np.sort(random.choice(published, min(sample, published), replace=False))
    places = np.cumsum(changes.kept) - 1
    return drawn, places[drawn[changes.kept[drawn]]]


@dataclass(frozen=True, kw_only=True)
class _Fitted:
    """A model that was fitted to both tables: its features, and the mean square of its scores."""

    table: "NDArray[np.float64]"
    is_published: "NDArray[np.bool_]"
    mean_square: float


def _fitted(view: TableView, grouping: Grouping, arguments: Arguments) -> _Fitted:
    """Return the fitted model; two metrics ask for the same fit."""

    def fit() -> _Fitted:
        table, is_published = _stacked(view, grouping, arguments)
        chances = scores(table, is_published, str(arguments["model"]))
        square = float(((chances - is_published.mean()) ** 2).mean())
        return _Fitted(table=table, is_published=is_published, mean_square=square)

    return remembered(original_and_published(view), (grouping.qids, *sorted(arguments.items())), fit)


def _mean_square(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
    """Return the mean square; it fits a model to two tables, so it is no group-by."""
    return _fitted(view, grouping, arguments).mean_square


def _ratio(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
    """Return the ratio to the expected value; it fits a model to two tables, so it is no group-by."""
    fitted = _fitted(view, grouping, arguments)
    table, is_published, observed = fitted.table, fitted.is_published, fitted.mean_square
    share, model = float(is_published.mean()), str(arguments["model"])
    if model == "logistic":
        expected = table.shape[1] * (1 - share) ** 2 * share / len(table)
    else:
        seed = original_and_published(view).seed
        expected = expected_by_permutation(table, is_published, seed, lambda: view.is_interrupted)
    return observed / expected if expected else 0.0


_FORMULA = (
    "pMSE = 1/N Σ (p − c)² over the N records of both tables together, c the published ones' share, p the "
    "probability that a record is published: by logistic regression on the QIDs' main effects (L2 penalty "
    "with C = 1, on standardized numbers), or by a tree with leaves of 20 records or more. Text has an "
    f"indicator for each of its {MOST_LEVELS} most frequent values; a generalized cell has the weight 1/s in "
    f"each of s values. {MIDDLE} {CELLS}"
)
_SOURCE = "Woo, Reiter, Oganian & Karr 2009, Global measures of data utility for microdata masked for "
_MISSING = "NULL has an indicator of its own, and so has a suppressed cell."

PROPENSITY_METRICS = (
    Metric(
        name="propensity_score_mse",
        title="propensity-score mean squared error",
        **scale(Unit.SCORE, 0.0, 1.0),
        method=TableFunction(measure=_mean_square),
        needs_original=True,
        compares_tables=True,
        is_costly=True,
        parameters=_PARAMETERS,
        explanation=Explanation(
            meaning="How well a model tells published records from original ones by their quasi-identifiers. "
            "0 means not at all: nothing that the model sees was changed. c·(1 − c), 0.25 where nobody is "
            "suppressed, means perfectly.",
            formula=_FORMULA,
            source=f"{_SOURCE}disclosure limitation",
            good_value=f"Lower keeps more. {NO_NUMBER}",
            missing=_MISSING,
            empty=EMPTY,
            single_class="0 where the original is one combination, too; else the model's best.",
        ),
    ),
    Metric(
        name="propensity_score_mse_ratio",
        title="propensity-score mean squared error by its expected value",
        **scale(Unit.RATIO, 0.0, math.inf),
        method=TableFunction(measure=_ratio),
        needs_original=True,
        compares_tables=True,
        is_costly=True,
        parameters=_PARAMETERS,
        explanation=Explanation(
            meaning="The propensity-score MSE by what it would be of a second sample from the same "
            "population: near 1 means that the tables differ as two samples do, below 1 less. Unlike the MSE "
            "it can be compared between tables.",
            formula="pMSE / E[pMSE]. Logistic: E = (k − 1)(1 − c)²c/N, k the parameters with the intercept; "
            f"tree: the mean pMSE of 10 seeded permutations of what is published. {_FORMULA}",
            source="Snoke, Raab, Nowok, Dibben & Slavkovic 2018, General and specific utility measures for "
            f"synthetic data, JRSS A 181; {_SOURCE}disclosure limitation",
            good_value=f"0 where nothing changed, about 1 for a fresh sample. {NO_NUMBER}",
            missing=_MISSING,
            empty=EMPTY,
            single_class="0 where the original is one combination, too.",
        ),
    ),
)
"""The mean squared error, and its ratio to the expected one."""

METRICS: tuple[Metric, ...] = PROPENSITY_METRICS

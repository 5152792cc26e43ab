"""How well models do that learned from the published table, held against those of the original."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard_learning.scoring import Scores
from qidguard_learning.splits import LearningDesign


def mann_whitney(published: NDArray[np.float64], original: NDArray[np.float64]) -> tuple[float, float]:
    """Return the two-sided p-value of Mann and Whitney's U test, and the rank-biserial correlation.

    U counts the pairs in which the published score is the higher one, ties half (Mann & Whitney 1947). The
    effect is r = 2U/(n·m) − 1 (Cureton 1956), so (r + 1)/2 is the chance that a published score is the higher
    one, the common-language effect size (McGraw & Wong 1992). Scores of splits overlap in their records, so
    the p-value is a guide and no proof.
    """
    from scipy import stats

    if not len(published) or not len(original):
        raise ValueError("there are no scores to compare")
    scores = np.concatenate([published, original])
    if scores.min() == scores.max():
        return 1.0, 0.0
    test = stats.mannwhitneyu(published, original, alternative="two-sided")
    return float(test.pvalue), float(2 * test.statistic / (len(published) * len(original)) - 1)


def importance_shift(published: NDArray[np.float64], original: NDArray[np.float64]) -> float:
    """Return the total variation of two sets of importances, ½·Σ|p − o| of shares that add up to 1."""
    if published.shape != original.shape:
        raise ValueError("importances are compared column by column")
    # who goes by no column has all weight on a place of its own
    shares = [
        np.append(importance, 0.0 if importance.sum() > 0 else 1.0) for importance in (published, original)
    ]
    first, second = (importance / importance.sum() for importance in shares)
    return min(1.0, float(np.abs(first - second).sum()) / 2)


@dataclass(frozen=True, kw_only=True)
class ModelUtility:
    """Scores of models that learned from the original, beside those that learned from what is published.

    Each method raises ValueError where the model was not tried.

    Args:
        models: The models' names.
        columns: The columns that they learned from.
        original_f1: Shape (models, splits), F1 as the design scores it, 0..1.
        published_f1: The same of what learned from published records.
        original_accuracy: Shape (models, splits), 0..1.
        published_accuracy: The same of what learned from published records.
        original_importance: Shape (models, columns), mean F1 lost when the column is shuffled, ≥ 0; None
            where nobody asked.
        published_importance: The same of what learned from published records.
        design: How they were tried; None where nobody says.

    Example:
        >>> from qidguard_learning.example import utility_example
        >>> utility_example().published_f1.tolist()
        [[0.5, 0.6, 0.7]]
    """

    models: tuple[str, ...]
    columns: tuple[str, ...]
    original_f1: NDArray[np.float64]
    published_f1: NDArray[np.float64]
    original_accuracy: NDArray[np.float64]
    published_accuracy: NDArray[np.float64]
    original_importance: NDArray[np.float64] | None = None
    published_importance: NDArray[np.float64] | None = None
    design: LearningDesign | None = None

    def mean_f1(self, model: str) -> float:
        """Return the mean F1 of what learned from published records, 0..1.

        Example:
            >>> from qidguard_learning.example import utility_example
            >>> round(utility_example().mean_f1("decision_tree"), 2)
            0.6
        """
        return float(self.published_f1[self.models.index(model)].mean())

    def original_mean_f1(self, model: str) -> float:
        """Return the mean F1 of what learned from original records, 0..1.

        Example:
            >>> from qidguard_learning.example import utility_example
            >>> round(utility_example().original_mean_f1("decision_tree"), 2)
            0.8
        """
        return float(self.original_f1[self.models.index(model)].mean())

    def mean_accuracy(self, model: str) -> float:
        """Return the mean accuracy of what learned from published records, a share 0..1.

        Example:
            >>> from qidguard_learning.example import utility_example
            >>> round(utility_example().mean_accuracy("decision_tree"), 2)
            0.7
        """
        return float(self.published_accuracy[self.models.index(model)].mean())

    def f1_change(self, model: str) -> float:
        """Return the mean F1 of published less that of original records, −1..1.

        Example:
            >>> from qidguard_learning.example import utility_example
            >>> round(utility_example().f1_change("decision_tree"), 2)
            -0.2
        """
        at = self.models.index(model)
        return float(self.published_f1[at].mean() - self.original_f1[at].mean())

    def p_value(self, model: str) -> float:
        """Return the two-sided p-value of Mann and Whitney's U test (1947) of the F1 scores, 0..1.

        It is 1 where all scores are the same. Splits share records, so it is a guide and no proof, and it
        falls with the number of splits.

        Example:
            Of the 20 ways to part six different scores in two threes, two are as far apart:

            >>> from qidguard_learning.example import utility_example
            >>> utility_example().p_value("decision_tree")
            0.1
        """
        at = self.models.index(model)
        return mann_whitney(self.published_f1[at], self.original_f1[at])[0]

    def effect_size(self, model: str) -> float:
        """Return the rank-biserial correlation of the F1 scores, −1..1, below 0 where published are lower.

        r = 2U/n² − 1 (Cureton 1956), U the number of pairs of the n splits in which the published score is
        the higher one, ties half. (r + 1)/2 is the common-language effect size (McGraw & Wong 1992).

        Example:
            >>> from qidguard_learning.example import utility_example
            >>> utility_example().effect_size("decision_tree")
            -1.0
        """
        at = self.models.index(model)
        return mann_whitney(self.published_f1[at], self.original_f1[at])[1]

    def importance_shift(self, model: str) -> float:
        """Return the total variation of the importances, a share 0..1.

        It is ½·Σ|p − o| over the columns, p and o the mean permutation importances (Breiman 2001) as shares
        of their sums.

        Raises:
            ValueError: When no importances were asked for.

        Example:
            >>> from qidguard_learning.example import utility_example
            >>> round(utility_example().importance_shift("decision_tree"), 2)
            0.25
        """
        at = self.models.index(model)
        if self.published_importance is None or self.original_importance is None:
            raise ValueError("no importances were measured; ask for them with with_importance=True")
        return importance_shift(self.published_importance[at], self.original_importance[at])


def one_model(
    model: str,
    columns: tuple[str, ...],
    rows: Sequence[Sequence[Scores]],
    design: LearningDesign,
    table: int = 1,
) -> ModelUtility:
    """Return one model's scores on the original and a table, by its place from 1 on, as arrays."""
    original, published = ([row[place] for row in rows] for place in (0, table))
    importances = [
        np.mean([one.importance for one in side if one.importance is not None], axis=0).reshape(1, -1)
        if side[0].importance is not None
        else None
        for side in (original, published)
    ]
    return ModelUtility(
        models=(model,),
        columns=columns,
        original_f1=np.array([[one.f1 for one in original]]),
        published_f1=np.array([[one.f1 for one in published]]),
        original_accuracy=np.array([[one.accuracy for one in original]]),
        published_accuracy=np.array([[one.accuracy for one in published]]),
        original_importance=importances[0],
        published_importance=importances[1],
        design=design,
    )


def joined(parts: Sequence[ModelUtility]) -> ModelUtility:
    """Return several models' scores as one."""

    def stacked(name: str) -> NDArray[np.float64]:
        return np.concatenate([getattr(part, name) for part in parts])

    is_there = parts[0].original_importance is not None
    return ModelUtility(
        models=tuple(one.models[0] for one in parts),
        columns=parts[0].columns,
        original_f1=stacked("original_f1"),
        published_f1=stacked("published_f1"),
        original_accuracy=stacked("original_accuracy"),
        published_accuracy=stacked("published_accuracy"),
        original_importance=stacked("original_importance") if is_there else None,
        published_importance=stacked("published_importance") if is_there else None,
        design=parts[0].design,
    )

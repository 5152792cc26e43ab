"""How much a random forest needs each QID to predict the sensitive attribute (Fig. 5)."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import AnonymizationTask, ColumnValues, Records, class_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.ensemble import RandomForestClassifier

_MOST_KINDS = 20
"""Kinds of a label; rarer values of text beyond them are one kind, numbers are cut at their quantiles."""
_QUANTILES = 4
_FEWEST = 10
"""Records below which nothing can be held out."""
_HUNDRED = 100.0
_MOST_CODES = 1 << 20
"""Numbers beyond are no codes of categories."""
_MOST_KEPT = 16
"""Answers that are kept; the one that was not wanted for longest goes first."""


@dataclass(frozen=True, kw_only=True)
class Forest:
    """How the forest is made and asked.

    Args:
        trees: Number of trees.
        leaf: Records in the smallest leaf.
        held_out: Least share of the records that accuracy is measured on.
        most_learned: Most records that the forest learns from; all others are held out.
        repeats: Permutations of each QID, over which the loss is averaged.
        most_records: Of more records so many are drawn, by the seed.
        is_refitted: Whether a forest without the QID is fitted instead of permuting it.
        seed: Seeds everything.
    """

    trees: int = 20
    leaf: int = 5
    held_out: float = 0.3
    most_learned: int = 6_000
    repeats: int = 3
    most_records: int = 40_000
    is_refitted: bool = False
    seed: int = 0


def losses(
    predictors: "NDArray[np.float64]", label: "NDArray[np.int64]", asked: Sequence[int], forest: Forest
) -> list[float]:
    """Return how many points of held-out accuracy are lost where a QID says nothing any more.

    The loss of QID j is 100 · (A − mean over repeats of A_j): A is the accuracy on held-out records, A_j the
    same after the values of j were permuted among them (Breiman 2001, §10; the paper's Fig. 5 fits
    anew). It may be below 0. One thread does it, so that any machine comes to the same.

    Args:
        predictors: Shape (records, QIDs), codes or numbers; NaN is missing.
        label: Shape (records,), what is predicted, as codes from 0.
        asked: The QIDs whose loss is wanted, as places.
        forest: How it is made.

    Returns:
        One loss for each of ``asked``, points; 0 where there are fewer than 10 records, or one kind of label.
    """
    records, _ = predictors.shape
    if records < _FEWEST or label.min() == label.max():
        return [0.0] * len(asked)
    # equal rows can be exchanged, so the order of records decides nothing
    order = np.lexsort((label, *predictors.T))
    generator = np.random.default_rng([forest.seed, 5])
    drawn = order[generator.permutation(records)[: forest.most_records]]
    fitted = max(1, min(int(len(drawn) * (1 - forest.held_out)), forest.most_learned))
    learned, held = drawn[:fitted], drawn[fitted:]
    truth, shown = label[held], predictors[held]
    trained = _fitted(predictors[learned], label[learned], forest)
    if forest.is_refitted:
        right = np.mean(_said(trained, shown) == truth)
        found = []
        for column in asked:
            without = _fitted(np.delete(predictors[learned], column, axis=1), label[learned], forest)
            found.append(right - np.mean(_said(without, np.delete(shown, column, axis=1)) == truth))
    else:
        found = _permuted(trained, shown, truth, asked, forest)
    return [round(_HUNDRED * float(loss), 9) + 0.0 for loss in found]  # sums that come to 0 are 0


def _permuted(
    trained: "RandomForestClassifier | int",
    shown: "NDArray[np.float64]",
    truth: "NDArray[np.int64]",
    asked: Sequence[int],
    forest: Forest,
) -> list[float]:
    """Return the share of held-out records that is lost by permuting each column.

    Only records that get another value can be predicted otherwise, and equal rows are predicted once.
    """
    rows, changed = [shown], []
    for column in asked:
        own = np.random.default_rng([forest.seed, 7, column])
        for _ in range(forest.repeats):
            permuted = own.permutation(shown[:, column])
            at = np.flatnonzero(permuted != shown[:, column])
            other = shown[at]
            other[:, column] = permuted[at]
            rows.append(other)
            changed.append(at)
    ends = np.cumsum([len(part) for part in rows])
    before, *after = np.split(_said(trained, np.concatenate(rows)), ends[:-1])
    right = before == truth
    lost = [
        (np.count_nonzero(right[at]) - np.count_nonzero(said == truth[at])) / len(truth)
        for at, said in zip(changed, after, strict=True)
    ]
    return [float(one) for one in np.reshape(lost, (len(asked), forest.repeats)).mean(axis=1)]


def labels_of(records: Records, task: AnonymizationTask, noised: Sequence[str]) -> "list[NDArray[np.int64]]":
    """Return what forests predict: each sensitive attribute, or the target where there is none.

    A column that noise is drawn for is left out, since nothing may depend on its numbers.
    """
    names = task.sensitive or (() if task.target is None else (task.target,))
    return [_label(records.column(name)) for name in names if name not in noised]


def _label(column: ColumnValues) -> "NDArray[np.int64]":
    counts = np.bincount(column.codes, minlength=len(column.texts))
    kinds = np.arange(len(counts))
    if np.count_nonzero(counts) > _MOST_KINDS:
        if column.is_numeric and column.numbers is not None:
            # codes follow the order of numbers, so quantiles of records are cuts of codes
            before = np.cumsum(counts) - counts
            kinds = 1 + _QUANTILES * before // max(1, int(counts.sum()))
            kinds[0] = 0
        else:
            kinds = np.full(len(counts), _MOST_KINDS)
            frequent = np.argsort(-counts, kind="stable")[: _MOST_KINDS - 1]
            kinds[frequent] = np.arange(len(frequent))
    found: NDArray[np.int64] = np.unique(kinds[column.codes], return_inverse=True)[1].reshape(-1)
    return found


def _fitted(
    predictors: "NDArray[np.float64]", label: "NDArray[np.int64]", forest: Forest
) -> "RandomForestClassifier | int":
    """Return a forest; the one kind of label where there is only one, or nothing to predict it by."""
    if predictors.shape[1] == 0 or label.min() == label.max():
        return int(np.argmax(np.bincount(label)))
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(
        n_estimators=forest.trees, min_samples_leaf=forest.leaf, random_state=forest.seed % 2**32, n_jobs=1
    )
    model.fit(predictors, label)
    return model


def _said(trained: "RandomForestClassifier | int", shown: "NDArray[np.float64]") -> "NDArray[np.int64]":
    """Return what is predicted of each row; equal rows are asked once."""
    if isinstance(trained, int):
        return np.full(len(shown), trained, dtype=np.int64)
    alike = class_numbers(np.stack([_codes(column) for column in shown.T], axis=1))
    first = np.empty(int(alike.max(initial=-1)) + 1, dtype=np.int64)
    first[alike] = np.arange(len(alike))
    said: NDArray[np.int64] = trained.predict(shown[first])[alike]
    return said


def _codes(column: "NDArray[np.float64]") -> "NDArray[np.int32]":
    """Return whole numbers that are equal where values are: the values themselves where they are codes."""
    if column.min(initial=0) >= 0 and column.max(initial=0) < _MOST_CODES:
        codes = column.astype(np.int32)
        if (codes == column).all():
            return codes
    return np.unique(column, return_inverse=True)[1].reshape(-1).astype(np.int32)


class ForestMemory:
    """``losses`` that keeps its last answers by a digest of all that it was asked; no value is kept.

    So what a run guarantees, does and draws rests on the same losses.

    Example:
        >>> memory, race = ForestMemory(), np.repeat([1.0, 2.0], 20)
        >>> label = race.astype(np.int64) - 1
        >>> first = memory(race[:, None], label, [0], Forest())
        >>> first == memory(race[:, None], label, [0], Forest()), memory.asked
        (True, 1)
    """

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._kept: OrderedDict[bytes, list[float]] = OrderedDict()
        self.asked = 0

    def __call__(
        self,
        predictors: "NDArray[np.float64]",
        label: "NDArray[np.int64]",
        asked: Sequence[int],
        forest: Forest,
    ) -> list[float]:
        """Return what ``losses`` returns."""
        question = hashlib.blake2b(repr((predictors.shape, tuple(asked), forest)).encode())
        question.update(predictors.tobytes())
        question.update(label.tobytes())
        digest = question.digest()
        kept = self._kept.get(digest)
        if kept is None:
            self.asked += 1
            kept = losses(predictors, label, asked, forest)
        self._kept[digest] = kept
        self._kept.move_to_end(digest)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return list(kept)

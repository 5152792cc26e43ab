"""How models are tried: splits of records into those to learn from and those to predict."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import NotMeasurable


@dataclass(frozen=True, kw_only=True)
class TrainTestSplit:
    """One split.

    Args:
        train: Records of the original to learn from.
        test: Records of the original to be predicted, none of them in ``train``.
        seed: Seeds the model.
    """

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    seed: int


def splits(labels: NDArray[np.int64], design: "LearningDesign", seed: int) -> tuple[TrainTestSplit, ...]:
    """Draw splits, each from a seeded sample of its own and in proportion to the classes."""
    known = np.flatnonzero(labels >= 0)
    drawn = []
    for repeat in range(design.repeats):
        generator = np.random.default_rng([seed, repeat])
        order = generator.permutation(known)[: design.sample or None]
        is_test = np.zeros(len(order), dtype=np.bool_)
        for label in np.unique(labels[order]):
            places = np.flatnonzero(labels[order] == label)
            tested = min(len(places) - 1, max(1, round(design.test_share * len(places))))
            is_test[places[:tested]] = True
        if not is_test.any():
            raise NotMeasurable(
                "No value of the target stands in two of the records that are drawn, one to learn from and "
                "one to predict; draw more records."
            )
        drawn.append(
            TrainTestSplit(
                train=np.sort(order[~is_test]),
                test=np.sort(order[is_test]),
                seed=int(generator.integers(2**31)),
            )
        )
    return tuple(drawn)


@dataclass(frozen=True, kw_only=True)
class LearningDesign:
    """How models are tried.

    Args:
        repeats: Number of random splits, ≥ 1.
        test_share: Share of the records that is predicted, 0 < share < 1; the rest is learned from.
        sample: Largest number of records in a split, ≥ 0, drawn anew for each; 0 means all.
        with_importance: Whether it is measured which columns a model goes by, too.
        positive: The value of the target, as text, whose F1 is scored; None scores macro F1, the mean over
            all values.
        tested_on: Whether records are predicted as they were, ``"original"``, which tells what a model is
            worth to whom it meets; or as the same table has them that it learned from, ``"published"``,
            which is how the MO-OBAM paper scores.

    Raises:
        ValueError: When a number is outside its range.

    Example:
        >>> LearningDesign(repeats=100, positive="high").sample
        3000
    """

    repeats: int = 10
    test_share: float = 0.3
    sample: int = 3000
    with_importance: bool = False
    positive: str | None = None
    tested_on: Literal["original", "published"] = "original"

    def __post_init__(self) -> None:
        if self.repeats < 1 or self.sample < 0 or not 0 < self.test_share < 1:
            raise ValueError("models are tried in at least one split that has both parts")
        if self.tested_on not in {"original", "published"}:
            raise ValueError(f"models are tested on 'original' or 'published', not {self.tested_on!r}")

    def __str__(self) -> str:
        """Say it in one phrase.

        Example:
            >>> str(LearningDesign(repeats=100, sample=0))
            '100 splits of all records, 30 % predicted as they were; macro F1'
        """
        records = f"at most {self.sample:,} records" if self.sample else "all records"
        seen = "as they were" if self.tested_on == "original" else "as the table has them"
        score = "macro F1" if self.positive is None else "F1 of the positive class"
        splits = "1 split" if self.repeats == 1 else f"{self.repeats:,} splits"
        return f"{splits} of {records}, {100 * self.test_share:g} % predicted {seen}; {score}"

"""Splits: which records a model learns from and which it is tried on, the same for both tables."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
    """Draw splits, each from a seeded sample of its own and in proportion to the classes.

    Args:
        labels: Shape (records,), the class of each record, −1 for a record without one, which is left out.
        repeats: Number of splits, ≥ 1.
        test_share: Share of each class that is tested, 0 < share < 1: rounded, at least one record is left to
            learn from, and one is tested where the class has two.
        sample: Largest number of records that take part; 0 means all.
        seed: The seed.

    Returns:
        The splits; who is drawn depends on the seed and the order of the records.

    Units:
        Records.

    Raises:
        Nothing.

    Example:
        >>> one = splits(np.array([0, 0, 0, 1, 1, -1]), repeats=1, test_share=0.3, sample=0, seed=1)[0]
        >>> len(one.train), len(one.test)
        (3, 2)
    """
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

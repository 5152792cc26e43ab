"""Splits of records into those to learn from and those to predict."""

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

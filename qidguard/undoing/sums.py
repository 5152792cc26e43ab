"""What two columns tell as a sum or a difference, a constant apart."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.relations import HOLDS, code_of_numbers, tolerance
from qidguard.undoing.scale import Scale
from qidguard.undoing.target import Target
from qidguard.undoing.told import Told, told_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_COLUMNS = 100
"""Columns of numbers of which pairs are tried; others are said."""


def numbers_of(qid: Scale, columns: Sequence[Scale]) -> list[Scale]:
    """Return the columns that may tell a quasi-identifier as a sum: none where it is no number."""
    if qid.numbers is None:
        return []
    return [column for column in columns if column.numbers is not None and column.size > 2]  # noqa: PLR2004 - NULL and a constant


def told_by_sums(
    target: Target, qid: Scale, columns: Sequence[Scale], tried: "NDArray[np.int64]"
) -> Iterator[tuple[tuple[Scale, Scale], Told]]:
    """Yield pairs of columns with what X₁ ± X₂ + c tells, neither of them alone being the QID.

    Args:
        target: The quasi-identifier over the published records.
        qid: Its original column.
        columns: The published columns, of numbers.
        tried: Some open records.
    """
    if qid.numbers is None:
        return
    open_ones = np.flatnonzero(target.is_open)
    for first, second, sign, shift in _candidates(target, qid.numbers, columns, tried):
        reckoned = _reckoned(first, second, sign, open_ones) + shift
        guesses = code_of_numbers(qid, reckoned)
        if told := told_of(target, open_ones, guesses, "relation"):
            yield (first, second), told


def _reckoned(
    first: Scale, second: Scale, sign: tuple[int, int], at: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    return sign[0] * _numbers(first, at) + sign[1] * _numbers(second, at)


def _numbers(column: Scale, at: "NDArray[np.int64]") -> "NDArray[np.float64]":
    numbers = column.numbers
    return np.full(len(at), np.nan) if numbers is None else numbers[column.codes[at]]


_SIGNS = ((1, 1), (1, -1), (-1, 1))


def _candidates(
    target: Target, numbers: "NDArray[np.float64]", columns: Sequence[Scale], tried: "NDArray[np.int64]"
) -> Iterator[tuple[Scale, Scale, tuple[int, int], float]]:
    """Yield pairs, signs and the constant of what holds in the records that are tried."""
    if len(columns) < 2 or not len(tried):  # noqa: PLR2004 - there is no pair
        return
    y = numbers[target.values[tried]]
    x = np.stack([_numbers(column, tried) for column in columns])
    limit = 2 * tolerance(numbers[~np.isnan(numbers)])
    for i, first in enumerate(columns[:-1]):
        for sign in _SIGNS:
            rest = y - sign[0] * x[i] - sign[1] * x[i + 1 :]
            middle = _middles(rest)
            with np.errstate(invalid="ignore"):
                holds = (np.abs(rest - middle[:, None]) < limit).mean(axis=1) >= HOLDS
            for j in np.flatnonzero(holds).tolist():
                yield first, columns[i + 1 + j], sign, float(middle[j])


def _middles(rows: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return the median of each row without its missing values, NaN for a row of these."""
    ordered = np.sort(rows, axis=1)  # NaN comes last
    some = np.count_nonzero(~np.isnan(rows), axis=1)
    middles: NDArray[np.float64] = ordered[np.arange(len(rows)), np.maximum(some - 1, 0) // 2]
    return middles

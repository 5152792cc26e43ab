"""Where a class may be cut in two along one column: beside the value that its middle record has.

The scale on which the values of a column stand, where they have one.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnKind, ColumnValues, day_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray


def numbers_of(column: ColumnValues) -> "NDArray[np.float64] | None":
    """Return the number of each code, of dates in text their day; None for categories.

    Example:
        >>> born = ColumnValues(
        ...     name="born", value_type="text", codes=np.array([1]), texts=(None, "3.1.1970", "13.1.1970")
        ... )
        >>> numbers_of(born)
        array([nan,  2., 12.])
    """
    numbers = column.numbers if column.is_numeric else None
    if numbers is None and column.numbers is None:
        numbers = day_numbers(column)
    return numbers if numbers is not None and np.isfinite(numbers).any() else None


_BITS = 64
_FAMILIES = {ColumnKind.CODE, ColumnKind.PLACE}


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One column as Mondrian sees it.

    Numbers and dates stand in their own order, categories in the order of how frequent they are: so a cut
    splits off the few values that most records have, and neither half is left with all of them. What is
    missing or suppressed stands first, for a class of such cells and others shows neither.

    Args:
        ranks: Shape (records,), the place of each record's value in that order.
        values: Number of values, NULL among them where it occurs.
        places: For numbers, the number of each rank, divided so that the whole range is 1; what is missing
            stands one range below the smallest. None for categories.
        apart: How many of the first ranks are what is missing, suppressed or no finite number.
    """

    ranks: "NDArray[np.integer]" = field(repr=False)
    values: int
    places: "NDArray[np.float64] | None" = field(default=None, repr=False)
    apart: int = 0

    def at(self, records: "NDArray[np.int64]") -> "Axis":
        """Return the column of some records, on the scale of the whole table."""
        return replace(self, ranks=self.ranks[records])

    def widths(self, ranks: "NDArray[np.integer]", starts: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """Return the loss of a cell that stands for all values of a class: NCP, 0 for a single value.

        Shape (classes,), 0..1; 1 more where a class mixes what is missing and what is there, which is to be
        cut apart before all else.

        Example:
            >>> sex = Axis(ranks=np.array([0, 1, 1], dtype=np.uint8), values=2)
            >>> sex.widths(sex.ranks, np.array([0, 1])).tolist()
            [0.0, 0.0]
        """
        if self.places is not None:
            low, high = np.minimum.reduceat(ranks, starts), np.maximum.reduceat(ranks, starts)
            return self.places[high] - self.places[low]
        if self.values <= _BITS:
            seen = np.bitwise_or.reduceat(np.left_shift(np.uint64(1), ranks.astype(np.uint64)), starts)
            distinct = np.bitwise_count(seen).astype(np.float64)
        else:
            owner = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(ranks)))
            keys = np.sort(owner * self.values + ranks)
            first = np.append(True, keys[1:] != keys[:-1])
            distinct = np.bincount(keys[first] // self.values, minlength=len(starts)).astype(np.float64)
        loss = (distinct - 1.0) / max(self.values - 1, 1)
        if self.apart:
            low, high = np.minimum.reduceat(ranks, starts), np.maximum.reduceat(ranks, starts)
            loss += (low < self.apart) & (high >= self.apart)
        return loss


def axis(column: ColumnValues, mark: str) -> Axis:
    """Return a column as Mondrian sees it; ``mark`` is the text of a suppressed cell."""
    times = np.bincount(column.codes, minlength=len(column.texts))
    numbers = numbers_of(column)
    known = np.array([text is not None and text != mark for text in column.texts])
    if numbers is not None:
        known = np.isfinite(numbers)
        low, high = numbers[known].min(), numbers[known].max()
        span = high - low if high > low else 1.0
        places = np.where(known, (numbers - low) / span, -1.0)
    else:
        places = None
    # by number, or the most frequent first; what is equal stays in the order of codes
    # a NULL that no record has stands last, so that ranks of categories are below their number
    by = -times if places is None else places
    if column.kind in _FAMILIES and not column.is_numeric and column.distinct > _BITS:
        # codes and postcodes that begin alike stand together, so that a class of neighbors has a name
        by = np.where(times > 0, np.arange(len(times)), len(times))
    order = np.lexsort((by, known | (times == 0)))
    rank = np.empty(len(order), dtype=np.min_scalar_type(len(order)))
    rank[order] = np.arange(len(order))
    return Axis(
        ranks=rank[column.codes],
        values=int(np.count_nonzero(times)),
        places=None if places is None else places[order],
        apart=int(np.count_nonzero(~known)) if times[~known].any() else 0,
    )


def cut_ranks(
    ranks: "NDArray[np.int64]", weights: "NDArray[np.int64]", sizes: "NDArray[np.int64]"
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return for each class the two ranks that it may be cut below: the one nearer to its middle first.

    Every other cut is further from the middle: where these leave fewer than k records on a side, all do.

    Two arrays of shape (classes,): the records whose rank is less go to the left.

    Example:
        >>> near, far = cut_ranks(np.array([0, 1, 2]), np.array([1, 2, 1]), np.array([3]))
        >>> near.tolist(), far.tolist()
        ([1], [2])
    """
    span = int(ranks.max(initial=0)) + 1
    owner = np.arange(len(sizes))
    keys = np.repeat(owner * span, sizes) + ranks
    order = np.argsort(keys)
    keys = keys[order]
    before = np.append(0, np.cumsum(weights[order]))  # records before each row, over all classes
    ends = np.cumsum(sizes)
    first, last = before[ends - sizes], before[ends]
    middle = keys[np.searchsorted(before, first + (last - first) // 2, side="right") - 1]
    below = before[np.searchsorted(keys, middle, side="left")]
    above = before[np.searchsorted(keys, middle, side="right")]
    rank = middle - owner * span
    is_low_nearer = np.abs(2 * below - first - last) <= np.abs(2 * above - first - last)
    return np.where(is_low_nearer, rank, rank + 1), np.where(is_low_nearer, rank + 1, rank)

"""The scale on which the values of a column stand, where they have one."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues, day_numbers

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

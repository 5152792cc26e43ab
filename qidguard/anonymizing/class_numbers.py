"""The class of each row of codes, without a database."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def class_numbers(codes: "NDArray[np.integer]") -> "NDArray[np.int64]":
    """Return the number of the class of each row of codes: equal rows share one.

    Args:
        codes: Shape (rows, columns), whole numbers ≥ 0, as ``Records.codes`` gives them.

    Returns:
        Shape (rows,), every number from 0 on, in the order of the rows' codes, the first column first.

    NULL has a code, so it is a value of its own. Of no rows it is empty; without columns all are one class.

    Example:
        >>> import numpy as np
        >>> class_numbers(np.array([[1, 2], [1, 3], [1, 2]])).tolist()
        [0, 1, 0]
    """
    import numpy as np

    number, span = np.zeros(len(codes), dtype=np.int64), 1
    for column in codes.T:
        values = int(column.max(initial=0)) + 1
        if span * values > _MOST_NUMBERS:
            number = np.unique(number, return_inverse=True)[1].reshape(-1)
            span = int(number.max(initial=0)) + 1
        number = number * values + column
        span *= values
    if span <= max(4 * len(number), _QUICKLY_COUNTED):  # counting is many times faster than sorting
        occurs = np.bincount(number) > 0
        return (np.cumsum(occurs) - 1)[number]
    return np.unique(number, return_inverse=True)[1].reshape(-1)


_MOST_NUMBERS = 2**62
_QUICKLY_COUNTED = 2**20

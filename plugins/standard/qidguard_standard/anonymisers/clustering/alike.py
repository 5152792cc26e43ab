"""Find the records that need no change: those who agree in all columns and keep the rule among themselves."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymisers.clustering.classes import ClassRule
from qidguard_standard.metrics.class_numbers import class_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray


def alike(codes: "NDArray[np.int32]", rule: ClassRule) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the classes of records that are one as they are, and the other records.

    Args:
        codes: Shape (records, columns).
        rule: What a class has to keep, in the order of records.

    Returns:
        For each record its class, numbered from 0, or −1; and the records without one, ascending. Where those
        could not be a class even all together, nobody has one.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> from qidguard_standard.anonymisers.clustering.wanted import Wanted
        >>> found, rest = alike(np.array([[1], [2], [1], [3]], dtype=np.int32), ClassRule(wanted=Wanted(k=2)))
        >>> found.tolist(), rest.tolist()
        ([0, -1, 0, -1], [1, 3])
    """
    number = class_numbers(codes)
    keeps = rule.keeps(number, int(number.max(initial=-1)) + 1)
    place = np.where(keeps, np.cumsum(keeps) - 1, -1)
    rest = np.flatnonzero(~keeps[number])
    if len(rest) and not rule.of(rest).keeps(np.zeros(len(rest), dtype=np.int64), 1)[0]:
        return np.full(len(number), -1), np.arange(len(number))
    return place[number], rest

"""Which records violate: any pattern-friendly QID is not super major, or not declared in public (Fig. 6)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import DeclarationError, Records
from qidguard_hybrid_dp.patterns.categories import CATEGORIES, Category, CategoryLimits, ranks_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def by_categories(
    codes: "Sequence[NDArray[np.int32]]", limits: CategoryLimits, *, is_major_other: bool = False
) -> "NDArray[np.bool_]":
    """Return for each record whether it violates: whether one of its values is not super major.

    Args:
        codes: The pattern-friendly QIDs, at least one.
        limits: The limits of categories.
        is_major_other: Whether a major value does not violate either.

    Example:
        >>> race = np.array([1, 1, 1, 1, 2], dtype=np.int32)
        >>> by_categories([race], CategoryLimits()).tolist()
        [False, False, False, False, True]
    """
    last = CATEGORIES.index(Category.MAJOR if is_major_other else Category.SUPER_MAJOR)
    violating = np.zeros(len(codes[0]), dtype=np.bool_)
    for column in codes:
        violating |= ranks_of(np.bincount(column), limits)[column] > last
    return violating


def by_membership(records: Records, membership: Mapping[str, Sequence[str]]) -> "NDArray[np.bool_]":
    """Return for each record whether it violates: whether a value of it is not declared.

    Values that the policy normalizes to one are one here, too.

    Raises:
        DeclarationError: When no record has a declared value, which is a misspelling more often than not.
    """
    violating = np.zeros(records.records, dtype=np.bool_)
    for name, values in membership.items():
        column = records.column(name)
        own = np.isin(np.array([text or "" for text in column.texts]), list(values))
        own[0] = False
        codes = records.codes((name,))[:, 0]
        same = np.unique(codes[own[column.codes]])
        if not len(same):
            raise DeclarationError(
                f"public_membership of {name!r} names values that no record has; write them as the table"
                " does, with | between several"
            )
        violating |= ~np.isin(codes, same)
    return violating

"""The risk to expect before anything is measured: persons fall into cells at random (equation 2)."""

import math

from qidguard.sdk import UserError


def expected_risk(persons: int, cells: int, *, found: int = 1) -> float:
    """Return the mean risk to expect where persons fall into cells independently, every cell being as likely.

    R = (j/n) · b^(1−n) · (bⁿ − (b−1)ⁿ), which is j/n times the expected number of cells that are not empty,
    b · (1 − (1 − 1/b)ⁿ) (Mansour et al. 2021, equation 2, after Benitez & Malin 2010). It is computed from
    logarithms, so that neither power overflows. Real values are not uniform: fewer cells are met, so the
    measured risk lies below the expected one wherever all b cells are counted.

    Args:
        persons: n, the number of persons, ≥ 1.
        cells: b, the number of cells that a person may fall into, ≥ 1: the values that a column may have, or
            the product of them for a set of columns.
        found: j, how many persons of each cell are counted as found, ≥ 1; the risk of an attribute has 1.

    Returns:
        A share: above 0, and at most 1 for ``found=1``. With more it is no probability: in a cell of fewer
        than j persons the formula counts j, so it may exceed 1.

    Raises:
        UserError: When an argument is no whole number of at least 1.

    Example:
        >>> expected_risk(2, 2)
        0.75
        >>> round(expected_risk(10**9, 10**12), 6)
        0.9995
    """
    given: dict[str, object] = {"persons": persons, "cells": cells, "found": found}
    for name, number in given.items():
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise UserError(f"{name} must be a whole number of at least 1, not {number!r}")
    if cells == 1:
        return found / persons
    return -found * cells * math.expm1(persons * math.log1p(-1 / cells)) / persons

"""Minorities that remain readable: the cells of rare values that still say which value they hold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Changes, NotMeasurable
from qidguard_hybrid_dp.evaluation.originality import coverage_of
from qidguard_hybrid_dp.patterns.categories import CATEGORIES


@dataclass(frozen=True, kw_only=True)
class ReadableCategory:
    """The values of one category in one column.

    Args:
        column: The column.
        category: Super major, major, minor or super minor.
        distinct: How many values are in it.
        records: Their published records.
        readable: Share of these whose value can still be read, 0..1.
        gone: How many of the values no published record shows any more.
    """

    column: str
    category: str
    distinct: int
    records: int
    readable: float
    gone: int


def readable_minorities(
    changes: Changes, column: str, categories: Sequence[str]
) -> tuple[ReadableCategory, ...]:
    """Return for each category of a column's values how many of its records still show their value.

    A cell shows its value where it stands for this one value and it is the true one.

    Args:
        changes: The original beside what is published.
        column: A categorical column.
        categories: For each original code the category of its value; an empty text leaves a code out.

    Returns:
        The categories in the order of the scheme: super major, major, minor, super minor, then others.

    Units:
        Records; shares 0..1.

    Raises:
        NotMeasurable: When nobody knows which record became which.

    Example:
        >>> from qidguard_hybrid_dp.evaluation.example import six_people
        >>> names = ("", "super major", "minor", "minor", "minor")
        >>> [
        ...     (one.category, one.readable, one.gone)
        ...     for one in readable_minorities(six_people(), "race", names)
        ... ]
        [('super major', 1.0, 0), ('minor', 0.0, 3)]
    """
    if changes.kept is None:
        raise NotMeasurable("minorities are counted beside the original; nobody knows which record is which")
    before, after = changes.before.column(column), changes.after.column(column)
    coverage = coverage_of(changes, column)
    true = before.codes[changes.kept]
    shows: NDArray[np.bool_] = (coverage.counts[after.codes] == 1) & coverage.covers(after.codes, true)
    named = np.array(categories, dtype=object)
    found = []
    for category in sorted(set(categories) - {""}, key=_turn):
        codes = np.flatnonzero(named == category)
        codes = codes[np.isin(codes, true)]
        inside = np.isin(true, codes)
        if not inside.any():
            continue
        found.append(
            ReadableCategory(
                column=column,
                category=category,
                distinct=len(codes),
                records=int(inside.sum()),
                readable=float(shows[inside].mean()),
                gone=len(codes) - len(np.unique(true[inside & shows])),
            )
        )
    return tuple(found)


def _turn(category: str) -> tuple[int, str]:
    return (CATEGORIES.index(category) if category in CATEGORIES else len(CATEGORIES)), category

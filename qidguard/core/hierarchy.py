"""Hierarchies of generalization, and how intervals and sets of values are published."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from qidguard.core.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_SPECIAL = frozenset(',{}[]()"')


def interval_text(low: str, high: str) -> str:
    """Return a closed interval as it is published; both ends belong to it.

    Args:
        low: The text of the lower end, a number or a date.
        high: The text of the upper end.

    Returns:
        ``[low, high]``; the value itself where both ends are the same text.

    Units:
        Those of the column.

    Raises:
        ValueError: When an end is empty.

    Example:
        >>> interval_text("17", "25"), interval_text("17", "17")
        ('[17, 25]', '17')
    """
    if not low or not high:
        raise ValueError("an interval needs two ends")
    return low if low == high else f"[{low}, {high}]"


def set_text(members: Sequence[str | None]) -> str:
    """Return a set of values as it is published.

    Args:
        members: Texts of values or intervals, in the order in which they are to stand, at least one; None is
            a missing value.

    Returns:
        ``{a, b}``; the only member itself where there is one. A missing value is an empty place; a value
        that is empty, holds a comma, bracket or quote, or begins or ends with white space is quoted. An
        interval ``[a, b]`` stands as it is.

    Raises:
        ValueError: When there is no member, or the only one is missing.

    Example:
        >>> set_text(["f", "m"]), set_text([None, "[17, 25]"]), set_text(["a, b", "c"])
        ('{f, m}', '{, [17, 25]}', '{"a, b", c}')
    """
    if not members or list(members) == [None]:
        raise ValueError("a published set needs a value")
    if len(members) == 1:
        return str(members[0])
    return "{" + ", ".join(_member(member) for member in members) + "}"


@lru_cache(maxsize=1 << 18)
def _member(text: str | None) -> str:
    if text is None:
        return ""
    is_interval = text.startswith("[") and text.endswith("]")
    if is_interval or (text and text == text.strip() and not _SPECIAL & set(text)):
        return text
    return '"' + text.replace('"', '""') + '"'


SUPPRESSED = "*"
"""The label of the top level, and of a suppressed cell where a policy declares no other mark."""


@dataclass(frozen=True, kw_only=True)
class Hierarchy:
    """Levels of generalization of one column, from exact (level 0) to one group of all (the last level).

    Args:
        column: The column's name.
        groups: Shape (levels, codes): the group of each of the column's codes (``ColumnValues``) at each
            level. Level 0 has each code in a group of its own, in the order of codes. On each further level
            values that were together stay together. NULL (code 0) stays apart from values below the top
            level, on which everything is one group.
        labels: For each level the published text of each group; level 0 the values themselves, whose
            published form is the original value and not its text; the group of NULL has None below the top.
        origin: What it was made from, in words without a value of the table: ``file``, ``intervals``, ….
    """

    column: str
    groups: "NDArray[np.int32]" = field(repr=False)
    labels: tuple[tuple[str | None, ...], ...] = field(repr=False)
    origin: str = ""

    def __post_init__(self) -> None:
        import numpy as np

        groups = self.groups
        if groups.ndim != 2 or groups.shape[0] < 2 or groups.shape[1] < 1:  # noqa: PLR2004 - levels × codes
            raise DataError(f"the hierarchy of {self.column!r} needs an exact level and one above it")
        if len(self.labels) != len(groups):
            raise DataError(f"the hierarchy of {self.column!r} needs labels for each of its levels")
        if not np.array_equal(groups[0], np.arange(groups.shape[1])):
            raise DataError(f"level 0 of the hierarchy of {self.column!r} must keep all values apart")
        if groups[-1].max() != 0:
            raise DataError(f"the last level of the hierarchy of {self.column!r} must be a single group")
        for level, (row, names) in enumerate(zip(groups, self.labels, strict=True)):
            if row.min() < 0 or row.max() != len(names) - 1:
                raise DataError(f"level {level} of the hierarchy of {self.column!r} lacks a group's label")
        for level in range(1, len(groups)):
            # one pass instead of sorted pairs: each finer group is led by its last value, and all must follow
            leader = np.empty(len(self.labels[level - 1]), dtype=groups.dtype)
            leader[groups[level - 1]] = groups[level]
            if not np.array_equal(leader[groups[level - 1]], groups[level]):
                raise DataError(
                    f"level {level} of the hierarchy of {self.column!r} separates values that level"
                    f" {level - 1} puts together; mend the hierarchy"
                )

    @property
    def levels(self) -> int:
        """Number of levels, the exact one and the top included, ≥ 2."""
        return len(self.groups)

    def leaves(self, level: int) -> "NDArray[np.int64]":
        """Return how many values, NULL not counted, each group of a level covers; shape (groups,).

        Args:
            level: 0..levels − 1.

        Returns:
            Values a group, ≥ 0; 0 for the group of NULL below the top.

        Units:
            Values.

        Raises:
            IndexError: When there is no such level.

        Example:
            >>> import numpy as np
            >>> two = Hierarchy(
            ...     column="sex",
            ...     groups=np.array([[0, 1, 2], [0, 0, 0]], dtype=np.int32),
            ...     labels=((None, "f", "m"), ("*",)),
            ... )
            >>> two.leaves(1).tolist()
            [2]
        """
        import numpy as np

        row = self.groups[level]
        return np.bincount(row[1:], minlength=int(row.max()) + 1)

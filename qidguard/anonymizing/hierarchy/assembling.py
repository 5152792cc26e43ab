"""From groups of a column's values, level by level, to a checked hierarchy that is bound to the column."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy
from qidguard.policy.nesting import check_lengths

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class HierarchyLevel:
    """One level between the exact values and the top.

    Args:
        groups: Shape (distinct,), the group of each value but NULL, in the order of codes.
        labels: The published text of each group.
    """

    groups: "NDArray[np.integer]" = field(repr=False)
    labels: Sequence[str] = field(repr=False)


def text_column(name: str, texts: Collection[str]) -> ColumnValues:
    """Return a column of texts, each in one record."""
    import numpy as np

    codes = np.arange(1, len(texts) + 1, dtype=np.int32)
    return ColumnValues(name=name, value_type=ValueType.TEXT, codes=codes, texts=(None, *texts))


def labeled_level(labels: Sequence[str]) -> HierarchyLevel:
    """Return the level on which values of the same label are together."""
    import numpy as np

    position: dict[str, int] = {}
    groups = np.fromiter(
        (position.setdefault(label, len(position)) for label in labels), dtype=np.int64, count=len(labels)
    )
    return HierarchyLevel(groups=groups, labels=tuple(position))


def with_others(level: HierarchyLevel, finite: "NDArray[np.intp]", texts: Sequence[str]) -> HierarchyLevel:
    """Return a level of the finite numbers with each other value in a group of its own, behind theirs."""
    import numpy as np

    is_other = np.ones(len(texts), dtype=bool)
    is_other[finite] = False
    others = np.flatnonzero(is_other)
    groups = np.empty(len(texts), dtype=np.int64)
    groups[finite] = level.groups
    groups[others] = np.arange(len(level.labels), len(level.labels) + len(others))
    return HierarchyLevel(groups=groups, labels=[*level.labels, *(texts[i] for i in others.tolist())])


MOST_MEMBERS = 4
"""Members of a group that is published as the set of them."""

LONGEST_SET = 100
"""Characters of a published set."""


def group_label(members: str, name: str, taken: Collection[str]) -> str:
    """Return what a group is called: the set of its members, else a name that no value has.

    The name is taken where there is no set, or one that is too long or a value itself.

    Example:
        >>> group_label("{a, b}", "other", {"a"}), group_label("", "other", {"other"})
        ('{a, b}', "other'")
    """
    if members and len(members) <= LONGEST_SET and members not in taken:
        return members
    while name in taken:
        name += "'"
    return name


def assemble(
    values: ColumnValues, levels: Sequence[HierarchyLevel], *, origin: str, top: str = SUPPRESSED
) -> Hierarchy:
    """Return the hierarchy with an exact level below the given ones and a single group above them."""
    import numpy as np

    codes = len(values.texts)
    rows = [np.arange(codes, dtype=np.int32)]
    labels: list[tuple[str | None, ...]] = [values.texts]
    for level in levels:
        # of several writes to one place the last stays, so backwards it is where each group first occurs
        first = np.full(len(level.labels), codes, dtype=np.int64)
        first[level.groups[::-1]] = np.arange(codes - 2, -1, -1)
        order = np.argsort(first, kind="stable")[: int((first < codes).sum())]
        place = np.empty(len(first), dtype=np.int32)
        place[order] = np.arange(1, len(order) + 1, dtype=np.int32)
        row = np.zeros(codes, dtype=np.int32)
        row[1:] = place[level.groups]
        rows.append(row)
        labels.append((None, *(level.labels[group] for group in order.tolist())))
    rows.append(np.zeros(codes, dtype=np.int32))
    labels.append((top,))
    return Hierarchy(column=values.name, groups=np.stack(rows), labels=tuple(labels), origin=origin)


def prefix_hierarchy(values: ColumnValues, lengths: Sequence[int]) -> Hierarchy:
    """Return the hierarchy of a column of codes whose levels keep the first characters, and ``*`` above.

    Each character that is dropped is published as one ``*``, so ``10115`` becomes ``101**``, and a code that
    is no longer than what is kept stays as it is. Codes of different lengths stay apart. Letters and spaces
    stay as they are written. NULL stays apart below the top.

    Args:
        values: The column; numbers count as they are written.
        lengths: How many characters each level keeps, ever fewer, at least 1.

    Returns:
        The hierarchy.

    Units:
        Characters.

    Raises:
        DataError: When lengths are missing, do not fall, or keep nothing.

    Example:
        >>> import numpy as np
        >>> postcode = ColumnValues(
        ...     name="postcode",
        ...     value_type="text",
        ...     codes=np.array([1, 2], dtype=np.int32),
        ...     texts=(None, "10115", "10117"),
        ... )
        >>> prefix_hierarchy(postcode, (4, 2)).labels[1:]
        ((None, '1011*'), (None, '10***'), ('*',))
    """
    check_lengths(lengths)
    texts = [str(text) for text in values.texts[1:]]
    levels = [labeled_level([text[:kept] + "*" * (len(text) - kept) for text in texts]) for kept in lengths]
    return assemble(values, levels, origin="prefix")

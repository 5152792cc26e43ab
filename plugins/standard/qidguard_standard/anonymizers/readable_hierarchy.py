"""The automatic hierarchy of a column, as far as its cells can be read by anyone who sees the table alone."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues, Hierarchy, automatic_hierarchy, set_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGEST_LABEL = 500
"""Characters of a published cell; a level with longer ones is left out."""


def readable_hierarchy(values: ColumnValues) -> Hierarchy:
    """Return the automatic hierarchy of a column, whose groups of text are written as sets of their values.

    A policy that names a hierarchy has it beside the published table; this one nobody has but the anonymizer.
    So a label must say what it covers, and levels on which that takes too long a text are left out.
    """
    hierarchy = automatic_hierarchy(values)
    if values.is_numeric or not values.distinct:
        return hierarchy
    lengths = np.array([len(str(text)) + 4 for text in values.texts])
    kept = [0]
    labels: list[tuple[str | None, ...]] = [hierarchy.labels[0]]
    for level in range(1, hierarchy.levels - 1):
        groups = hierarchy.groups[level]
        if np.bincount(groups[1:], weights=lengths[1:]).max() <= LONGEST_LABEL:
            kept.append(level)
            labels.append(_sets(values, groups))
    return Hierarchy(
        column=hierarchy.column,
        groups=hierarchy.groups[[*kept, hierarchy.levels - 1]],
        labels=(*labels, hierarchy.labels[-1]),
        origin=hierarchy.origin,
    )


def _sets(values: ColumnValues, groups: "NDArray[np.int32]") -> tuple[str | None, ...]:
    """Return the set of the values of each group; None for the group of NULL."""
    members: dict[int, list[str | None]] = {}
    for code, group in enumerate(groups):
        if code:
            members.setdefault(int(group), []).append(values.texts[code])
    count = int(groups.max()) + 1
    return tuple(set_text(members[group]) if group in members else None for group in range(count))

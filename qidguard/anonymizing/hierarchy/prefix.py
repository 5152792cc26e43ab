"""Hierarchies of codes such as postal codes: ever fewer of their first characters."""

from collections.abc import Sequence

from qidguard.anonymizing.hierarchy.assembling import assemble, labeled_level
from qidguard.core.column import ColumnValues
from qidguard.core.hierarchy import Hierarchy
from qidguard.policy.nesting import check_lengths


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

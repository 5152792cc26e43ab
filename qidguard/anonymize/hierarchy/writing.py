"""A hierarchy as a file that people can edit and load again."""

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidguard.core.hierarchy import Hierarchy


def hierarchy_csv(hierarchy: "Hierarchy") -> str:
    r"""Return a hierarchy as ``load_hierarchy`` reads it: one row a value, columns from exact to coarsest.

    Args:
        hierarchy: The hierarchy. NULL gets no row, as it needs none.

    Returns:
        CSV without a header, separated by ``;``. It holds every value of the column.

    Units:
        None.

    Raises:
        AttributeError: When it is no hierarchy.

    Example:
        >>> import numpy as np
        >>> from qidguard.core.hierarchy import Hierarchy
        >>> sex = Hierarchy(
        ...     column="sex",
        ...     groups=np.array([[0, 1, 2], [0, 0, 0]], dtype=np.int32),
        ...     labels=((None, "f", "m"), ("*",)),
        ... )
        >>> hierarchy_csv(sex)
        'f;*\nm;*\n'
    """
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=";", lineterminator="\n")
    columns = [
        # a label is None for NULL alone, which has no row
        [names[group] or "" for group in row[1:].tolist()]
        for row, names in zip(hierarchy.groups, hierarchy.labels, strict=True)
    ]
    writer.writerows(zip(*columns, strict=True))
    return stream.getvalue()

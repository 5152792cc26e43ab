"""The column that a hierarchy file or a taxonomy would fit without any table: its own values, each once."""

from collections.abc import Sequence

from qidguard.anonymize.hierarchy.file import bind_rows
from qidguard.anonymize.hierarchy.rows import Rows
from qidguard.anonymize.hierarchy.taxonomy import Taxonomy, bind_taxonomy
from qidguard.core.column import ValueType
from qidguard.core.column_values import ColumnValues
from qidguard.core.hierarchy import Hierarchy


def own_hierarchy(read: Rows | Taxonomy, column: str) -> Hierarchy:
    """Return what a file says by itself, its values in the file's order.

    Args:
        read: The rows of a file, or a taxonomy, whose leaves are its values.
        column: What the column is called.

    Returns:
        The hierarchy.

    Units:
        None.

    Raises:
        DataError: Never for rows or a taxonomy that were checked.

    Example:
        >>> from qidguard.anonymize.hierarchy.rows import Row
        >>> rows = Rows(name="sex.csv", rows=(Row(line=1, cells=("m", "any")),))
        >>> own_hierarchy(rows, "sex").labels
        ((None, 'm'), ('any',))
    """
    if isinstance(read, Rows):
        return bind_rows(read, _values([row.cells[0] for row in read.rows], column))
    above = {name for path in read.paths.values() for name in path[:-1]}
    return bind_taxonomy(read, _values([name for name in read.paths if name not in above], column))


def _values(texts: Sequence[str], column: str) -> ColumnValues:
    import numpy as np

    return ColumnValues(
        name=column,
        value_type=ValueType.TEXT,
        codes=np.arange(1, len(texts) + 1, dtype=np.int32),
        texts=(None, *texts),
    )

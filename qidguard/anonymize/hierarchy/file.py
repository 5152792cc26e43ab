"""Hierarchies from files as ARX writes them: one row a value, its columns from exact to coarsest."""

from os import PathLike

from qidguard.anonymize.hierarchy.assembling import assemble, labelled_level
from qidguard.anonymize.hierarchy.matching import matched
from qidguard.anonymize.hierarchy.rows import Rows, read_rows
from qidguard.core.column_values import ColumnValues
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy


def load_hierarchy(
    path: "str | PathLike[str]",
    values: ColumnValues,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Hierarchy:
    r"""Return the hierarchy that a file gives for a column.

    The file has no header and one row a value, as ``17;15-19;10-19;*``: the value as it stands in the table,
    then its label on each level, ever coarser. Where the last column is not one group, ``*`` is put above
    it. Values of the file that the table lacks do no harm. A value is found by its text, and in a column of
    numbers by its number. NULL needs no row, nor does a cell that is suppressed already: both stay apart
    below the top.

    Args:
        path: The file.
        values: The column.
        delimiter: What separates columns; without it the one of ``;``, ``,``, tab and ``|`` that fits.
        encoding: The text encoding; UTF-8 if None.

    Returns:
        The hierarchy, with every level that the file has.

    Units:
        Lines in errors are counted from 1.

    Raises:
        DataError: When the file cannot be read, is ragged, labels a value twice, separates on a level what a
            finer one puts together, or lacks values of the table, which are counted and not named.

    Example:
        >>> import numpy as np
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> sex = ColumnValues(
        ...     name="sex",
        ...     value_type="text",
        ...     codes=np.array([1, 2, 1], dtype=np.int32),
        ...     texts=(None, "f", "m"),
        ... )
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "sex.csv")
        ...     _ = path.write_text("f;*\nm;*\nx;*\n")
        ...     load_hierarchy(path, sex).labels
        ((None, 'f', 'm'), ('*',))
    """
    return bind_rows(read_rows(path, delimiter=delimiter, encoding=encoding), values)


def bind_rows(rows: Rows, values: ColumnValues) -> Hierarchy:
    """Return the hierarchy that the rows of a file give for a column.

    Args:
        rows: The rows.
        values: The column.

    Returns:
        The hierarchy.

    Units:
        None.

    Raises:
        DataError: When values of the table have no row, or several.

    Example:
        >>> import numpy as np
        >>> from qidguard.anonymize.hierarchy.rows import Row
        >>> rows = Rows(name="sex.csv", rows=(Row(line=1, cells=("f", "any")),))
        >>> sex = ColumnValues(
        ...     name="sex", value_type="text", codes=np.array([1], dtype=np.int32), texts=(None, "f")
        ... )
        >>> bind_rows(rows, sex).labels
        ((None, 'f'), ('any',))
    """
    cells = [row.cells for row in rows.rows]
    found = matched(values, [row[0] for row in cells], [row.line for row in rows.rows], rows.name)
    texts = [str(text) for text in values.texts[1:]]
    last = rows.columns - 1 if rows.has_top else rows.columns
    levels = [
        labelled_level(
            [text if row is None else cells[row][level] for row, text in zip(found, texts, strict=True)]
        )
        for level in range(1, last)
    ]
    top = cells[0][-1] if rows.has_top else SUPPRESSED
    return assemble(values, levels, origin="file", top=top)

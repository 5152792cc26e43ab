"""Hierarchies as files that people edit: one row a value, its columns from exact to coarsest."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from os import PathLike

from qidguard.anonymizing.hierarchy.assembling import assemble, labeled_level
from qidguard.anonymizing.hierarchy.rows import HierarchyRows, read_rows
from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy

_NUMERIC = {ValueType.INTEGER, ValueType.NUMBER}


def matched(
    values: ColumnValues, rows: Sequence[str], places: Sequence[int], source: str
) -> list[int | None]:
    """Return the row of each value: by text, and by number where the column holds numbers.

    A value that is found by its text is sure. By number, as 17 for ``17.0``, it is found only where one
    value and one row have that number: beside ``017`` and ``17`` nobody knows which is meant.

    Example:
        >>> import numpy as np
        >>> age = ColumnValues(
        ...     name="age",
        ...     value_type=ValueType.NUMBER,
        ...     codes=np.array([1, 2], dtype=np.int32),
        ...     texts=(None, "17.0", "18.0"),
        ...     numbers=np.array([np.nan, 17, 18]),
        ... )
        >>> matched(age, ["18", "17"], [1, 2], "file")
        [1, 0]
    """
    row_of = {row: at for at, row in enumerate(rows)}
    texts = [str(text) for text in values.texts[1:]]
    row_by_code: list[int | None] = [row_of.get(text) for text in texts]
    has_numbers = values.numbers is not None and values.value_type in _NUMERIC
    numbers = values.numbers[1:].tolist() if values.numbers is not None and has_numbers else []
    # a column of numbers has NaN for what marks a suppressed cell
    lacking = [
        code
        for code, row in enumerate(row_by_code)
        if row is None and texts[code] != SUPPRESSED and not (has_numbers and math.isnan(numbers[code]))
    ]
    if lacking and has_numbers:
        rows_of = _by_number({row: at for row, at in row_of.items() if row != SUPPRESSED})
        values_of: dict[float, int] = {}
        for number in numbers:
            values_of[number] = values_of.get(number, 0) + 1
        for code in lacking:
            candidates = rows_of.get(numbers[code], [])
            if len(candidates) > 1 or (candidates and values_of[numbers[code]] > 1):
                lines = " and ".join(str(places[at]) for at in candidates[:2])
                raise DataError(
                    f"{source} line {lines} fits several values of column {values.name!r} that are the same"
                    " number written differently, as 017 and 17; give each text a row of its own"
                )
            row_by_code[code] = candidates[0] if candidates else None
        lacking = [code for code in lacking if row_by_code[code] is None]
    if lacking:
        raise DataError(
            f"{source} lacks {len(lacking):,} of the {values.distinct:,} values of column {values.name!r};"
            " add a row for each"
        )
    return row_by_code


def _by_number(row_of: Mapping[str, int]) -> dict[float, list[int]]:
    rows: dict[float, list[int]] = {}
    for text, row in row_of.items():
        try:
            number = float(text)
        except ValueError:
            continue
        if math.isfinite(number):
            rows.setdefault(number, []).append(row)
    return rows


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


def bind_rows(rows: HierarchyRows, values: ColumnValues) -> Hierarchy:
    """Return the hierarchy that the rows of a file give for a column.

    Example:
        >>> import numpy as np
        >>> from qidguard.anonymizing.hierarchy.rows import HierarchyRow
        >>> rows = HierarchyRows(name="sex.csv", rows=(HierarchyRow(line=1, cells=("f", "any")),))
        >>> sex = ColumnValues(
        ...     name="sex", value_type="text", codes=np.array([1], dtype=np.int32), texts=(None, "f")
        ... )
        >>> bind_rows(rows, sex).labels
        ((None, 'f'), ('any',))
    """
    cells = [row.cells for row in rows.rows]
    row_by_code = matched(values, [row[0] for row in cells], [row.line for row in rows.rows], rows.name)
    texts = [str(text) for text in values.texts[1:]]
    last = rows.columns - 1 if rows.has_top else rows.columns
    levels = [
        labeled_level(
            [text if row is None else cells[row][level] for row, text in zip(row_by_code, texts, strict=True)]
        )
        for level in range(1, last)
    ]
    top = cells[0][-1] if rows.has_top else SUPPRESSED
    return assemble(values, levels, origin="file", top=top)


def hierarchy_csv(hierarchy: "Hierarchy") -> str:
    r"""Return a hierarchy as ``load_hierarchy`` reads it: one row a value, columns from exact to coarsest.

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

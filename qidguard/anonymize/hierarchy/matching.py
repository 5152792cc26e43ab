"""Which row of a hierarchy file or a taxonomy each value of a column belongs to."""

import math
from collections.abc import Mapping, Sequence

from qidguard.core.column import ValueType
from qidguard.core.column_values import ColumnValues
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import SUPPRESSED

_NUMERIC = {ValueType.INTEGER, ValueType.NUMBER}


def matched(
    values: ColumnValues, rows: Sequence[str], places: Sequence[int], source: str
) -> list[int | None]:
    """Return the row of each value: by text, and by number where the column holds numbers.

    A value that is found by its text is sure. By number, as 17 for ``17.0``, it is found only where one
    value and one row have that number: beside ``017`` and ``17`` nobody knows which is meant.

    Args:
        values: The column.
        rows: The exact value of each row, each once.
        places: The line of each row.
        source: What errors call the rows, such as ``hierarchy file age.csv``.

    Returns:
        For each value but NULL, in the order of codes, the position of its row; None for a cell that is
        suppressed already and has none: ``*``, and what is no number in a column of numbers.

    Units:
        Positions, counted from 0.

    Raises:
        DataError: When values have no row, which are counted and not named, or more than one.

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
    found: list[int | None] = [row_of.get(text) for text in texts]
    has_numbers = values.numbers is not None and values.value_type in _NUMERIC
    numbers = values.numbers[1:].tolist() if values.numbers is not None and has_numbers else []
    # a column of numbers has NaN for what marks a suppressed cell
    lacking = [
        code
        for code, row in enumerate(found)
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
            found[code] = candidates[0] if candidates else None
        lacking = [code for code in lacking if found[code] is None]
    if lacking:
        raise DataError(
            f"{source} lacks {len(lacking):,} of the {values.distinct:,} values of column {values.name!r};"
            " add a row for each"
        )
    return found


def _by_number(row_of: Mapping[str, int]) -> dict[float, list[int]]:
    found: dict[float, list[int]] = {}
    for text, row in row_of.items():
        try:
            number = float(text)
        except ValueError:
            continue
        if math.isfinite(number):
            found.setdefault(number, []).append(row)
    return found

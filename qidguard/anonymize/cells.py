"""Cells of two tables held against each other: which of them an anonymiser changed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from qidguard.core.column_values import ColumnValues, Original, Recoded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.anonymize.records import SnapshotRecords
    from qidguard.engines.base import Snapshot


def is_same(
    before: ColumnValues, after: ColumnValues, kept: "NDArray[np.bool_]", *, by_number: bool = False
) -> "NDArray[np.bool_]":
    """Return for each kept record whether its cell is the source's.

    Args:
        before: The column of the source.
        after: The published column, of the kept records.
        kept: Shape (records of the source,).
        by_number: Whether values of the same number are the same, as in a column of whole numbers that is
            published as one of fractions.

    Returns:
        Shape (kept records,).

    NULL is the same as NULL and as nothing else.
    """
    import numpy as np

    places = {text: code for code, text in enumerate(after.texts)}
    expected = np.array([places.get(text, -1) for text in before.texts])
    if by_number and before.numbers is not None and after.numbers is not None:
        numbers = {number: code for code, number in enumerate(after.numbers.tolist())}  # NaN equals nothing
        for code, number in enumerate(before.numbers.tolist()):
            if expected[code] < 0:
                expected[code] = numbers.get(number, -1)
    same: NDArray[np.bool_] = expected[before.codes[kept]] == after.codes
    return same


def cells_changed(
    before: "SnapshotRecords",
    after: "SnapshotRecords",
    kept: "NDArray[np.bool_]",
    columns: Mapping[str, Recoded],
) -> dict[str, int]:
    """Return for each column the kept records whose cell is not the source's."""
    found = {}
    before.read(columns)
    after.read(columns)
    types, published = before.snapshot.types(), after.snapshot.types()
    for name in sorted(columns):
        by_number = types[name] != published[name]
        same = is_same(before.column(name), after.column(name), kept, by_number=by_number)
        found[name] = int((~same).sum())
    return found


def without_mark(
    snapshot: "Snapshot", records: "SnapshotRecords", columns: Mapping[str, Recoded], mark: str
) -> dict[str, Recoded]:
    """Return columns whose original values are told by codes in which the mark is a value like any other.

    An anonymiser sees the mark apart, so that a column of numbers with suppressed cells has numbers; the
    snapshot knows of no mark, and the order of codes may be another one.
    """
    return {name: _plain(snapshot, records.column(name), found, mark) for name, found in columns.items()}


def _plain(snapshot: "Snapshot", marked: ColumnValues, recoded: Recoded, mark: str) -> Recoded:
    if mark not in marked.texts or not any(isinstance(value, Original) for value in recoded.values):
        return recoded
    code_of = {text: code for code, text in enumerate(snapshot.column(marked.name).texts)}
    values = [
        Original(code_of[marked.texts[v.code]]) if isinstance(v, Original) else v for v in recoded.values
    ]
    return Recoded(codes=recoded.codes, values=tuple(values))

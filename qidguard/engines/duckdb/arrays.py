"""Fetch results as numpy arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidguard.core.view import Cells, Codes
from qidguard.engines.duckdb.connection import Connection
from qidguard.engines.duckdb.lockdown import run_arrays, run_select

Ints = NDArray[np.int64]


def columns(connection: Connection, sql: str) -> list[Ints]:
    """Return the columns of a SELECT of whole numbers."""
    fetched = run_arrays(connection, sql)
    return [np.asarray(values).astype(np.int64) for values in fetched.values()]


def matrix(connection: Connection, sql: str) -> NDArray[np.float64]:
    """Return the two columns of a SELECT as an array of shape (rows, 2), NaN for NULL."""
    return np.column_stack([_floats(values) for values in run_arrays(connection, sql).values()])


def numbers(connection: Connection, sql: str) -> NDArray[np.float64]:
    """Return the second column of a SELECT, placed by the first; NaN where there is none."""
    codes, values = run_arrays(connection, sql).values()
    position = np.asarray(codes).astype(np.int64)
    by_code = np.full(int(position.max(initial=0)) + 1, np.nan)
    by_code[position] = _floats(values)
    return by_code


def _floats(values: "np.ndarray[Any, Any]") -> NDArray[np.float64]:
    """Return fetched values as floating-point numbers, NaN for NULL, which numpy knows as masked."""
    floats: NDArray[np.float64] = np.ma.filled(np.ma.asarray(values).astype(np.float64), np.nan)
    return floats


def texts(connection: Connection, dictionary: str) -> tuple[str | None, ...]:
    """Return the first text of each code of a dictionary table."""
    first = (
        f"SELECT code, min(CAST(value AS VARCHAR)) AS text\nFROM {dictionary} WHERE code > 0 GROUP BY code"
    )
    known = dict(run_select(connection, first))
    return (None, *(known[code] for code in range(1, len(known) + 1)))


def cells(
    cell_columns: Sequence[Ints],
    size_columns: Sequence[Ints],
    value_counts: Sequence[Ints],
    *,
    has_missing: bool,
) -> Cells:
    """Return the cells: classes numbered in the order of their keys, values ranked from 0."""
    *cell_keys, codes, n = cell_columns
    *size_keys, size = size_columns
    order = np.lexsort(size_keys)
    sorted_keys = [key[order] for key in size_keys]
    values, table_n = value_counts
    ranked = np.argsort(values)
    return Cells(
        class_id=_find(sorted_keys, cell_keys),
        value=np.searchsorted(values[ranked], codes),
        n=n,
        size=size[order],
        table_n=table_n[ranked],
        has_missing=has_missing,
    )


def codes_sql(names: Sequence[str], rows: str, *, has_entities: bool) -> str:
    """Return a SELECT of code columns, the entity's number and ``records``, equal rows collapsed.

    ``rows`` is its FROM and WHERE.
    """
    keys = ", ".join([*names, *(["entity"] if has_entities else [])])
    sql = f"SELECT {keys}, CAST(sum(records) AS BIGINT) AS records\n{rows}\nGROUP BY {keys}"
    if has_entities:
        ranked = ", ".join([*names, "dense_rank() OVER (ORDER BY entity) AS entity"])
        sql = f"SELECT {ranked}, records FROM ({sql}) AS grouped"
    # in order, so that figures do not depend on the number of threads
    return f"{sql}\nORDER BY {keys}"


def codes(fetched: Sequence[Ints], *, width: int, has_entities: bool, marks: tuple[int, ...]) -> Codes:
    """Return fetched code columns, the entity where there is one, and the multiplicity."""
    return Codes(
        codes=np.column_stack(fetched[:width]).astype(np.int32),
        records=fetched[-1],
        entity=fetched[width] if has_entities else None,
        suppressed=marks,
    )


def _find(sorted_keys: Sequence[Ints], wanted: Sequence[Ints]) -> Ints:
    """Return the position of each wanted key among the sorted ones (every one is there)."""
    if len(sorted_keys) == 1:
        return np.searchsorted(sorted_keys[0], wanted[0]).astype(np.int64)
    known = len(sorted_keys[0])
    stacked = np.concatenate([np.column_stack(sorted_keys), np.column_stack(wanted)])
    _, inverse = np.unique(stacked, axis=0, return_inverse=True)
    position = np.empty(known, dtype=np.int64)
    position[inverse[:known]] = np.arange(known)
    return position[inverse[known:]]

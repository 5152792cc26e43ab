"""Columns of a private copy handed over as a pandas or an Arrow table, with the types of a published file."""

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.opened import Column, Opened, opened
from qidguard.engines.duckdb.snapshot.writing import exact_types, order
from qidguard.engines.duckdb.sources.arrow import import_pyarrow
from qidguard.engines.duckdb.sources.copied import Copied

if TYPE_CHECKING:
    import pandas as pd

_HANDING = "handing over the table"
_INTEGERS = frozenset({"HUGEINT", "UHUGEINT"})


def as_pandas(copied: Copied, lender: Lender, names: Sequence[str], *, seed: int | None) -> "pd.DataFrame":
    """Return columns as a frame; numbers that no type of numpy holds exactly are Python's own."""
    with opened(copied, lender, _HANDING) as source:
        columns = source.columns(names)
        exact = {column.column: _exact(column.kind) for column in columns}
        frame = _selected(source, columns, seed, texts=[name for name, kind in exact.items() if kind]).df()
    for name, kind in exact.items():
        if kind is not None:
            frame[name] = [None if text is None else kind(text) for text in frame[name].astype(object)]
    frame.columns = list(names)
    return frame


def as_arrow(copied: Copied, lender: Lender, names: Sequence[str], *, seed: int | None) -> Any:
    """Return columns as a ``pyarrow.Table``; UserError where pyarrow is not installed."""
    import_pyarrow("an Arrow table")
    with opened(copied, lender, _HANDING) as source:
        table = _selected(source, source.columns(names), seed).to_arrow_table()
    return table.rename_columns(list(names))


def _selected(source: Opened, columns: Sequence[Column], seed: int | None, texts: Sequence[str] = ()) -> Any:
    types = exact_types(source, columns) | dict.fromkeys(texts, "VARCHAR")
    listed = ", ".join(f"CAST({c.column} AS {types[c.column]}) AS {c.column}" for c in columns)
    return source.connection.duckdb.sql(f"SELECT {listed}\nFROM {source.relation}\nORDER BY {order(seed)}")


def _exact(kind: str) -> type[int] | type[Decimal] | None:
    return int if kind in _INTEGERS else Decimal if kind.startswith("DECIMAL") else None

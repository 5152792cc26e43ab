"""The types that columns of texts may have in a file: those from which every text comes back as it was."""

from collections.abc import Sequence

from qidguard.engines.duckdb.snapshot.opened import Column, Opened

TEXT = "VARCHAR"
_TYPES = ("BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "BOOLEAN")
"""No text is what values of two of these print as."""

_ENDLESS = frozenset({"DOUBLE", "DATE", "TIMESTAMP"})
"""Types with values that are no finite ones."""

_PROBED_RECORDS = 1000


def exact_types(opened: Opened, columns: Sequence[Column]) -> dict[str, str]:
    """Return the type that each column is written with, by its name inside.

    A column of a typed source keeps its own. One of a CSV's texts gets the type whose values print as all of
    its texts, to the last character: so `01`, `1.50`, `True` or a suppression mark leave it text, a table
    that is read from the file has the classes that were audited, and its content has the same digest.
    """
    kinds = {column.column: column.kind for column in columns}
    if not opened.copied.is_text or not columns:
        return kinds
    probed: dict[str, tuple[str, ...]] = {column.column: _TYPES for column in columns}
    some = _fitting(opened, probed, f"(SELECT * FROM {opened.relation} LIMIT {_PROBED_RECORDS})")
    every = _fitting(opened, some, opened.relation)
    # every type fits where there is no text at all
    return kinds | {name: fitting[0] if len(fitting) == 1 else TEXT for name, fitting in every.items()}


def _fitting(opened: Opened, asked: dict[str, tuple[str, ...]], relation: str) -> dict[str, tuple[str, ...]]:
    """Return which of the types asked for fit all texts of each column; all where there is no text."""
    pairs = [(name, kind) for name, kinds in asked.items() for kind in kinds]
    if not pairs:
        return asked
    tests = ", ".join(f"coalesce(bool_and({_is_exact(name, kind)}), true)" for name, kind in pairs)
    fits = opened.connection.duckdb.execute(f"SELECT {tests} FROM {relation}").fetchall()[0]
    fitting = [pair for pair, is_fitting in zip(pairs, fits, strict=True) if is_fitting]
    return {name: tuple(kind for column, kind in fitting if column == name) for name in asked}


def _is_exact(name: str, kind: str) -> str:
    """Return SQL for whether a text comes back from a type; NULL where there is no text."""
    cast = f"TRY_CAST({name} AS {kind})"
    is_same = f"coalesce(CAST({cast} AS {TEXT}) = {name}, false)"
    is_finite = f" AND coalesce(isfinite({cast}), false)" if kind in _ENDLESS else ""
    return f"CASE WHEN {name} IS NOT NULL THEN {is_same}{is_finite} END"

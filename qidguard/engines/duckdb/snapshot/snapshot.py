"""A private snapshot: what is audited and what is published are both made from it."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from qidguard.core.column import ColumnValues, Recoded
from qidguard.core.errors import DataError
from qidguard.core.spelling import Normalized
from qidguard.core.versions import PublishedColumn
from qidguard.engines.base import EngineSettings, KeyedClasses, PublishedFormat, ReadOptions
from qidguard.engines.duckdb.snapshot.column_values import codes, column_values
from qidguard.engines.duckdb.snapshot.joining import joined, records_at
from qidguard.engines.duckdb.snapshot.keyed_classes import (
    keyed_classes,
    keyed_columns,
    keyed_hash,
    keyed_persons,
)
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.opened import Opened, content_digest, opened
from qidguard.engines.duckdb.snapshot.private_copy import copy_source, remade, remove
from qidguard.engines.duckdb.snapshot.sampled import columns_at
from qidguard.engines.duckdb.snapshot.writing import exact_types, order, write
from qidguard.engines.duckdb.sources.arrow import import_pyarrow
from qidguard.engines.duckdb.sources.copied import Copied
from qidguard.engines.duckdb.sources.staged import Staged

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


class DuckdbSnapshot:
    """A snapshot of qidguard.engines.base.Snapshot in a file of DuckDB.

    Args:
        copied: The file; it is removed with its directory when the snapshot is closed or forgotten.
        lender: Lends the connections of whatever is done with it; snapshots made of it share them.
    """

    def __init__(self, copied: Copied, lender: Lender) -> None:
        self.copied = copied
        self._lender = lender
        lender.hold()
        self._remove = weakref.finalize(self, _removed, copied, lender)

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in the source's order."""
        return self.copied.names

    @property
    def records(self) -> int:
        """Number of records."""
        return self.copied.records

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on how the source was read."""
        return self.copied.notes

    @property
    def format(self) -> PublishedFormat:
        """The format that keeps what the source holds."""
        return "csv" if self.copied.is_text else "parquet"

    @property
    def source_digest(self) -> str:
        """The digest of the source that this was read from: of the very bytes, or else of the content."""
        return self.copied.source_digest or f"content:{self.content_digest(self.names)}"

    def types(self) -> dict[str, str]:
        """Return column → DuckDB's name of its type."""
        return dict(zip(self.copied.names, self.copied.kinds, strict=True))

    def content_digest(self, columns: Sequence[str]) -> str:
        """Return a digest of the records over ``columns``, in this order of columns, hex."""
        if not columns:
            raise ValueError("a digest is of at least one column")
        with self._opened("hashing the content") as source:
            inside = [column.column for column in source.columns(columns)]
            return content_digest(source.connection.duckdb, source.relation, inside, columns)

    def codes(
        self, columns: Sequence[str], normalized: Sequence[Normalized] = (), mark: str | None = None
    ) -> "NDArray[np.int32]":
        """Return codes, shape (records, columns), in the source's order; equal values equal codes, NULL 0."""
        with self._opened("coding the columns") as source:
            return codes(source, columns, normalized, mark)

    def column(self, name: str, *, suppression_mark: str | None = None) -> ColumnValues:
        """Return one column with its values, in the source's order; DataError when there is none."""
        return self.columns((name,), suppression_mark=suppression_mark)[0]

    def columns(
        self, names: Sequence[str], *, suppression_mark: str | None = None
    ) -> tuple[ColumnValues, ...]:
        """Return several columns in one go, which opens the copy once; DataError when there is none."""
        with self._opened("reading columns") as source:
            return column_values(source, names, suppression_mark)

    def columns_at(
        self, names: Sequence[str], places: "NDArray[np.int64]", *, suppression_mark: str | None = None
    ) -> tuple[ColumnValues, ...]:
        """Return columns of the records at some places, in that order; types are those of their values."""
        with self._opened("reading some records") as source:
            return columns_at(source, names, places, suppression_mark)

    def recode(self, columns: Mapping[str, Recoded], kept: "NDArray[np.bool_]") -> "DuckdbSnapshot":
        """Return a snapshot of the kept records with other values in some columns."""
        from qidguard.engines.duckdb.snapshot.recoding import recoded

        places = self._places(kept)
        return self._remade("writing what was anonymized", lambda source: recoded(source, columns, places))

    def keep(self, kept: "NDArray[np.bool_]") -> "DuckdbSnapshot":
        """Return a snapshot of the kept records only, in their order; DataError when none is kept."""
        places = self._places(kept)
        return self._remade("keeping records", lambda source: records_at(source, places))

    def new_table(self, columns: Mapping[str, Recoded]) -> "DuckdbSnapshot":
        """Return a snapshot that holds new columns only, and none of the records."""
        from qidguard.engines.duckdb.snapshot.recoding import new_table

        return self._remade("writing the new table", lambda source: new_table(source, columns))

    def with_records(self, other: "DuckdbSnapshot") -> "DuckdbSnapshot":
        """Return a snapshot of these records and then those of another, in the columns and types of this."""
        return self._remade("joining records", lambda source: joined(source, other.copied))

    def _opened(self, doing: str) -> AbstractContextManager[Opened]:
        return opened(self.copied, self._lender, doing)

    def _remade(self, doing: str, staged_of: Callable[[Opened], Staged]) -> "DuckdbSnapshot":
        return DuckdbSnapshot(remade(self.copied, self._lender, doing, staged_of), self._lender)

    def _places(self, kept: "NDArray[np.bool_]") -> "NDArray[np.int64]":
        """Return the positions of the kept records."""
        mask = np.asarray(kept)
        if mask.dtype != np.bool_ or mask.shape != (self.records,):
            raise ValueError(f"what is kept is a truth value for each of {self.records} records")
        if not mask.any():
            raise DataError("No record is kept, so nothing is left to be published; loosen the policy.")
        return np.flatnonzero(mask)

    def write(
        self, path: Path, columns: Sequence[str], kind: PublishedFormat, *, seed: int | None
    ) -> dict[str, str]:
        """Write ``columns`` of all records to a new file, shuffled by ``seed``; None keeps the order."""
        return write(self.copied, self._lender, path, columns, kind, seed=seed)

    def to_pandas(self, columns: Sequence[str], *, seed: int | None) -> "pd.DataFrame":
        """Return ``columns`` of all records as a frame, shuffled by ``seed``; None keeps the order.

        Numbers that no type of numpy holds exactly are Python's own.
        """
        with self._opened(_HANDING) as source:
            exact = {column.column: _exact(column.kind) for column in source.columns(columns)}
            frame = _selected(source, columns, seed, [name for name, kind in exact.items() if kind]).df()
        for name, kind in exact.items():
            if kind is not None:
                frame[name] = [None if text is None else kind(text) for text in frame[name].astype(object)]
        frame.columns = list(columns)
        return frame

    def to_arrow(self, columns: Sequence[str], *, seed: int | None) -> Any:
        """Return ``columns`` of all records as a ``pyarrow.Table``; as ``to_pandas``."""
        import_pyarrow("an Arrow table")
        with self._opened(_HANDING) as source:
            return _selected(source, columns, seed).to_arrow_table().rename_columns(list(columns))

    def keyed_classes(
        self,
        combinations: Mapping[str, Sequence[str]],
        entity: str | None,
        key: bytes,
        *,
        followed: Sequence[str] | None = None,
        normalized: Sequence[Normalized] = (),
        mark: str | None = None,
    ) -> KeyedClasses:
        """Return persons and classes as keyed hashes."""
        hashed = keyed_hash(key)
        with self._opened("hashing classes") as source:
            return keyed_classes(source, combinations, entity, hashed, followed, normalized, mark)

    def keyed_persons(self, entity: str, key: bytes) -> "NDArray[np.uint8]":
        """Return the keyed hash of each record's person, in the source's order."""
        hashed = keyed_hash(key)
        with self._opened("hashing persons") as source:
            return keyed_persons(source, entity, hashed)

    def keyed_columns(
        self, columns: Sequence[str], key: bytes, *, suppression_mark: str | None = None
    ) -> tuple[PublishedColumn, ...]:
        """Return what is kept of each column: its type and its records per keyed bucket."""
        hashed = keyed_hash(key)
        with self._opened("hashing columns") as source:
            return keyed_columns(source, columns, hashed, suppression_mark)

    def close(self) -> None:
        """Remove the copy; a second call does nothing."""
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def take_snapshot(source: Any, options: ReadOptions, settings: EngineSettings) -> DuckdbSnapshot:
    """Return a private snapshot of a source; a reader is consumed."""
    lender = Lender(settings)
    lender.hold()
    try:
        return DuckdbSnapshot(copy_source(source, options, lender), lender)
    finally:
        lender.let_go()


def _removed(copied: Copied, lender: Lender) -> None:
    """Remove a copy, and close its connection unless another snapshot holds it."""
    try:
        lender.let_go()
    finally:
        remove(copied)


_HANDING = "handing over the table"
_INTEGERS = frozenset({"HUGEINT", "UHUGEINT"})


def _selected(source: Opened, names: Sequence[str], seed: int | None, texts: Sequence[str] = ()) -> Any:
    columns = source.columns(names)
    types = exact_types(source, columns) | dict.fromkeys(texts, "VARCHAR")
    listed = ", ".join(f"CAST({c.column} AS {types[c.column]}) AS {c.column}" for c in columns)
    return source.connection.duckdb.sql(f"SELECT {listed}\nFROM {source.relation}\nORDER BY {order(seed)}")


def _exact(kind: str) -> type[int] | type[Decimal] | None:
    return int if kind in _INTEGERS else Decimal if kind.startswith("DECIMAL") else None

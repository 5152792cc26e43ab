"""A private snapshot: what is audited and what is published are both made from it."""

import weakref
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from qidguard.core.column import ColumnValues, Original, Recoded
from qidguard.core.errors import DataError
from qidguard.core.files import PrivateFolder
from qidguard.core.spelling import Normalized
from qidguard.core.versions import PublishedColumn
from qidguard.engines.base import EngineSettings, KeyedClasses, PublishedFormat, ReadOptions
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.snapshot.column_values import MOST_JOINS
from qidguard.engines.duckdb.snapshot.content_digest import content_digest
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.opened import Column, Opened, opened
from qidguard.engines.duckdb.snapshot.private_copy import copy_source, copy_staged, new_folder, remove
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
        with opened(self.copied, self._lender, "hashing the content") as source:
            inside = [column.column for column in source.columns(columns)]
            return content_digest(source.connection.duckdb, source.relation, inside, columns)

    def codes(
        self, columns: Sequence[str], normalized: Sequence[Normalized] = (), mark: str | None = None
    ) -> "NDArray[np.int32]":
        """Return codes, shape (records, columns), in the source's order; equal values equal codes, NULL 0."""
        from qidguard.engines.duckdb.snapshot.column_values import codes

        with opened(self.copied, self._lender, "coding the columns") as source:
            return codes(source, columns, normalized, mark)

    def column(self, name: str, *, suppression_mark: str | None = None) -> ColumnValues:
        """Return one column with its values, in the source's order; DataError when there is none."""
        return self.columns((name,), suppression_mark=suppression_mark)[0]

    def columns(
        self, names: Sequence[str], *, suppression_mark: str | None = None
    ) -> tuple[ColumnValues, ...]:
        """Return several columns in one go, which opens the copy once; DataError when there is none."""
        from qidguard.engines.duckdb.snapshot.column_values import column_values

        with opened(self.copied, self._lender, "reading columns") as source:
            return column_values(source, names, suppression_mark)

    def columns_at(
        self, names: Sequence[str], places: "NDArray[np.int64]", *, suppression_mark: str | None = None
    ) -> tuple[ColumnValues, ...]:
        """Return columns of the records at some places, in that order; types are those of their values."""
        from qidguard.engines.duckdb.snapshot.sampled import columns_at

        with opened(self.copied, self._lender, "reading some records") as source:
            return columns_at(source, names, places, suppression_mark)

    def recode(self, columns: Mapping[str, Recoded], kept: "NDArray[np.bool_]") -> "DuckdbSnapshot":
        """Return a snapshot of the kept records with other values in some columns."""
        from qidguard.engines.duckdb.snapshot.recoding import recoded

        places = self._places(kept)
        with (
            new_folder(self._lender.settings) as folder,
            opened(self.copied, self._lender, "writing what was anonymized") as source,
        ):
            copied = recoded(source, columns, places, folder)
        return DuckdbSnapshot(copied, self._lender)

    def keep(self, kept: "NDArray[np.bool_]") -> "DuckdbSnapshot":
        """Return a snapshot of the kept records only, in their order; DataError when none is kept."""
        from qidguard.engines.duckdb.snapshot.joining import records_at

        return DuckdbSnapshot(records_at(self.copied, self._places(kept), self._lender), self._lender)

    def new_table(self, columns: Mapping[str, Recoded]) -> "DuckdbSnapshot":
        """Return a snapshot that holds new columns only, and none of the records."""
        with (
            new_folder(self._lender.settings) as folder,
            opened(self.copied, self._lender, "writing the new table") as source,
        ):
            copied = new_table(source, columns, folder)
        return DuckdbSnapshot(copied, self._lender)

    def _places(self, kept: "NDArray[np.bool_]") -> "NDArray[np.int64]":
        """Return the positions of the kept records."""
        import numpy as np

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
        """Return ``columns`` of all records as a frame, shuffled by ``seed``; None keeps the order."""
        return as_pandas(self.copied, self._lender, columns, seed=seed)

    def to_arrow(self, columns: Sequence[str], *, seed: int | None) -> Any:
        """Return ``columns`` of all records as a ``pyarrow.Table``; as ``to_pandas``."""
        return as_arrow(self.copied, self._lender, columns, seed=seed)

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
        from qidguard.engines.duckdb.snapshot.alike import Alike
        from qidguard.engines.duckdb.snapshot.keyed_classes import keyed_classes, keyed_hash

        hashed, alike = keyed_hash(key), Alike(normalized=normalized, mark=mark) if normalized else None
        with opened(self.copied, self._lender, "hashing classes") as source:
            return keyed_classes(source, combinations, entity, hashed, followed, alike)

    def keyed_persons(self, entity: str, key: bytes) -> "NDArray[np.uint8]":
        """Return the keyed hash of each record's person, in the source's order."""
        from qidguard.engines.duckdb.snapshot.keyed_classes import keyed_hash, keyed_persons

        hashed = keyed_hash(key)
        with opened(self.copied, self._lender, "hashing persons") as source:
            return keyed_persons(source, entity, hashed)

    def with_records(self, other: "DuckdbSnapshot") -> "DuckdbSnapshot":
        """Return a snapshot of these records and then those of another, in the columns and types of this."""
        from qidguard.engines.duckdb.snapshot.joining import joined

        with (
            new_folder(self._lender.settings) as folder,
            opened(self.copied, self._lender, "joining records") as source,
        ):
            copied = joined(source, other.copied, folder)
        return DuckdbSnapshot(copied, self._lender)

    def keyed_columns(
        self, columns: Sequence[str], key: bytes, *, suppression_mark: str | None = None
    ) -> tuple[PublishedColumn, ...]:
        """Return what is kept of each column: its type and its records per keyed bucket."""
        from qidguard.engines.duckdb.snapshot.keyed_classes import keyed_columns, keyed_hash

        hashed = keyed_hash(key)
        with opened(self.copied, self._lender, "hashing columns") as source:
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


def new_table(opened: Opened, columns: Mapping[str, Recoded], folder: PrivateFolder) -> Copied:
    """Return a copy that holds new columns only: first those of the source, in its order, then others."""
    import pandas as pd

    from qidguard.engines.duckdb.snapshot.recoding import published_table

    columns_made = _columns(opened, columns)
    records = len(columns[columns_made[0].name].codes)
    if not records:
        raise DataError("The new table has no records, so there is nothing to be published.")
    frame: dict[str, Any] = {"place": np.arange(records)}
    for column in columns_made:
        codes = columns[column.name].codes
        if codes.shape != (records,):
            raise ValueError(f"the codes of {column.name!r} are not one for each new record")
        frame[f"v_{column.column}"] = codes.astype(np.int32)
    database = opened.connection.duckdb
    database.register("made", pd.DataFrame(frame))
    relation = "made"
    for start in range(0, len(columns_made), MOST_JOINS):
        together = columns_made[start : start + MOST_JOINS]
        tables = [published_table(opened, column, columns[column.name].values) for column in together]
        pairs = [(column.column, table) for column, table in zip(together, tables, strict=True)]
        values = ", ".join(f"{table}.value AS {name}" for name, table in pairs)
        used = ", ".join(f"v_{name}" for name, _ in pairs)
        joins = "".join(f"\nJOIN {table} ON source.v_{name} = {table}.published" for name, table in pairs)
        # one statement with a join for each of 300 columns would be planned for minutes
        database.execute(
            f"CREATE TEMP TABLE new_{start} AS\n"
            f"SELECT source.* EXCLUDE ({used}), {values}\nFROM {relation} AS source{joins}"
        )
        relation = f"new_{start}"
    staged = Staged(
        names=tuple(column.name for column in columns_made),
        relation=f"(SELECT {', '.join(c.column for c in columns_made)}, place FROM {relation})",
        is_text=opened.copied.is_text,
        notes=opened.copied.notes,
        order=opened.copied.order,
        is_new=True,
    )
    copied = copy_staged(opened.connection, staged, folder, position="place")
    database.unregister("made")
    return copied


def _columns(opened: Opened, columns: Mapping[str, Recoded]) -> list[Column]:
    """Return the columns of the new table, named inside by their own order."""
    if not columns:
        raise DataError("The new table has no columns, so there is nothing to be published.")
    every_value = (value for recoded in columns.values() for value in recoded.values)  # noqa: PD011 - no data frame
    if any(isinstance(value, Original) for value in every_value):
        raise ValueError("a new table copies no value of the source")
    kinds = dict(zip(opened.copied.names, opened.copied.kinds, strict=True))
    names = (*(n for n in opened.copied.names if n in columns), *(n for n in columns if n not in kinds))
    return [
        Column(name=name, column=naming.column(at), kind=kinds.get(name, "BIGINT"))
        for at, name in enumerate(names)
    ]


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

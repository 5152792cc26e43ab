"""A private snapshot: what is audited and what is published are both made from it."""

import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from qidguard.core.column import ColumnValues, Recoded
from qidguard.core.errors import DataError
from qidguard.core.spelling import Normalized
from qidguard.core.versions import PublishedColumn
from qidguard.engines.base import EngineSettings, KeyedClasses, PublishedFormat, ReadOptions
from qidguard.engines.duckdb.snapshot.content_digest import content_digest
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.opened import opened
from qidguard.engines.duckdb.snapshot.private_copy import copy_source, new_folder, remove
from qidguard.engines.duckdb.snapshot.writing import write
from qidguard.engines.duckdb.sources.copied import Copied

if TYPE_CHECKING:
    import numpy as np
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
        from qidguard.engines.duckdb.snapshot.places import records_at

        return DuckdbSnapshot(records_at(self.copied, self._places(kept), self._lender), self._lender)

    def new_table(self, columns: Mapping[str, Recoded]) -> "DuckdbSnapshot":
        """Return a snapshot that holds new columns only, and none of the records."""
        from qidguard.engines.duckdb.snapshot.new_table import new_table

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
        from qidguard.engines.duckdb.snapshot.frames import as_pandas

        return as_pandas(self.copied, self._lender, columns, seed=seed)

    def to_arrow(self, columns: Sequence[str], *, seed: int | None) -> Any:
        """Return ``columns`` of all records as a ``pyarrow.Table``; as ``to_pandas``."""
        from qidguard.engines.duckdb.snapshot.frames import as_arrow

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

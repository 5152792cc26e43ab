"""What an engine is: it opens a source and answers groupings; tables hide all values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from qidguard.core.column import ColumnFacts, ColumnValues, Recoded
from qidguard.core.number_format import NumberFormat
from qidguard.core.spelling import Normalized
from qidguard.core.statistic import ClassValue, Statistic, StatisticValues
from qidguard.core.versions import Changes, History, PublishedColumn
from qidguard.core.view import Grouping, TableView

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How a source is read; what is None is found out, and an ambiguous finding is an error.

    Args:
        format: ``csv``, ``parquet`` or ``duckdb``; None takes it from the file's name.
        delimiter: One character between the fields of a CSV, or ``whitespace``.
        quote: The quote character of a CSV.
        has_header: Whether the first line names the columns.
        columns: The column names, for a file without a header.
        encoding: The text encoding, any that Python knows; None is UTF-8.
        skip_lines: Lines before the column names of a CSV that are no part of the table, such as a title.
        missing: Texts that stand for NULL, as a CSV's empty field does; to fit only trimmed is an error.
        is_trimmed: Whether white space around a field is dropped.
        numbers: How numbers are written in columns of texts, where each text with a digit is one.
        dates: Formats of dates, such as ``%m/%d/%Y``, in columns where each text with a digit is one.
        skip_empty_records: Whether records without any value are left out; otherwise they are an error.
        table: The table of a DuckDB file.
        query: One SELECT over a DuckDB file.
        codebook: A file with the columns' labels (CSV, DDI, ``.dta``, ``.sav``), which recognizers read too.
        order: Column → its values from the first to the last, for texts whose order somebody declares; the
            column is read as texts. It goes before an order that the source itself declares.
    """

    format: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    has_header: bool | None = None
    columns: tuple[str, ...] | None = None
    encoding: str | None = None
    skip_lines: int | None = None
    missing: tuple[str, ...] = ()
    is_trimmed: bool = False
    numbers: NumberFormat | None = None
    dates: tuple[str, ...] = ()
    skip_empty_records: bool = False
    table: str | None = None
    query: str | None = None
    codebook: "str | Path | None" = None
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def meaning_as(self, other: "ReadOptions") -> "ReadOptions":
        """Return these options with what values mean as another one says it.

        Args:
            other: It says which texts mean missing, and whatever else stands in ``OF_VALUES``.

        Returns:
            Options of the same kind of file.

        Example:
            >>> read = ReadOptions(delimiter=";").meaning_as(ReadOptions(missing=("?",), delimiter="|"))
            >>> read.delimiter, read.missing
            (';', ('?',))
        """
        return replace(self, **{name: getattr(other, name) for name in OF_VALUES})


READ_WORDS: Mapping[str, str] = {
    one.name: {"has_header": "header", "is_trimmed": "trim"}.get(one.name, one.name)
    for one in fields(ReadOptions)
    if one.name != "order"
}
"""Each option of reading as a policy's source and commands call it; its order is a section of its own."""

OF_VALUES = ("missing", "is_trimmed", "numbers", "dates", "skip_empty_records", "order")
"""The options that say what values mean, in whatever source they stand; the others are of a kind of file."""

OF_CSV = ("delimiter", "quote", "has_header", "columns", "encoding", "skip_lines")
OF_DUCKDB = ("table", "query")
"""The options that mean something to one kind of file only."""

WORDS_OF_VALUES = (
    *(READ_WORDS[name] for name in OF_VALUES if name in READ_WORDS),
    *("suppression_mark", "normalize"),
)
WORDS_OF_FILES = ("path", "format", *(READ_WORDS[name] for name in OF_CSV + OF_DUCKDB))
"""How a policy's source says what values mean, and how a file is found and read."""


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What an audit will ask, so that an engine can collapse the table while it loads.

    Args:
        columns: The columns that groupings may name; None keeps them all, and () none: their facts are kept.
        entity: The column whose distinct values are the persons; None counts records.
        weight: The sampling-weight column.
        population: A second source against which ``population_size`` is taken, with its options.
        population_options: How the population table is read.
        population_entity: Its entity column.
        suppression_mark: The text that stands for a suppressed value, which is no value (``Grouping``).
        sampling_fraction: Share of the population that is in the table, 0 < f ≤ 1.
        history: The earlier releases, against which metrics over time are measured.
        normalized: Columns in which texts that differ only as they are written are one value; no QID.
        changes: The original table beside this one, against which information loss is measured.
        rest: Columns published outside the QIDs, on which who is alone is counted; any, without ``columns``.
        compared: Some of ``columns``: it is found out which other columns carry their values, and some
            records of them and of ``rest`` are kept, if the table can do that.
    """

    columns: tuple[str, ...] | None = None
    entity: str | None = None
    weight: str | None = None
    population: Any = None
    population_options: ReadOptions = field(default_factory=ReadOptions)
    population_entity: str | None = None
    suppression_mark: str | None = None
    sampling_fraction: float | None = None
    history: History | None = None
    normalized: tuple[Normalized, ...] = ()
    changes: Changes | None = None
    rest: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class EngineSettings:
    """Resources of an engine.

    Args:
        memory_limit: Such as ``"4GB"``; beyond it the engine spills to disk. None takes the engine's default.
        threads: Number of threads, at most one for each processor; None takes all.
        spill_directory: Where to spill; None makes a private temporary directory and removes it afterward.
    """

    memory_limit: str | None = None
    threads: int | None = None
    spill_directory: str | None = None


class Table(TableView, Protocol):
    """An opened, locked-down table. Close it, or use it as a context manager."""

    @property
    def records(self) -> int:
        """Number of records."""

    @property
    def entities(self) -> int | None:
        """Number of distinct entities, or None without an entity column."""

    @property
    def missing_entities(self) -> int:
        """Number of records whose entity is NULL."""

    @property
    def columns(self) -> tuple[ColumnFacts, ...]:
        """Facts of every column, in the source's order."""

    @property
    def has_population(self) -> bool:
        """Whether a population table was given."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on how the source was read."""

    def statistics(self, grouping: Grouping, wanted: Sequence[Statistic]) -> StatisticValues:
        """Return the statistics of one grouping, each in its unit, from one scan where names allow it."""

    def class_values(self, grouping: Grouping, value: ClassValue) -> "NDArray[np.float64]":
        """Return a class value for every class, next to its size; shape (classes, 2)."""

    def is_marked(self, name: str) -> bool:
        """Whether the suppression mark stands in a column."""

    def suppressed_records(self, qids: tuple[str, ...]) -> int:
        """Return how many records stand in no class, every one of their QIDs being suppressed."""

    def close(self) -> None:
        """Give back memory, threads and spilled files."""


PublishedFormat = Literal["parquet", "csv"]


@dataclass(frozen=True, kw_only=True)
class KeyedClasses:
    """Persons and their classes as keyed hashes (HMAC-SHA-256, the first 16 bytes of each).

    Args:
        persons: Shape (persons, 16), one row a person, sorted as bytes, none twice; the same person, with
            the same key, has the same row in every release.
        classes: Combination's name → shape (classes, 16), one row a class, sorted as bytes.
        class_of: Combination's name → shape (persons,), the row in ``classes`` of each person's class. A
            person with records in several classes has a class of their own made of all of them.
    """

    persons: "NDArray[np.uint8]"
    classes: "Mapping[str, NDArray[np.uint8]]"
    class_of: "Mapping[str, NDArray[np.int64]]"


class Snapshot(Protocol):
    """A private copy of a source's records: what is audited and what is published are both made from it.

    It is itself a source that its engine accepts. Close it and those it makes, or use context managers.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in the source's order."""

    @property
    def records(self) -> int:
        """Number of records."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on how the source was read."""

    @property
    def format(self) -> PublishedFormat:
        """The format that keeps what the source holds: ``csv`` for a text source, else ``parquet``."""

    @property
    def source_digest(self) -> str:
        """The digest of the very bytes that were read, in the form that an engine's ``source_digest`` has."""

    def types(self) -> dict[str, str]:
        """Return column → the engine's name of its type (``VARCHAR`` for all columns of a text source)."""

    def content_digest(self, columns: Sequence[str]) -> str:
        """Return a digest of the records over ``columns``, hex, that does not depend on the records' order.

        It is of texts: a typed column and a column of the texts of its values give the same one.
        """

    def codes(
        self, columns: Sequence[str], normalized: Sequence[Normalized] = (), mark: str | None = None
    ) -> "NDArray[np.int32]":
        """Return codes, shape (records, columns), in the source's order; equal values equal codes, NULL 0.

        Codes follow the order of the values, or of what they are ``normalized`` to; the ``mark`` never is.
        """

    def column(self, name: str, *, suppression_mark: str | None = None) -> ColumnValues:
        """Return one column with its values, in the source's order; DataError when there is none.

        The mark, which is a value, does not take part in finding the type of a column of texts.
        """

    def columns(
        self, names: Sequence[str], *, suppression_mark: str | None = None
    ) -> tuple[ColumnValues, ...]:
        """Return several columns as ``column`` does, in one go; ValueError when one is named twice."""

    def recode(self, columns: Mapping[str, Recoded], kept: "NDArray[np.bool_]") -> "Snapshot":
        """Return a snapshot of the kept records, other values in some columns; DataError when none is kept.

        ``Original`` values are those of ``column`` without a mark. ValueError for anything but one code and
        one truth value a record.
        """

    def keep(self, kept: "NDArray[np.bool_]") -> "Snapshot":
        """Return a snapshot of the kept records only, as ``recode`` does."""

    def new_table(self, columns: Mapping[str, Recoded]) -> "Snapshot":
        """Return a snapshot of new columns only; ValueError for ``Original`` values or uneven codes."""

    def write(
        self, path: Path, columns: Sequence[str], kind: PublishedFormat, *, seed: int | None
    ) -> dict[str, str]:
        """Write columns of all records to a new file, shuffled by ``seed``, and return their types in it.

        What came from a CSV has in Parquet a type from which all of its texts come back. The file is compared
        with the snapshot: InternalError when it differs; UserError, DataError when it cannot be written.
        """

    def to_pandas(self, columns: Sequence[str], *, seed: int | None) -> "pd.DataFrame":
        """Return columns of all records as a frame, shuffled by ``seed``, with the types of a written file.

        An engine may lack it, and ``to_arrow`` likewise.
        """

    def to_arrow(self, columns: Sequence[str], *, seed: int | None) -> Any:
        """Return what ``to_pandas`` does as a ``pyarrow.Table``; UserError where pyarrow is not installed."""

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
        """Return persons and classes as keyed hashes.

        Without an entity column a record is followed by its content: its ``followed`` columns, or all where
        that is None, and its place among equal records. DataError when a record has no entity. Texts of
        ``normalized`` columns that differ only so are one value; the ``mark`` never is one of them.
        """

    def keyed_columns(
        self, columns: Sequence[str], key: bytes, *, suppression_mark: str | None = None
    ) -> tuple[PublishedColumn, ...]:
        """Return what is kept of each column: its type and its records per keyed bucket.

        The type is a ``ValueType``, for a text source the one that its values have without the mark.
        """

    def close(self) -> None:
        """Remove the copy; a second call does nothing."""

    def __enter__(self) -> Self:
        """Return the snapshot itself."""

    def __exit__(self, *_: object) -> None:
        """Remove the copy."""


class Engine(Protocol):
    """Opens sources.

    One from whose tables releases are made is an ``EngineOfReleases`` too.
    """

    @property
    def name(self) -> str:
        """A plain identifier."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    def can_open(self, source: Any) -> bool:
        """Whether this engine knows this kind of source (it may still fail to read it)."""

    def column_names(self, source: Any, options: ReadOptions, settings: EngineSettings) -> tuple[str, ...]:
        """Return the column names without loading the table."""

    def open(self, source: Any, options: ReadOptions, needs: Needs, settings: EngineSettings) -> Table:
        """Load the table, lock the connection, and return it; DataError where that takes guessing."""


class EngineOfReleases(Protocol):
    """What an engine also has from whose tables releases are made."""

    def snapshot(self, source: Any, options: ReadOptions, settings: EngineSettings) -> Snapshot:
        """Return a private copy of the source's records."""

    def source_digest(self, source: Any, options: ReadOptions, settings: EngineSettings | None = None) -> str:
        """Return the SHA-256 of a source's bytes in hex.

        It is ``content:`` and a content digest for what has no bytes, such as a frame or a snapshot, and
        ``none`` for a reader that can be read only once, which is not consumed: its snapshot has a digest.
        """

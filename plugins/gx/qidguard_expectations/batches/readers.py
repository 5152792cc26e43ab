"""Batches of Great Expectations, each as a source that an engine opens."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from great_expectations.compatibility.sqlalchemy import sqlalchemy as sa

from qidguard.core.address import shown_address
from qidguard.core.errors import DataError
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.engines.duckdb.sources.staged import check_names
from qidguard_expectations.datasources.relation_origin import RelationOrigin

if TYPE_CHECKING:
    import pyarrow as pa


class BatchReader(Protocol):
    """One batch; nothing is read before it is asked for.

    Whatever the library below raises is raised as it is: its text may hold values of the table, and the one
    who asks keeps it to himself.
    """

    @property
    def label(self) -> str:
        """What reports call it: data source and asset, never the options that chose its records."""

    def names(self) -> tuple[str, ...]:
        """Return the column names without reading a record; DataError where one stands twice."""

    def source(self, columns: Sequence[str] | None) -> AbstractContextManager[tuple[Any, ReadOptions]]:
        """Return a source of these columns alone, or of all, and what an engine must know to open it.

        It may be used until the context ends. Markers of missing values come on top of the options.
        """


def label_of(execution_engine: Any, batch_id: str | None) -> str:
    """Return what reports call a batch.

    Example:
        >>> from great_expectations.execution_engine import PandasExecutionEngine
        >>> label_of(PandasExecutionEngine(), None)
        'batch'
    """
    batches = execution_engine.batch_manager
    batch = batches.batch_cache.get(batch_id or batches.active_batch_id)
    source, asset = getattr(batch, "datasource", None), getattr(batch, "data_asset", None)
    if source is None or asset is None:
        return "batch"
    return f"{source.name}/{asset.name}"


@dataclass(frozen=True, kw_only=True)
class HeldBatch:
    """A batch that an execution engine holds.

    Args:
        execution_engine: The execution engine.
        domain: Which batch it is, as metrics are told.
    """

    execution_engine: Any
    domain: Mapping[str, Any]

    @property
    def label(self) -> str:
        """Data source and asset."""
        return label_of(self.execution_engine, self.domain.get("batch_id"))


def spec_of(batch: HeldBatch) -> Mapping[str, Any]:
    """Return how the data source got a batch; nothing for one that was handed over.

    Example:
        >>> from great_expectations.execution_engine import PandasExecutionEngine
        >>> spec_of(HeldBatch(execution_engine=PandasExecutionEngine(), domain={}))
        {}
    """
    batches = batch.execution_engine.batch_manager
    held = batches.batch_cache.get(batch.domain.get("batch_id") or batches.active_batch_id)
    return getattr(held, "batch_spec", None) or {}


class DuckDBBatch(HeldBatch):
    """A batch on the ``DuckDBExecutionEngine``."""

    def names(self) -> tuple[str, ...]:
        """Return the column names."""
        return self._origin.names()

    @contextmanager
    def source(self, columns: Sequence[str] | None) -> Iterator[tuple[Any, ReadOptions]]:
        """Return the file or the relation; a query of the wanted columns where there are more."""
        origin = self._origin
        if columns is not None and set(columns) != set(origin.names()):
            origin = origin.narrowed(columns)
        yield origin.source, origin.options

    @property
    def _origin(self) -> RelationOrigin:
        origin: RelationOrigin = self.execution_engine.origin(self.domain.get("batch_id"))
        return origin


class PandasBatch(HeldBatch):
    """A batch on the ``PandasExecutionEngine``."""

    def names(self) -> tuple[str, ...]:
        """Return the column names."""
        file = self._file
        if file is not None:
            return ENGINE.column_names(*file, EngineSettings())
        return check_names(list(self._frame.columns), "the DataFrame")

    @contextmanager
    def source(self, columns: Sequence[str] | None) -> Iterator[tuple[Any, ReadOptions]]:
        """Return the file itself where pandas may have made other values of it.

        Else it is the frame, or one of some of its columns that shares their values.
        """
        file = self._file
        if file is not None:
            yield file
            return
        frame = self._frame
        if columns is None or set(columns) == set(frame.columns):
            yield frame, ReadOptions()
            return
        import pandas as pd

        part = {name: frame[name] for name in columns}
        yield pd.DataFrame(part, index=frame.index, copy=False), ReadOptions()

    @property
    def _frame(self) -> Any:
        return self.execution_engine.get_domain_records(dict(self.domain))

    @property
    def _file(self) -> tuple[str, ReadOptions] | None:
        return file_of(spec_of(self), tuple(map(str, self._frame.columns)))


class SparkBatch(HeldBatch):
    """A batch on the ``SparkDFExecutionEngine``."""

    def names(self) -> tuple[str, ...]:
        """Return the column names."""
        return check_names(list(self._frame.columns), "the Spark DataFrame")

    @contextmanager
    def source(self, columns: Sequence[str] | None) -> Iterator[tuple[Any, ReadOptions]]:
        """Return the columns as an Arrow table; Spark is asked by position, since it may ignore case."""
        names = self.names()
        wanted = [at for at, name in enumerate(names) if columns is None or name in columns]
        numbered = self._frame.toDF(*(f"c{at}" for at in range(len(names))))
        fetched = numbered.select(*(f"c{at}" for at in wanted)).toArrow()
        yield fetched.rename_columns([names[at] for at in wanted]), ReadOptions()

    @property
    def _frame(self) -> Any:
        if str((spec_of(self).get("reader_options") or {}).get("inferSchema")).lower() == "true":
            raise DataError(
                "Spark finds out the types of this batch (inferSchema), which may make one value of several"
                " (01067 and 1067); set infer_schema=False, or give a schema."
            )
        return self.execution_engine.get_domain_records(dict(self.domain))


RECORDS_A_FETCH = 50_000
"""How many records are Python objects at one time."""


class SqlBatch(HeldBatch):
    """A batch on the ``SqlAlchemyExecutionEngine``."""

    def names(self) -> tuple[str, ...]:
        """Return the column names."""
        nothing = sa.select(sa.text("*")).select_from(self._selectable).where(sa.text("1 = 0"))
        with self.execution_engine.get_connection() as connection:
            return check_names(list(connection.execute(nothing).keys()), "the SQL batch")

    @contextmanager
    def source(self, columns: Sequence[str] | None) -> Iterator[tuple[Any, ReadOptions]]:
        """Return the columns as an Arrow table, NULL as NULL and whole numbers exact."""
        names = self.names() if columns is None else tuple(columns)
        quoted = [sa.column(sa.quoted_name(name, quote=True)) for name in names]
        # rows stay in the database until they are fetched, where it can keep them
        wanted = sa.select(*quoted).select_from(self._selectable).execution_options(stream_results=True)
        with self.execution_engine.get_connection() as connection, connection.execute(wanted) as result:
            table = arrow_table(names, result.partitions(RECORDS_A_FETCH))
        yield table, ReadOptions()

    @property
    def _selectable(self) -> Any:
        selectable = self.execution_engine.get_domain_records(dict(self.domain))
        if isinstance(selectable, str):
            raise DataError("The SQL batch is a text of SQL; give it as a query asset of its data source.")
        return selectable


_OF_TEXT = frozenset({"read_csv", "read_table"})
_INFERRING = frozenset({"read_excel", "read_fwf", "read_html", "read_json", "read_xml", "read_clipboard"})
"""Readers that find out the types of values, so that 01067 and 1067 may be one number and NA a gap."""

_OF_VALUES = frozenset(
    {"dtype", "dtype_backend", "converters", "true_values", "false_values", "na_values", "keep_default_na"}
    | {"na_filter", "parse_dates", "date_format", "dayfirst", "cache_dates", "thousands", "decimal"}
    | {"float_precision", "engine", "low_memory", "memory_map", "compression", "storage_options", "verbose"}
)
"""Options that change no record; what values mean is the policy's business."""

_USUAL: Mapping[str, object] = {
    "index_col": False,
    "skip_blank_lines": True,
    "doublequote": True,
    "quoting": 0,
    "on_bad_lines": "error",
    "encoding_errors": "strict",
}
"""What an option may say that has no other meaning here."""

_PLACES = ("path", "filepath_or_buffer", "path_or_buf", "io")
_TEXTS = frozenset({"str", "string", "object", "str[python]", "string[python]", "string[pyarrow]"})


def file_of(spec: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ReadOptions] | None:
    """Return the file of a batch of pandas and how it is read, or None where the frame holds its own values.

    Raises:
        DataError: When types were found out while the file was read, and it cannot be read another way.

    Example:
        >>> file_of({"reader_method": "read_csv", "path": "t.csv", "reader_options": {"sep": ";"}}, ())[0]
        't.csv'
        >>> file_of({"batch_data": "a frame"}, ()) is None
        True
    """
    method = spec.get("reader_method") or ""
    method = method if method.startswith("read_") else f"read_{method}"
    options = spec.get("reader_options") or {}
    given = {name: value for name, value in options.items() if value is not None or name == "header"}
    place = next((place for name in _PLACES if (place := spec.get(name) or given.pop(name, None))), None)
    place = str(place) if isinstance(place, PathLike) else place
    if method == "read_parquet" and isinstance(place, str) and not set(given) - _OF_VALUES:
        return place, ReadOptions(format="parquet")
    if method not in _OF_TEXT | _INFERRING or _keeps_texts(given, names):
        return None
    read = _as_read(method, given) if method in _OF_TEXT and not spec.get("partitioner_method") else None
    if read is None or not isinstance(place, str):
        raise DataError(
            f"The data source reads {shown_address(str(place))!r} by {method}, which may make one value of"
            " several (01067 and 1067, NA and None), and with options that cannot be followed here; leave out"
            " all but sep, header, names, encoding, quotechar and skiprows, or give every column the dtype"
            " str and keep_default_na=False."
        )
    return place, read


def _keeps_texts(given: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    """Whether every value is kept as it is written."""
    if given.get("dtype") is False:  # of JSON
        return given.get("convert_dates") is False
    dtype = given.get("dtype")
    kinds = {name: str(kind) for name, kind in dtype.items()} if isinstance(dtype, Mapping) else {}
    return given.get("keep_default_na") is False and all(kinds.get(name) in _TEXTS for name in names)


def _as_read(method: str, given: Mapping[str, Any]) -> ReadOptions | None:
    """Return options of pandas as ours; None where one of them is not known to choose the same records."""
    left = {name: value for name, value in given.items() if name not in _OF_VALUES}
    delimiter = left.pop("sep", None) or left.pop("delimiter", None)
    if method == "read_table" and delimiter is None:
        delimiter = "\t"
    if delimiter in {r"\s+", " +"} or left.pop("delim_whitespace", False):
        delimiter = "whitespace"
    columns = left.pop("names", None)
    header = left.pop("header", "infer" if columns is None else None)
    skipped = left.pop("skiprows", 0)
    read = ReadOptions(
        format="csv",
        delimiter=delimiter,
        quote=left.pop("quotechar", None),
        has_header={"infer": None, 0: True}.get(header, False),
        columns=None if columns is None else tuple(columns),
        encoding=left.pop("encoding", None),
        skip_lines=skipped or None,
    )
    is_usual = all(name in _USUAL and _USUAL[name] == value for name, value in left.items())
    is_known = isinstance(skipped, int) and len(delimiter or ",") in {1, len("whitespace")}
    # columns without a name are numbers in pandas, and names beside a header take its place
    is_named = header in {"infer", 0} if columns is None else header is None
    return read if is_usual and is_known and is_named else None


ZONED = "datetime with a zone"

_AS_TEXT: set[object] = {dt.time, UUID}
_KINDS: set[object] = {bool, int, float, str, Decimal, dt.date, dt.datetime, ZONED, dt.timedelta} | _AS_TEXT
_MAY_MEET: set[object] = {int, float}
"""Kinds of values that one column may mix: a whole number is a float where one is equal to it."""


def arrow_table(names: Sequence[str], batches: Iterable[Sequence[Sequence[Any]]]) -> "pa.Table":
    """Return rows as an Arrow table."""
    import pyarrow as pa

    columns = [_ArrivingColumn(name) for name in names]
    for rows in batches:
        for column, values in zip(columns, zip(*rows, strict=True), strict=False):
            column.add(values)
    return pa.table([column.joined() for column in columns], names=list(names))


class _ArrivingColumn:
    """One column while its chunks come in."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._kinds: set[object] = set()
        self._chunks: list[pa.Array] = []

    def add(self, values: Sequence[Any]) -> None:
        """Add a chunk; DataError when it is of another kind than those before."""
        import pyarrow as pa

        kinds = _kinds(values)
        self._kinds |= kinds
        if not (len(self._kinds) < 2 or self._kinds == _MAY_MEET):  # noqa: PLR2004 - one kind
            raise self._unfit("mixes kinds of values")
        if not self._kinds <= _KINDS:
            raise self._unfit("holds values that cannot be grouped")
        if kinds & _AS_TEXT:
            values = [None if value is None else str(value) for value in values]
        try:
            self._chunks.append(pa.array(values, type=_type(kinds), from_pandas=False))
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            raise self._unfit("holds values that fit no column type") from None

    def joined(self) -> "pa.ChunkedArray":
        """Return the chunks as one column of the one type that holds all of them exactly."""
        import pyarrow as pa

        fields = [pa.schema([("c", chunk.type)]) for chunk in self._chunks] or [pa.schema([("c", pa.null())])]
        try:
            kind = pa.unify_schemas(fields, promote_options="permissive").field("c").type
            # a safe cast refuses a whole number that no float is equal to
            return pa.chunked_array([chunk.cast(kind, safe=True) for chunk in self._chunks], type=kind)
        except (pa.ArrowException, ValueError):
            raise self._unfit("holds values that fit no column type") from None

    def _unfit(self, why: str) -> DataError:
        return DataError(
            f"Column {self._name!r} of the SQL batch {why}; cast it in a query asset, or leave it out."
        )


def _kinds(values: Sequence[Any]) -> set[object]:
    """Return the kinds of the values that are there: their types, and whether times have a zone."""
    kinds: set[object] = {type(value) for value in values if value is not None}
    if dt.datetime in kinds:
        zoned = {value.tzinfo is not None for value in values if isinstance(value, dt.datetime)}
        kinds |= {ZONED} if True in zoned else set()
        kinds -= set() if False in zoned else {dt.datetime}
    return kinds


def _type(kinds: set[object]) -> "pa.DataType | None":
    """Return the type of values of one kind; None for what Arrow has to look at, which takes it longer."""
    import pyarrow as pa

    types = {
        bool: pa.bool_(),
        int: pa.int64(),
        float: pa.float64(),
        str: pa.string(),
        dt.date: pa.date32(),
        dt.datetime: pa.timestamp("us"),
        ZONED: pa.timestamp("us", tz="UTC"),
        dt.timedelta: pa.duration("us"),
        **dict.fromkeys(_AS_TEXT, pa.string()),
    }
    return types.get(next(iter(kinds))) if len(kinds) == 1 else None

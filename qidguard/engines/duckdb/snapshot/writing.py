"""Write a file to be published, read it back and compare it with the snapshot."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from qidguard.core.errors import DataError, InternalError, UserError
from qidguard.engines.base import PublishedFormat
from qidguard.engines.duckdb.snapshot.content_digest import content_digest
from qidguard.engines.duckdb.snapshot.csv_file import CsvFile
from qidguard.engines.duckdb.snapshot.fault import cannot_write
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.opened import Column, Opened, opened
from qidguard.engines.duckdb.snapshot.parquet_file import ParquetFile
from qidguard.engines.duckdb.sources.copied import Copied

_WRITING = "writing the file"
_FORMATS: dict[PublishedFormat, type[ParquetFile] | type[CsvFile]] = {"parquet": ParquetFile, "csv": CsvFile}


def write(
    copied: Copied,
    lender: Lender,
    path: Path,
    names: Sequence[str],
    kind: PublishedFormat,
    *,
    seed: int | None,
) -> dict[str, str]:
    """Write columns of a private copy to a new file, compare it with the copy, and return its types."""
    if kind not in _FORMATS:
        raise ValueError(f"a published file is parquet or csv, not {kind!r}")
    if not names:
        raise DataError("A published file needs at least one column; publish one.")
    path = Path(path).absolute()
    with opened(copied, lender, _WRITING, target=path) as source:
        columns = source.columns(names)
        _check_names(columns)
        form = _FORMATS[kind](source, columns)
        with _new_file(path):
            source.connection.duckdb.execute(form.copy(path, order(seed)))
            _to_disk(path)
            _compare(source, columns, form, path)
    return form.types


def order(seed: int | None) -> str:
    """Return SQL for the order of records: by a hash of seed and place, so no thread has a say in it."""
    if seed is None:
        return "position"
    return f"CAST('0x' || sha256(concat({int(seed)}, ':', position))[1:16] AS UBIGINT), position"


def _check_names(columns: Sequence[Column]) -> None:
    for column in columns:
        try:
            column.name.encode()
        except UnicodeEncodeError:
            raise DataError(
                f"The column name {column.name!r} is no valid Unicode, which no file can hold; rename it."
            ) from None


@contextmanager
def _new_file(path: Path) -> Iterator[None]:
    """Reserve a path for a file that was not there before; whatever fails removes it again."""
    try:
        # nothing that is there is overwritten or followed, be it a file or a link
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except FileExistsError:
        raise UserError(
            f"The file {str(path)!r} exists already and is not overwritten; name another one."
        ) from None
    except OSError as error:
        raise cannot_write(path, _WRITING, error) from None
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _to_disk(path: Path) -> None:
    try:
        with path.open("rb+") as file:
            os.fsync(file.fileno())
    except OSError as error:
        raise cannot_write(path, _WRITING, error) from None


def _compare(source: Opened, columns: Sequence[Column], form: ParquetFile | CsvFile, path: Path) -> None:
    database = source.connection.duckdb
    names = [column.name for column in columns]
    relation, found_names = form.read_back(path)
    inside = [column.column for column in columns]
    expected = content_digest(database, source.relation, inside, names)
    plain = [f"c{i}" for i in range(len(columns))]
    if content_digest(database, relation, plain, found_names) != expected:
        raise InternalError(
            f"The file {path.name!r} does not hold what was written to it, so it was removed; check the disk"
            " and run it again."
        )

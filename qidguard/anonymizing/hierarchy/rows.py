"""The rows of a hierarchy file: one a value, its columns from exact to coarsest."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike
from pathlib import Path

from qidguard.core.errors import DataError, UserError
from qidguard.core.system import open_plain, why

_DELIMITERS = (";", ",", "\t", "|")
_LONGEST_FIELD = 1 << 24


@dataclass(frozen=True, kw_only=True)
class HierarchyRow:
    """One value with its labels.

    Args:
        line: The line of the file in which it begins, counted from 1.
        cells: The value and its label on each level.
    """

    line: int
    cells: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class HierarchyRows:
    """A checked hierarchy file: rows of one length, each value once, every level coarser than the one before.

    Args:
        name: What errors call the file.
        rows: Its rows, at least one.
        sha256: The digest of the bytes that they were read from, hex; empty where there is no file.
    """

    name: str
    rows: tuple[HierarchyRow, ...] = field(repr=False)
    sha256: str = ""

    def __post_init__(self) -> None:
        if not self.rows:
            raise DataError(f"{self.name} is empty; write one row a value, as value;group;*")
        columns = len(self.rows[0].cells)
        for row in self.rows:
            if len(row.cells) != columns:
                raise DataError(
                    f"{self.name} line {row.line} has {len(row.cells)} columns and line"
                    f" {self.rows[0].line} has {columns}; give every row the same levels"
                )
        for level in range(1, columns):
            self._check_level(level)

    @property
    def columns(self) -> int:
        """Number of columns, the exact one included, ≥ 1."""
        return len(self.rows[0].cells)

    @property
    def has_top(self) -> bool:
        """Whether the last column is one group; a file of one column has none."""
        return self.columns > 1 and len({row.cells[-1] for row in self.rows}) == 1

    def _check_level(self, level: int) -> None:
        above: dict[str, HierarchyRow] = {}
        for row in self.rows:
            first = above.setdefault(row.cells[level - 1], row)
            if first.cells[level] == row.cells[level]:
                continue
            lines = f"lines {first.line} and {row.line}"
            if level == 1:
                raise DataError(f"{self.name} {lines} give one value two labels; keep one of them")
            raise DataError(
                f"{self.name} {lines} are together in column {level} and apart in column"
                f" {level + 1}; a coarser level only merges, so give them different labels in column {level}"
            )


def read_rows(
    path: "str | PathLike[str]", *, delimiter: str | None = None, encoding: str | None = None
) -> HierarchyRows:
    r"""Return the rows of a hierarchy file.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "sex.csv")
        ...     _ = path.write_text("f;*\nm;*\n")
        ...     read_rows(path).rows[1].cells
        ('m', '*')
    """
    name = f"hierarchy file {Path(path).name}"
    unique: dict[tuple[str, ...], HierarchyRow] = {}
    file = text_file(Path(path), name, encoding)
    for row in parsed_rows(file.text, name, delimiter):
        unique.setdefault(row.cells, row)
    return HierarchyRows(name=name, rows=tuple(unique.values()), sha256=file.sha256)


def parsed_rows(text: str, name: str, delimiter: str | None = None) -> list[HierarchyRow]:
    """Return the rows of a text, each of one or more cells.

    Example:
        >>> [row.cells for row in parsed_rows("f;*", "a file")]
        [('f', '*')]
    """
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '\r\n"'):
        raise UserError(f"{name} is separated by one character, not {delimiter!r}; name another delimiter")
    return list(_parsed(text, _delimiter(text, name) if delimiter is None else delimiter, name))


@dataclass(frozen=True, kw_only=True)
class TextFile:
    """A text file as it was read, in one pass.

    Args:
        text: What it holds.
        sha256: The digest of the very bytes that the text was made from, hex.
    """

    text: str = field(repr=False)
    sha256: str


def text_file(path: Path, name: str, encoding: str | None = None) -> TextFile:
    """Return what a text file holds, with the digest of these bytes: another file may stand there later.

    Example:
        >>> text_file(Path("nowhere.csv"), "file nowhere.csv")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.DataError: there is no file nowhere.csv; check its path
    """
    try:
        with open_plain(path) as file:
            content = file.read()
    except FileNotFoundError:
        raise DataError(f"there is no {name}; check its path") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{name} cannot be read ({why(error)}); check its name and rights") from None
    try:
        text = content.decode(encoding or "utf-8-sig")
    except (UnicodeError, LookupError):
        raise DataError(f"{name} is not text in {encoding or 'UTF-8'}; name its encoding") from None
    if "\0" in text:
        raise DataError(f"{name} holds a NUL character; save it as text")
    return TextFile(text=text.removeprefix("\ufeff"), sha256=sha256(content).hexdigest())


def _parsed(text: str, delimiter: str, name: str) -> Iterator[HierarchyRow]:
    # an error of csv never repeats a field, and its limit is of the whole process, so it is put back
    limit = csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield HierarchyRow(line=line, cells=tuple(cells))
            line = reader.line_num + 1
    except csv.Error:
        raise DataError(
            f"{name} line {line} has a quote that is not closed or not doubled; mend it"
        ) from None
    finally:
        csv.field_size_limit(limit)


def _delimiter(text: str, name: str) -> str:
    """Return the delimiter that fits; ``;`` where none does, so that its error says which row is ragged."""
    fitting = []
    for delimiter in _DELIMITERS:
        try:
            widths = {len(row.cells) for row in _parsed(text, delimiter, name)}
        except DataError:
            continue
        if len(widths) == 1 and widths != {1}:
            fitting.append(delimiter)
    if ";" in fitting or not fitting:
        return ";"
    if len(fitting) > 1:
        raise DataError(f"{name} could be separated by {' or '.join(map(repr, fitting))}; name its delimiter")
    return fitting[0]

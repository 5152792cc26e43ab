"""Hierarchies as files that people edit: one row a value, its columns from exact to coarsest."""

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike
from pathlib import Path

from qidguard.anonymizing.hierarchy.assembling import assemble, labeled_level
from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.errors import DataError, UserError
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy
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


_NUMERIC = {ValueType.INTEGER, ValueType.NUMBER}


def matched(
    values: ColumnValues, rows: Sequence[str], places: Sequence[int], source: str
) -> list[int | None]:
    """Return the row of each value: by text, and by number where the column holds numbers.

    A value that is found by its text is sure. By number, as 17 for ``17.0``, it is found only where one
    value and one row have that number: beside ``017`` and ``17`` nobody knows which is meant.

    Example:
        >>> import numpy as np
        >>> age = ColumnValues(
        ...     name="age",
        ...     value_type=ValueType.NUMBER,
        ...     codes=np.array([1, 2], dtype=np.int32),
        ...     texts=(None, "17.0", "18.0"),
        ...     numbers=np.array([np.nan, 17, 18]),
        ... )
        >>> matched(age, ["18", "17"], [1, 2], "file")
        [1, 0]
    """
    row_of = {row: at for at, row in enumerate(rows)}
    texts = [str(text) for text in values.texts[1:]]
    row_by_code: list[int | None] = [row_of.get(text) for text in texts]
    has_numbers = values.numbers is not None and values.value_type in _NUMERIC
    numbers = values.numbers[1:].tolist() if values.numbers is not None and has_numbers else []
    # a column of numbers has NaN for what marks a suppressed cell
    lacking = [
        code
        for code, row in enumerate(row_by_code)
        if row is None and texts[code] != SUPPRESSED and not (has_numbers and math.isnan(numbers[code]))
    ]
    if lacking and has_numbers:
        rows_of = _by_number({row: at for row, at in row_of.items() if row != SUPPRESSED})
        values_of: dict[float, int] = {}
        for number in numbers:
            values_of[number] = values_of.get(number, 0) + 1
        for code in lacking:
            candidates = rows_of.get(numbers[code], [])
            if len(candidates) > 1 or (candidates and values_of[numbers[code]] > 1):
                lines = " and ".join(str(places[at]) for at in candidates[:2])
                raise DataError(
                    f"{source} line {lines} fits several values of column {values.name!r} that are the same"
                    " number written differently, as 017 and 17; give each text a row of its own"
                )
            row_by_code[code] = candidates[0] if candidates else None
        lacking = [code for code in lacking if row_by_code[code] is None]
    if lacking:
        raise DataError(
            f"{source} lacks {len(lacking):,} of the {values.distinct:,} values of column {values.name!r};"
            " add a row for each"
        )
    return row_by_code


def _by_number(row_of: Mapping[str, int]) -> dict[float, list[int]]:
    rows: dict[float, list[int]] = {}
    for text, row in row_of.items():
        try:
            number = float(text)
        except ValueError:
            continue
        if math.isfinite(number):
            rows.setdefault(number, []).append(row)
    return rows


def load_hierarchy(
    path: "str | PathLike[str]",
    values: ColumnValues,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Hierarchy:
    r"""Return the hierarchy that a file gives for a column.

    The file has no header and one row a value, as ``17;15-19;10-19;*``: the value as it stands in the table,
    then its label on each level, ever coarser. Where the last column is not one group, ``*`` is put above
    it. Values of the file that the table lacks do no harm. A value is found by its text, and in a column of
    numbers by its number. NULL needs no row, nor does a cell that is suppressed already: both stay apart
    below the top.

    Args:
        path: The file.
        values: The column.
        delimiter: What separates columns; without it the one of ``;``, ``,``, tab and ``|`` that fits.
        encoding: The text encoding; UTF-8 if None.

    Returns:
        The hierarchy, with every level that the file has.

    Units:
        Lines in errors are counted from 1.

    Raises:
        DataError: When the file cannot be read, is ragged, labels a value twice, separates on a level what a
            finer one puts together, or lacks values of the table, which are counted and not named.

    Example:
        >>> import numpy as np
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> sex = ColumnValues(
        ...     name="sex",
        ...     value_type="text",
        ...     codes=np.array([1, 2, 1], dtype=np.int32),
        ...     texts=(None, "f", "m"),
        ... )
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "sex.csv")
        ...     _ = path.write_text("f;*\nm;*\nx;*\n")
        ...     load_hierarchy(path, sex).labels
        ((None, 'f', 'm'), ('*',))
    """
    return bind_rows(read_rows(path, delimiter=delimiter, encoding=encoding), values)


def bind_rows(rows: HierarchyRows, values: ColumnValues) -> Hierarchy:
    """Return the hierarchy that the rows of a file give for a column.

    Example:
        >>> import numpy as np
        >>> rows = HierarchyRows(name="sex.csv", rows=(HierarchyRow(line=1, cells=("f", "any")),))
        >>> sex = ColumnValues(
        ...     name="sex", value_type="text", codes=np.array([1], dtype=np.int32), texts=(None, "f")
        ... )
        >>> bind_rows(rows, sex).labels
        ((None, 'f'), ('any',))
    """
    cells = [row.cells for row in rows.rows]
    row_by_code = matched(values, [row[0] for row in cells], [row.line for row in rows.rows], rows.name)
    texts = [str(text) for text in values.texts[1:]]
    last = rows.columns - 1 if rows.has_top else rows.columns
    levels = [
        labeled_level(
            [text if row is None else cells[row][level] for row, text in zip(row_by_code, texts, strict=True)]
        )
        for level in range(1, last)
    ]
    top = cells[0][-1] if rows.has_top else SUPPRESSED
    return assemble(values, levels, origin="file", top=top)


def hierarchy_csv(hierarchy: "Hierarchy") -> str:
    r"""Return a hierarchy as ``load_hierarchy`` reads it: one row a value, columns from exact to coarsest.

    Example:
        >>> import numpy as np
        >>> from qidguard.core.hierarchy import Hierarchy
        >>> sex = Hierarchy(
        ...     column="sex",
        ...     groups=np.array([[0, 1, 2], [0, 0, 0]], dtype=np.int32),
        ...     labels=((None, "f", "m"), ("*",)),
        ... )
        >>> hierarchy_csv(sex)
        'f;*\nm;*\n'
    """
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=";", lineterminator="\n")
    columns = [
        # a label is None for NULL alone, which has no row
        [names[group] or "" for group in row[1:].tolist()]
        for row, names in zip(hierarchy.groups, hierarchy.labels, strict=True)
    ]
    writer.writerows(zip(*columns, strict=True))
    return stream.getvalue()

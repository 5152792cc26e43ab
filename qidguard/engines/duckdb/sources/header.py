"""Whether the first line of a CSV names the columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from qidguard.core.errors import DataError, UserError
from qidguard.core.value_parts import looks_like_a_value
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.sources.dialect import Record
from qidguard.engines.duckdb.sources.staged import check_names


@dataclass(frozen=True, kw_only=True)
class Header:
    """The column names and where they come from.

    Args:
        names: One name a column.
        has_line: Whether the first line holds them.
        notes: Sentences for the report.
    """

    names: tuple[str, ...]
    has_line: bool
    notes: tuple[str, ...] = ()


def find_header(records: Sequence[Record], options: ReadOptions, label: str, *, is_trimmed: bool) -> Header:
    """Return the column names of a CSV.

    Where nobody says it, the first line is data when one of its fields is a number or a missing marker, and
    names when all are texts and some column is numeric below, or when none of them comes again in its column.
    Texts of which one has the form of a value, such as a date or an e-mail, are asked about.

    Example:
        >>> find_header([["a", "b"], ["1", "x"]], ReadOptions(), "x.csv", is_trimmed=False).names
        ('a', 'b')
    """
    first = [field.strip() if is_trimmed else field for field in records[0]]
    below = records[1:]
    if options.has_header is None:
        _refuse_title(first, below, options, label)
    if options.columns is not None:
        return _declared(first, below, options, label)
    has_line = options.has_header
    notes: tuple[str, ...] = ()
    if has_line is None:
        has_line = _is_header(first, below, options, label)
        if has_line and not _is_certain(first, below, options.missing):
            _refuse_values(first, below, label)
            notes = ("the first line was taken for the column names: it has only texts",)
    if has_line:
        if options.has_header:
            _refuse_data(first, below, label, options.missing)
        names, unnamed = _named(first)
        remedy = "rename them, or set `skip_lines:` where this line stands above the names"
        return Header(names=check_names(names, repr(label), remedy), has_line=True, notes=notes + unnamed)
    names = [f"column_{i}" for i in range(len(first))]
    last = names[-1]
    called = f"the columns are named column_0 to {last}" if len(names) > 1 else "the column is named column_0"
    return Header(names=tuple(names), has_line=False, notes=(f"the file has no header; {called}",))


def _declared(first: Record, below: Sequence[Record], options: ReadOptions, label: str) -> Header:
    columns = check_names(options.columns or (), "the option `columns:`")
    if options.has_header:
        raise UserError(
            "`columns:` names the columns of a file without a header; leave it out or say `header: false`."
        )
    if len(columns) != len(first):
        raise DataError(
            f"`columns:` gives {len(columns)} names, but {label!r} has {len(first)} columns; correct it."
        )
    repeats = [field.strip() for field in first] == [name.strip() for name in columns]
    if repeats or (options.has_header is None and _is_certain(first, below, options.missing)):
        raise DataError(
            f"`columns:` is given, but the first line of {label!r} seems to name the columns itself; leave"
            " `columns:`"
            " out, or say `header: false` if that line is data."
        )
    return Header(names=columns, has_line=False)


def _is_header(first: Record, below: Sequence[Record], options: ReadOptions, label: str) -> bool:
    texts = [field.strip() for field in first]
    is_data = [_is_number(text) or text in options.missing for text in texts]
    if any(is_data):
        if _is_certain(first, below, options.missing):
            raise _unsure(label)
        return False
    if _is_certain(first, below, options.missing) or not below:
        return True
    again = sum(field in column for field, column in zip(first, _columns(below, len(first)), strict=True))
    if again == 0:
        return True
    if again * 2 > len(first):
        return False
    raise _unsure(label)


_BEFORE_NAMES = 10
"""Records that are looked at for the names, where the first is no such line."""


def _refuse_title(first: Record, below: Sequence[Record], options: ReadOptions, label: str) -> None:
    """Refuse a first line that seems to stand above the names: a title, or names of groups of columns.

    It leaves a column unnamed that holds values, other than the first, as which some programs write row
    numbers; or it fills fewer fields than a line of texts soon after it, below which some column is numeric.
    """
    names = [field.strip() for field in first]
    is_unnamed = any(
        not name and column for name, column in list(zip(names, _columns(below, len(first)), strict=True))[1:]
    )
    if not (is_unnamed or any(_is_named_by(i, names, below, options) for i in range(_BEFORE_NAMES))):
        return
    filled = sum(map(bool, names))
    most = max(sum(map(bool, map(str.strip, record))) for record in below)
    raise DataError(
        f"The first record of {label!r} has {filled} filled field{'s' * (filled != 1)}, and those that follow"
        f" up to {most}: it may be a title. Set `skip_lines:` to the number of lines before the column names,"
        " or `header: true` where it names the columns."
    )


def _is_named_by(place: int, first: Record, below: Sequence[Record], options: ReadOptions) -> bool:
    """Whether a record below the first fills more fields, all with texts, and some are numeric below it."""
    if len(below) < place + 2:
        return False
    names = [field.strip() for field in below[place]]
    is_fuller = sum(map(bool, names)) > sum(map(bool, first))
    is_of_texts = not any(_is_number(name) for name in names)
    return is_fuller and is_of_texts and _is_certain(names, below[place + 1 :], options.missing)


def _refuse_values(first: Record, below: Sequence[Record], label: str) -> None:
    """Refuse a line of texts with a cell in the form of a value; its place is said and not its content."""
    columns = _columns(below, len(first))
    for place, (field, column) in enumerate(zip(first, columns, strict=True), start=1):
        shape = _shape(field)
        is_alike = "9" in shape and len(column) > 1 and all(_shape(value) == shape for value in column)
        if is_alike or looks_like_a_value(field):
            raise DataError(
                f"The first line of {label!r} may be data: column {place} looks like a value, and qidguard"
                " does not guess; set `header: true` or `header: false`."
            )


def _refuse_data(first: Record, below: Sequence[Record], label: str, missing: Sequence[str]) -> None:
    """Refuse a line that is said to name the columns where most of its cells come again in their columns.

    A record that is taken for names would be printed in reports, published in the header and left out of
    every count. Its cells are not repeated.
    """
    columns = _columns(below, len(first), missing)
    again = [place for place, field in enumerate(first, start=1) if field in columns[place - 1]]
    filled = sum(bool(field.strip()) for field in first)
    if again and len(again) * 2 > filled:
        raise DataError(
            f"`header: true` is said of {label!r}, and {len(again)} of the {filled} cells of its first line"
            " come again as values of their columns, so it may be data; set `header: false`, or rename the"
            " columns that are called like one of their values."
        )


def _shape(text: str) -> str:
    """Return a text with each run of letters as ``a`` and each run of digits as ``9``."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text.strip()))


def _is_certain(first: Record, below: Sequence[Record], missing: Sequence[str]) -> bool:
    """Whether some column is a text in the first line and a number wherever it is filled below."""
    return any(
        field.strip() and not _is_number(field.strip()) and column and all(map(_is_number, column))
        for field, column in zip(first, _columns(below, len(first), missing), strict=True)
    )


def _columns(records: Sequence[Record], width: int, missing: Sequence[str] = ()) -> list[set[str]]:
    """Return the filled fields of each column."""
    unfilled = {"", *missing}
    return [{r[i] for r in records if i < len(r) and r[i].strip() not in unfilled} for i in range(width)]


def _is_number(text: str) -> bool:
    try:
        float(text.strip().replace(",", "."))
    except ValueError:
        return False
    return text.strip().lower().lstrip("+-") not in {"nan", "inf", "infinity"}


def _named(first: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    names = list(first)
    notes = []
    for i, name in enumerate(names):
        if not name:
            names[i] = f"column_{i}"
            notes.append(f"column {i + 1} has no name and is called column_{i}")
    return names, tuple(notes)


def _unsure(label: str) -> DataError:
    return DataError(
        f"The first line of {label!r} may be column names or data, and qidguard does not guess; set `header:"
        " true` or"
        " `header: false`."
    )

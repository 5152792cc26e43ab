"""Local paths: hostile names made harmless, missing files explained."""

import difflib
import glob
import os
from pathlib import Path
from typing import Any

from qidguard.core.errors import DataError, UserError

FORMATS = {
    "csv": {".csv", ".tsv", ".txt", ".data", ".tab"},
    "parquet": {".parquet", ".pq", ".parq"},
    "duckdb": {".duckdb", ".ddb"},
}
"""The endings of names by which a format is known."""
_OTHERS = {".json", ".jsonl", ".ndjson", ".xlsx", ".xls", ".ods", ".sav", ".dta", ".sas7bdat", ".rds", ".orc"}


def literal(path: Path) -> str:
    """Return a path as DuckDB reads it literally: to DuckDB every path is a glob.

    Example:
        >>> literal(Path("/data[1]*.csv"))
        '/data[[]1][*].csv'
    """
    return "".join(
        f"[{character}]" if character in "*?[" else character for character in str(path.absolute())
    )


def needs_link(path: Path) -> bool:
    """Whether DuckDB cannot be given this path: to its patterns a backslash separates folders.

    Example:
        >>> needs_link(Path("/data[1]/x.csv"))
        False
    """
    text = str(path.absolute())
    return os.name == "posix" and "\\" in text and any(character in text for character in "*?[")


def to_path(source: Any) -> Path:
    """Return a text or path-like source as a path."""
    text = os.fspath(source)
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    if not text or "\0" in text:
        raise UserError(f"A path needs at least one character and no NUL, not {text!r}; name a file.")
    path = Path(text)
    return path if path.name else path.absolute()  # the folder "." has no name that a sentence could say


def is_there(path: Path) -> bool:
    """Whether something stands at a path; a path that no file system allows is not there.

    Example:
        >>> is_there(Path("x" * 10_000))
        False
    """
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises where a name is too long


def check_exists(path: Path) -> None:
    """Check that a file or folder is there."""
    if is_there(path):
        return
    try:
        others = [name for name in os.listdir(path.parent) if name != path.name]  # noqa: PTH208 - names only
    except OSError:
        others = []
    near = difflib.get_close_matches(path.name, others, n=1, cutoff=0.7)
    hint = f"its folder holds {near[0]!r}." if near else "check the path."
    raise DataError(f"The file {str(path)!r} does not exist; {hint}")


def is_several(path: Path) -> bool:
    """Return whether a path is a folder or a pattern; DataError where nothing, or no file, is there."""
    # a file of that very name goes before a pattern
    if not is_there(path) and glob.has_magic(str(path)):
        return True
    check_exists(path)
    if not path.is_dir() and not path.is_file():
        raise DataError(f"The source {str(path)!r} is neither a file nor a folder; name a file.")
    return path.is_dir()


def find_format(path: Path, declared: str | None) -> str:
    """Return ``csv``, ``parquet`` or ``duckdb``, from what is declared, the name, or the first bytes."""
    if declared is not None:
        if declared not in FORMATS:
            raise UserError(f"A format is one of {', '.join(FORMATS)}, not {declared!r}.")
        return declared
    suffixes = path.suffixes[-2:]
    last = (suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else path.suffix).lower()
    if last in _OTHERS:
        raise DataError(
            f"The file {path.name!r} is no CSV, Parquet or DuckDB file; convert it, or set `format:`."
        )
    for name, known in FORMATS.items():
        if last in known:
            return name
    with path.open("rb") as file:
        head = file.read(12)
    if head.startswith(b"PAR1"):
        return "parquet"
    return "duckdb" if head[8:12] == b"DUCK" else "csv"

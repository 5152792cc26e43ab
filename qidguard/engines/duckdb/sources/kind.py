"""What kind of thing a source is, whose libraries are not imported for that; and what a URL names."""

import os
import re
import shutil
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from qidguard.core.address import shown_address
from qidguard.core.errors import DataError, UserError

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?:://|::)")


class SourceKind(StrEnum):
    """A kind of source."""

    PATH = "path"
    URL = "url"
    PANDAS = "pandas"
    POLARS = "polars"
    ARROW = "arrow"
    RELATION = "relation"
    SNAPSHOT = "snapshot"
    LINKED = "linked"


_CLASSES = {
    ("pandas", "DataFrame"): SourceKind.PANDAS,
    ("polars", "DataFrame"): SourceKind.POLARS,
    ("polars", "LazyFrame"): SourceKind.POLARS,
    ("pyarrow", "Table"): SourceKind.ARROW,
    ("pyarrow", "RecordBatch"): SourceKind.ARROW,
    ("pyarrow", "RecordBatchReader"): SourceKind.ARROW,
    ("pyarrow", "Dataset"): SourceKind.ARROW,
    ("duckdb", "DuckDBPyRelation"): SourceKind.RELATION,
    ("qidguard", "DuckdbSnapshot"): SourceKind.SNAPSHOT,
    ("qidguard", "LinkedTables"): SourceKind.LINKED,
}


def kind_of(source: Any) -> SourceKind | None:
    """Return the kind of a source, or None where it is nothing that can be read.

    Example:
        >>> kind_of("memory://x.csv"), kind_of("x.csv"), kind_of(42)
        (<SourceKind.URL: 'url'>, <SourceKind.PATH: 'path'>, None)
    """
    if isinstance(source, str) and _URL.match(source):
        return SourceKind.URL
    if isinstance(source, (str, os.PathLike)):
        return SourceKind.PATH
    for base in type(source).__mro__:
        library = base.__module__.partition(".")[0].lstrip("_")
        if (library, base.__name__) in _CLASSES:
            return _CLASSES[library, base.__name__]
    return None


def fetch(url: str, folder: Path, name: str, *, limit: int | None = None) -> Path:
    """Copy what a URL names into a folder."""
    import fsspec
    from fsspec.registry import known_implementations

    label = shown_address(url)
    target = folder / (name + "".join(Path(urlsplit(label).path or label).suffixes[-2:]))
    try:
        with fsspec.open(url, "rb") as source, target.open("wb") as copy:
            _copy(source, copy, limit)
    except FileNotFoundError:
        raise DataError(f"Nothing is found at {label!r}; check the address.") from None
    except IsADirectoryError:
        raise DataError(f"The address {label!r} names a folder; name one file.") from None
    except ImportError as error:
        known = known_implementations.get(label.partition("://")[0], {})
        needed = error.name or known.get("err", "see fsspec")
        raise UserError(
            f"Reading {label!r} needs a library that is not installed ({needed}); install it."
        ) from None
    except ValueError:
        raise UserError(
            f"The address {label!r} is of no protocol that fsspec knows; copy the file here."
        ) from None
    except Exception as error:  # noqa: BLE001 - every protocol has errors of its own, and their text may hold secrets
        raise DataError(
            f"The file at {label!r} cannot be read ({type(error).__name__}); check access."
        ) from None
    return target


def _copy(source: Any, target: Any, limit: int | None) -> None:
    if limit is None:
        shutil.copyfileobj(source, target, 1 << 22)
    else:
        target.write(source.read(limit))

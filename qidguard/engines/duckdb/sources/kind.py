"""What kind of thing a source is, found out without importing any of the libraries it may belong to."""

import os
import re
from enum import StrEnum
from typing import Any

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

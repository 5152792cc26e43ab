"""What kind of thing a source is, found out without importing any of the libraries it may belong to."""

import os
import re
from enum import StrEnum
from typing import Any

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?:://|::)")


class Kind(StrEnum):
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
    ("pandas", "DataFrame"): Kind.PANDAS,
    ("polars", "DataFrame"): Kind.POLARS,
    ("polars", "LazyFrame"): Kind.POLARS,
    ("pyarrow", "Table"): Kind.ARROW,
    ("pyarrow", "RecordBatch"): Kind.ARROW,
    ("pyarrow", "RecordBatchReader"): Kind.ARROW,
    ("pyarrow", "Dataset"): Kind.ARROW,
    ("duckdb", "DuckDBPyRelation"): Kind.RELATION,
    ("qidguard", "DuckdbSnapshot"): Kind.SNAPSHOT,
    ("qidguard", "LinkedTables"): Kind.LINKED,
}


def kind_of(source: Any) -> Kind | None:
    """Return the kind of a source, or None where it is nothing that can be read.

    Example:
        >>> kind_of("memory://x.csv"), kind_of("x.csv"), kind_of(42)
        (<Kind.URL: 'url'>, <Kind.PATH: 'path'>, None)
    """
    if isinstance(source, str) and _URL.match(source):
        return Kind.URL
    if isinstance(source, (str, os.PathLike)):
        return Kind.PATH
    for base in type(source).__mro__:
        library = base.__module__.partition(".")[0].lstrip("_")
        if (library, base.__name__) in _CLASSES:
            return _CLASSES[library, base.__name__]
    return None

"""Values as texts, and records as one text each from which every value can be told again."""

from collections.abc import Sequence

_FLOATING = frozenset({"FLOAT", "DOUBLE"})
NULL = "-"
"""What stands for NULL; the encoding of a text begins with a digit."""


def exact_text(column: str) -> str:
    """Return SQL for the text of a value: floating-point numbers print the fewest digits that give them back.

    Example:
        >>> exact_text("c0")
        'CAST(c0 AS VARCHAR)'
    """
    return f"CAST({column} AS VARCHAR)"


def grouped_text(column: str, kind: str) -> str:
    """Return SQL for a text that is the same for values which a GROUP BY takes as one: 0.0 and -0.0, all NaN.

    Args:
        column: A plain column name such as ``c0``.
        kind: DuckDB's type of the column.

    Example:
        >>> grouped_text("c0", "DOUBLE")
        "CASE WHEN isnan(c0) THEN 'nan' WHEN c0 = 0 THEN '0.0' ELSE CAST(c0 AS VARCHAR) END"
    """
    text = exact_text(column)
    return (
        f"CASE WHEN isnan({column}) THEN 'nan' WHEN {column} = 0 THEN '0.0' ELSE {text} END"
        if (kind in _FLOATING)
        else text
    )


def encoded(texts: Sequence[str]) -> str:
    """Return SQL for several texts as one: of each its bytes, ``:`` and itself, or ``-`` for NULL.

    No two lists of texts give the same one, since it can be read from left to right without a doubt.

    Args:
        texts: SQL expressions of texts.

    Example:
        >>> import duckdb
        >>> duckdb.sql("SELECT " + encoded(["'né'", "NULL", "''"])).fetchall()
        [('3:né-0:',)]
    """
    parts = [f"coalesce(strlen({text}) || ':' || {text}, '{NULL}')" for text in texts]
    return f"concat({', '.join(parts)})" if parts else "''"

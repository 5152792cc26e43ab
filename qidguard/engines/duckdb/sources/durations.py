"""Durations as SQL texts: an interval of DuckDB ends at microseconds, so nanoseconds are added."""


def microseconds_text(column: str) -> str:
    """Return the text of whole microseconds, as DuckDB prints an interval.

    Example:
        >>> microseconds_text("c0")
        'CAST(to_microseconds(c0) AS VARCHAR)'
    """
    return f"CAST(to_microseconds({column}) AS VARCHAR)"


def nanoseconds_text(column: str) -> str:
    """Return the text of whole nanoseconds: that of the microseconds, and what is left where there is a rest.

    Example:
        >>> print(nanoseconds_text("c0"))
        CAST(to_microseconds(c0 // 1000) AS VARCHAR)
        || CASE WHEN c0 % 1000 = 0 THEN '' ELSE concat(' ', c0 % 1000, ' ns') END
    """
    return (
        f"{microseconds_text(f'{column} // 1000')}\n"
        f"|| CASE WHEN {column} % 1000 = 0 THEN '' ELSE concat(' ', {column} % 1000, ' ns') END"
    )

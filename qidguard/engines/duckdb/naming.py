"""Names inside the connection: ours, so that no column name of a user ever meets the parser."""


def column(index: int) -> str:
    """Return the name of the source's column ``index`` (from 0)."""
    return f"c{index}"


def dictionary(index: int) -> str:
    """Return the name of the dictionary table of column ``index``: value, code, records."""
    return f"dictionary_{index}"


def sizes(index: int) -> str:
    """Return the name of the table of how many values of column ``index`` have how many records."""
    return f"sizes_{index}"


def values(index: int) -> str:
    """Return the name of the table of the distinct values of column ``index``: value, records."""
    return f"values_{index}"


def numbers(index: int) -> str:
    """Return the name of the table of column ``index`` as numbers: value (the code), number."""
    return f"numbers_{index}"

"""Rows of text in columns, as results print themselves."""

from collections.abc import Sequence


def aligned(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a line of headings and one for each row; what is a number stands to the right.

    Example:
        >>> aligned(("k", "joined"), (("5", "age"), ("15", "ward")))
        [' k  joined', ' 5  age', '15  ward']
    """
    table = [tuple(headings), *map(tuple, rows)]
    widths = [max(len(row[at]) for row in table) for at in range(len(headings))]
    to_right = [all(_is_number(row[at]) for row in rows) for at in range(len(headings))]
    return ["  ".join(_cells(row, widths, to_right)).rstrip() for row in table]


def _cells(row: Sequence[str], widths: Sequence[int], to_right: Sequence[bool]) -> list[str]:
    return [
        cell.rjust(width) if is_right else cell.ljust(width)
        for cell, width, is_right in zip(row, widths, to_right, strict=True)
    ]


def _is_number(text: str) -> bool:
    return not text or text[-1:].isdigit() or text in {"-", "all"} or text.endswith(" %")

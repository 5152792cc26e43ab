"""A table of what was found: names, counts and figures, to be shown and to be saved."""

import csv
import io
import math
from dataclasses import dataclass
from typing import Any

Cell = str | int | float | bool | None
"""What stands in a cell; None where there is no figure."""


@dataclass(frozen=True, kw_only=True)
class ResultTable:
    """A small table of results; like every report it holds counts, figures and names, never a value of data.

    Args:
        name: What its file is called: a plain identifier.
        title: What it shows, one phrase.
        columns: The headings, with their units, each once.
        rows: The rows, each with a cell a heading.
        note: What to know of it.
        is_detail: Whether it is only saved, as a file and in JSON, because a screen has no room for it.

    Raises:
        ValueError: When the name is none, a heading stands twice, or a row has another length.

    Example:
        >>> one = ResultTable(
        ...     name="sizes", title="Sizes", columns=("k", "persons"), rows=((2, 14), (5, None))
        ... )
        >>> print(one.to_csv(), end="")
        k,persons
        2,14
        5,
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    is_detail: bool = False

    def __post_init__(self) -> None:
        given: dict[str, Any] = vars(self)
        object.__setattr__(self, "columns", tuple(given["columns"]))
        object.__setattr__(self, "rows", tuple(map(_plain_row, given["rows"])))
        if not (isinstance(given["name"], str) and self.name.isidentifier() and self.name.isascii()):
            raise ValueError(f"the name of a table must be a plain identifier, not {given['name']!r}")
        if len(set(self.columns)) < len(self.columns) or not self.columns:
            raise ValueError(f"the table {self.name!r} needs headings, each once")
        for row in self.rows:
            if len(row) != len(self.columns):
                lengths = f"{len(row)} cells, not {len(self.columns)}"
                raise ValueError(f"a row of the table {self.name!r} has {lengths}")

    def to_dict(self) -> dict[str, object]:
        """Return it as plain values that JSON knows.

        Example:
            >>> one = ResultTable(name="sizes", title="Sizes", columns=("k",), rows=((2,),))
            >>> one.to_dict()["rows"]
            [{'k': 2}]
        """
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        columns = list(self.columns)
        told: dict[str, object] = {"name": self.name, "title": self.title, "columns": columns, "rows": rows}
        return {**told, "note": self.note} if self.note else told

    def to_csv(self) -> str:
        """Return it as CSV with a line of headings.

        Example:
            >>> ResultTable(name="sizes", title="Sizes", columns=("k",), rows=()).to_csv().splitlines()
            ['k']
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()


def _plain_row(row: Any) -> tuple[Cell, ...]:
    return tuple(map(_plain, row))


def _plain(cell: Any) -> Cell:
    """Return a cell as Python's own value; a number of NumPy has a method for that."""
    if not isinstance(cell, (str, int, float, bool, type(None))) and callable(getattr(cell, "item", None)):
        cell = cell.item()
    if not isinstance(cell, (str, int, float, bool, type(None))):
        raise TypeError(f"a cell must be a text, a number, a Boolean or None, not {type(cell).__name__}")
    return None if isinstance(cell, float) and math.isnan(cell) else cell

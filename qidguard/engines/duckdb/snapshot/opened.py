"""A private copy, attached for one piece of work."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from qidguard.core.errors import DataError
from qidguard.engines.duckdb.connection import Connection
from qidguard.engines.duckdb.snapshot.content_digest import exact_text, grouped_text
from qidguard.engines.duckdb.snapshot.fault import working
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.sources.copied import Copied, attach


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a private copy.

    Args:
        name: Its real name.
        column: Its name inside: c0, c1, ….
        kind: DuckDB's type.
    """

    name: str
    column: str
    kind: str

    @property
    def exact(self) -> str:
        """SQL for the text of its values."""
        return exact_text(self.column)

    @property
    def grouped(self) -> str:
        """SQL for the text of its values, the same for values that are one class."""
        return grouped_text(self.column, self.kind)


@dataclass(frozen=True, kw_only=True)
class Opened:
    """An attached private copy.

    Args:
        connection: A private connection that keeps order.
        relation: The table, with ``position``.
        copied: What is known of it.
    """

    connection: Connection
    relation: str
    copied: Copied

    def columns(self, names: Sequence[str]) -> tuple[Column, ...]:
        """Return columns by their real names."""
        return find_columns(self.copied, names)


@contextmanager
def opened(copied: Copied, lender: Lender, doing: str, *, target: Path | None = None) -> Iterator[Opened]:
    """Give a private copy attached to a lent connection; whatever fails is said in one sentence."""
    with lender.lent() as connection:
        table, detach = attach(connection, copied.path)
        with working(connection, doing, target=target):
            yield Opened(connection=connection, relation=table, copied=copied)
            detach()


def find_columns(copied: Copied, names: Sequence[str]) -> tuple[Column, ...]:
    """Return columns by their real names."""
    if len(set(names)) < len(names):
        raise ValueError("a column is named twice")
    places = {name: i for i, name in enumerate(copied.names)}
    for name in names:
        if name not in places:
            raise DataError(f"the table has no column {name!r}")
    return tuple(
        Column(name=name, column=copied.columns[places[name]], kind=copied.kinds[places[name]])
        for name in names
    )

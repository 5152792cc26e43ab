"""The shape of a loaded source: where its rows stand, its column names and types."""

from dataclasses import dataclass

from duckdb import DuckDBPyConnection

from qidguard.core.column import ValueType
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.inference import guess_types
from qidguard.engines.duckdb.types import value_type


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Columns of a relation that has ``c0`` … ``cn`` and ``records``.

    Args:
        relation: A table, view or subquery to stand after FROM.
        names: The columns' own names.
        types: DuckDB's type of each column.
        guesses: For text that is to be typed: index → the type its first values suggest.
    """

    relation: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    guesses: dict[int, ValueType]

    def own_type(self, index: int) -> ValueType:
        """Return the value type that the source itself gives the column."""
        return value_type(self.types[index])

    def index(self, name: str) -> int:
        """Return the position of a column by its own name."""
        return self.names.index(name)


def shape_of(
    connection: DuckDBPyConnection, relation: str, names: tuple[str, ...], *, is_text: bool
) -> Shape:
    """Return the shape of ``relation``; with ``is_text`` the types of its columns are guessed."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    kinds = {row[0]: str(row[1]) for row in described}
    types = tuple(kinds.get(naming.column(i), "VARCHAR") for i in range(len(names)))
    present = [i for i in range(len(names)) if naming.column(i) in kinds]
    guesses = guess_types(connection, relation, present) if is_text else {}
    return Shape(relation=relation, names=names, types=types, guesses=guesses)

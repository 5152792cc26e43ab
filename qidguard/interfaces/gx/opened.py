"""A table that is open already, for those who would open it again or see only some of its columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from qidguard.core.column import ColumnFacts

if TYPE_CHECKING:
    from qidguard.engines.base import Engine, EngineSettings, Needs, ReadOptions, Table


class OpenedEngine:
    """An engine that gives a table which is open already; whoever opened it closes it.

    Args:
        engine: The engine that opened it.
        table: The table.
        names: Its columns.
    """

    def __init__(self, engine: "Engine", table: "Table", names: tuple[str, ...]) -> None:
        self.name = engine.name
        self.title = engine.title
        self._table = table
        self._names = names

    def can_open(self, source: Any) -> bool:  # noqa: ARG002 - an engine is asked so
        """Whether the table can be given: always."""
        return True

    def column_names(
        self,
        source: Any,  # noqa: ARG002 - an engine is asked so
        options: "ReadOptions",  # noqa: ARG002 - the same
        settings: "EngineSettings",  # noqa: ARG002 - the same
    ) -> tuple[str, ...]:
        """Return the column names."""
        return self._names

    def open(
        self,
        source: Any,  # noqa: ARG002 - an engine is asked so
        options: "ReadOptions",  # noqa: ARG002 - the same
        needs: "Needs",  # noqa: ARG002 - the same
        settings: "EngineSettings",  # noqa: ARG002 - the same
    ) -> Any:
        """Return the table."""
        return _Kept(self._table)


class _Kept:
    """A table that stays open when somebody closes it."""

    def __init__(self, table: "Table") -> None:
        self._table = table

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def close(self) -> None:
        """Do nothing: the table is closed by whoever opened it."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """What a table says of some of its columns.

    Args:
        columns: The facts of these columns.
        records: Number of records of the table.
        entities: Number of its entities, or None.
        missing_entities: Number of records whose entity is NULL.
        notes: How the table was read.
    """

    columns: tuple[ColumnFacts, ...]
    records: int
    entities: int | None
    missing_entities: int
    notes: tuple[str, ...]

    @classmethod
    def of(cls, table: "Table", names: Sequence[str]) -> Self:
        """Return the part of a table that these columns are."""
        return cls(
            columns=tuple(facts for facts in table.columns if facts.name in names),
            records=table.records,
            entities=table.entities,
            missing_entities=table.missing_entities,
            notes=table.notes,
        )

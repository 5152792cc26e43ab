"""Where the coded table stands, and how its columns make a class's key."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The coded table as a statement sees it.

    Args:
        table: Name of the coded table; it has a column ``records``, how many records each row stands for.
        keys: SQL expressions over code columns that together identify a class, at least one.
        value: The code column of the sensitive attribute, or None.
        numbers: The table of the attribute's codes (``value``) as numbers (``number``), or None.
        entity: The column that identifies a person, or None where a person is a record.
        population: Name of the coded population table, or None.
        population_entity: Its column that identifies a person, or None.
    """

    table: str
    keys: tuple[str, ...]
    value: str | None = None
    numbers: str | None = None
    entity: str | None = None
    population: str | None = None
    population_entity: str | None = None

    @property
    def key_names(self) -> tuple[str, ...]:
        """The names that the keys have after the first step: k0, k1 and so on."""
        return tuple(f"k{i}" for i in range(len(self.keys)))

    @property
    def named_keys(self) -> str:
        """The key expressions with their names, for a SELECT list."""
        return ", ".join(f"{sql} AS {name}" for sql, name in zip(self.keys, self.key_names, strict=True))

    def ordinals(self, more: int = 0) -> str:
        """Return the positions of the keys, and of ``more`` columns behind them, for GROUP BY."""
        return ", ".join(str(i + 1) for i in range(len(self.keys) + more))

    def on(self, left: str, right: str) -> str:
        """Return the condition that joins two steps on the keys."""
        return " AND ".join(f"{left}.{name} = {right}.{name}" for name in self.key_names)

"""A private copy in which texts that are declared to be one value are written in one way."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from qidguard.core.column import ValueType
from qidguard.core.spelling import Normalized, Spelling
from qidguard.engines.duckdb.columns import value_type
from qidguard.engines.duckdb.snapshot.opened import Column, Opened
from qidguard.engines.duckdb.spelling import keyed

_TEXT = "VARCHAR"


@dataclass(frozen=True, kw_only=True)
class Alike:
    """What is declared of columns, and the text of a suppressed value, which is like no other.

    Args:
        normalized: The columns in which texts that are written differently are one value.
        mark: The text of a suppressed value; None where there is none.
    """

    normalized: Sequence[Normalized]
    mark: str | None

    def seen(self, opened: Opened) -> Opened:
        """Return the copy with what each text is normalized to in its place."""
        kinds, values, joins = list(opened.copied.kinds), [], []
        for one in self.normalized:
            if one.column not in opened.copied.names:
                continue
            (column,) = opened.columns([one.column])
            if value_type(column.kind) is ValueType.TEXT:
                table = self._dictionary(opened, column, one)
                values.append(f"{table}.key AS {column.column}")
                joins.append(f"LEFT JOIN {table} ON source.{column.column} = {table}.value")
                kinds[opened.copied.names.index(one.column)] = _TEXT
            elif value_type(column.kind) is ValueType.NUMBER and Spelling.MISSING in one.spellings:
                own = f"source.{column.column}"
                values.append(f"CASE WHEN NOT isnan({own}) THEN {own} END AS {column.column}")
        if not values:
            return opened
        relation = (
            f"(SELECT source.* REPLACE ({', '.join(values)})\nFROM {opened.relation} AS source\n"
            + "\n".join(joins)
            + ")"
        )
        return replace(opened, relation=relation, copied=replace(opened.copied, kinds=tuple(kinds)))

    def _dictionary(self, opened: Opened, column: Column, one: Normalized) -> str:
        """Create the table of distinct values and what each is normalized to, and return its name."""
        values = f"(SELECT DISTINCT {column.column} AS value FROM {opened.relation}) AS found"
        ways, table = keyed(values, one.spellings, ValueType.TEXT, self.mark), f"alike_{column.column}"
        opened.connection.duckdb.execute(
            f"CREATE OR REPLACE TABLE {table} AS\nSELECT value, key FROM ({ways}) WHERE value IS NOT NULL"
        )
        return table

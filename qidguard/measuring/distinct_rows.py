"""How many rows are left of a table when equal records fall together, and whether it pays to count them."""

from collections.abc import Sequence
from math import prod

from qidguard.core.statistic import CLASSES
from qidguard.core.view import Grouping
from qidguard.engines.base import Table
from qidguard.measuring.question import Question

FEW_SETS = 3
"""Sets up to which it does not pay to count the table's distinct rows before choosing a way."""

MOST_CELLS = 10_000_000
"""Cells of a table up to which counting its distinct rows takes a second or two."""
MANY_TIMES = 1_000
"""How many times more combinations of values than records say that hardly two records are equal."""


def is_long_to_count(table: Table, columns: Sequence[str]) -> bool:
    """Return whether a table is large, and its columns have values enough to tell all records apart."""
    if table.records * len(columns) <= MOST_CELLS:
        return False
    combinations_of_values = prod(facts.groups for facts in table.columns if facts.name in columns)
    return combinations_of_values > MANY_TIMES * table.records


def distinct_rows(
    table: Table, columns: tuple[str, ...], questions: Sequence[Question], sets: int | None
) -> int:
    """Return how many rows are left of the table when equal records fall together."""
    if table.has_entities or (sets is not None and sets <= FEW_SETS):
        return table.records
    beside = [q.attribute for q in questions if q.attribute is not None and q.attribute not in columns]
    grouping = Grouping(qids=(*columns, *dict.fromkeys(beside[:1])))
    return int(table.statistics(grouping, (CLASSES,))[CLASSES.name] or 0)

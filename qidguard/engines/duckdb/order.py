"""The order of a coded column's values, found by SQL over its distinct values."""

from collections.abc import Callable, Sequence
from typing import Any

from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.order import OrderedBy, Strays, ValueOrder, order_by_type, order_of_texts, why_no_numbers
from qidguard.engines.duckdb.columns import tried
from qidguard.engines.sql.identifier import quote_text

Select = Callable[[str], Sequence[tuple[Any, ...]]]
"""Runs one SELECT and returns its rows."""


def place_of(text: str, declared: Sequence[str]) -> str:
    """Return SQL for the place of a text in a declared order, NULL where it has none.

    Example:
        >>> place_of("value", ("low", "high"))
        "list_position(['low', 'high'], value)"
    """
    return f"list_position([{', '.join(map(quote_text, declared))}], {text})"


def column_order(
    select: Select, dictionary: str, facts: ColumnFacts, mark: str | None, declared: tuple[str, ...]
) -> ValueOrder:
    """Return the order of a column of which the table ``dictionary`` holds value and code.

    Texts that are normalized to one value have one code: its place is that of any of them.
    """
    by = order_by_type(facts.value_type)
    if by is not None:
        return ValueOrder(by=by)
    values, strays = _texts(select, dictionary, mark, declared)
    return order_of_texts(facts.name, values, strays, declared)


def lacks_numbers(select: Select, dictionary: str, facts: ColumnFacts, mark: str | None) -> str:
    """Return why a column has no numbers; empty where it has."""
    if facts.value_type is not ValueType.TEXT:
        return ""
    return why_no_numbers(facts.name, *_texts(select, dictionary, mark, ()))


def _texts(
    select: Select, dictionary: str, mark: str | None, declared: Sequence[str]
) -> tuple[int, Callable[[OrderedBy], Strays]]:
    is_mark = "" if mark is None else f" AND value <> {quote_text(mark)}"
    counted = f"SELECT count(DISTINCT code), min(value) FROM {dictionary} WHERE code > 0{is_mark}"
    placed = f"SELECT code FROM {dictionary} WHERE value IN ({', '.join(map(quote_text, declared))})"
    moment = f"coalesce({tried('value', ValueType.DATE)}, {tried('value', ValueType.TIMESTAMP)})"
    tests = {
        OrderedBy.NUMBERS: f"{tried('value', ValueType.NUMBER)} IS NULL",
        OrderedBy.DATES: f"{moment} IS NULL",
        OrderedBy.DECLARATION: f"code NOT IN ({placed})",
    }

    def strays(by: OrderedBy) -> Strays:
        [[values, one]] = select(f"{counted} AND {tests[by]}")
        return Strays(values=int(values), one=one)

    return int(select(counted)[0][0]), strays

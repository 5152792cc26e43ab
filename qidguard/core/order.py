"""The order of a column's values: of numbers, of dates, or a declared one; or why there is none."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidguard.core.column import ValueType


class OrderedBy(StrEnum):
    """What an order of values comes from. One value, or none, needs no order."""

    NUMBERS = "numbers"
    DATES = "dates"
    DECLARATION = "declaration"
    ONE_VALUE = "one value"


@dataclass(frozen=True, kw_only=True)
class ValueOrder:
    """The order of a column's values.

    Args:
        by: What it comes from; None where the values have no order.
        why_not: What stands in the way of one, in one sentence that tells no value; empty where it has one.
    """

    by: OrderedBy | None
    why_not: str = ""


@dataclass(frozen=True, kw_only=True)
class Strays:
    """The distinct values that have no place in an order of numbers, of dates, or that was declared.

    Args:
        values: How many they are, ≥ 0.
        one: One of them, of which only the form is said; None where there is none.
    """

    values: int
    one: str | None = field(default=None, repr=False)


def order_by_type(value_type: "ValueType") -> OrderedBy | None:
    """Return the order that values have by what they are; None for texts.

    Example:
        >>> from qidguard.core.column import ValueType
        >>> order_by_type(ValueType.DATE).value, order_by_type(ValueType.TEXT)
        ('dates', None)
    """
    return _BY_TYPE.get(value_type.value)


_BY_TYPE = {
    "integer": OrderedBy.NUMBERS,
    "number": OrderedBy.NUMBERS,
    "boolean": OrderedBy.NUMBERS,
    "date": OrderedBy.DATES,
    "timestamp": OrderedBy.DATES,
    "empty": OrderedBy.ONE_VALUE,
}


def order_of_texts(
    column: str, values: int, strays: Callable[[OrderedBy], Strays], declared: tuple[str, ...] = ()
) -> ValueOrder:
    """Return the order of texts: the declared one where it names them all, else none.

    Args:
        column: The column's name, for the sentence.
        values: Number of its distinct values, the suppression mark and NULL not counted.
        strays: Which of these have no place in an order of this kind.
        declared: The declared order; empty where nobody declared one.

    Example:
        >>> texts = ("7", "12", "9*")
        >>> print(order_of_texts("s", 3, strays_of(texts)).why_not)
        column 's' has no order: 1 of its 3 values is no number (of the form 9*); declare how numbers are \
written (source: numbers), or an order (order: {s: [...]})
        >>> order_of_texts("s", 3, strays_of(texts, ("7", "9*", "12")), ("7", "9*", "12")).by.value
        'declaration'
    """
    if values <= 1:
        return ValueOrder(by=OrderedBy.ONE_VALUE)
    if declared:
        found = strays(OrderedBy.DECLARATION)
        if not found.values:
            return ValueOrder(by=OrderedBy.DECLARATION)
        counted = _counted(values, found, "not in its declared order")
        why_not = f"column {column!r} has no order: {counted}; name every value in order: {{{column}: [...]}}"
        return ValueOrder(by=None, why_not=why_not)
    why, remedy = _lack(column, values, strays)
    return ValueOrder(by=None, why_not=f"column {column!r} has no order: {why}; {remedy}")


def why_no_numbers(column: str, values: int, strays: Callable[[OrderedBy], Strays]) -> str:
    """Return why a column of texts has no numbers, as ``order_of_texts`` says why it has no order.

    Example:
        >>> why_no_numbers("s", 2, strays_of(("low", "high")))
        "column 's' has no numbers: its values are texts; name a numeric column"
    """
    why, remedy = _lack(column, values, strays)
    remedy = remedy.split(", or")[0] if ", or" in remedy else "name a numeric column"
    return f"column {column!r} has no numbers: {why}; {remedy}"


_LIKE_A_DATE = re.compile(r"9{1,4}[./-]([9a]+)[./-]9")


def _lack(column: str, values: int, strays: Callable[[OrderedBy], Strays]) -> tuple[str, str]:
    """Return what keeps texts from being numbers or dates, and what can be done about it."""
    written = f"order: {{{column}: [...]}}"
    no_number, no_date = strays(OrderedBy.NUMBERS), strays(OrderedBy.DATES)
    is_date = no_date.values < no_number.values
    word, found = ("date", no_date) if is_date else ("number", no_number)
    if not found.values:
        return f"its {word}s are stored as texts", f"store them as {word}s, or declare {written}"
    if found.values == values and "9" not in form_of(found.one or ""):
        return "its values are texts", f"declare {written}"
    counted = _counted(values, found, f"no {word}" if found.values == 1 else f"no {word}s")
    if _LIKE_A_DATE.match(form_of(found.one or "")):
        word = "date"
    return counted, f"declare how {word}s are written (source: {word}s), or an order ({written})"


def _counted(values: int, found: Strays, what: str) -> str:
    verb = "is" if found.values == 1 else "are"
    return f"{found.values:,} of its {values:,} values {verb} {what} (of the form {form_of(found.one or '')})"


_LONGEST = 20
_SHOWN = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~€£¥§°"


def form_of(text: str) -> str:
    """Return how a value is written and not what it says: each digit as 9, each letter as a, 20 of them.

    Example:
        >>> form_of("1,250 EUR"), form_of("Meier, Anna (born 1950)")
        ('9,999 aaa', 'aaaaa, aaaa (aaaa 99…')
    """
    form = "".join(one if one in _SHOWN else "9" if one.isdigit() else "a" for one in text[:_LONGEST])
    return form + "…" * (len(text) > _LONGEST)


def strays_of(texts: Iterable[str], declared: Sequence[str] = ()) -> Callable[[OrderedBy], Strays]:
    """Return which of some texts have no place, as ``order_of_texts`` asks.

    Example:
        >>> strays_of(("2024-05-01", "soon"))(OrderedBy.DATES).values
        1
    """
    values, known = sorted(texts), frozenset(declared)
    tests: dict[OrderedBy, Callable[[str], bool]] = {
        OrderedBy.NUMBERS: _is_number,
        OrderedBy.DATES: _is_date,
        OrderedBy.DECLARATION: known.__contains__,
    }

    def strays(by: OrderedBy) -> Strays:
        found = [text for text in values if not tests[by](text)]
        return Strays(values=len(found), one=found[0] if found else None)

    return strays


def _is_number(text: str) -> bool:
    with suppress(ValueError):
        return "_" not in text and bool(float(text) or True)
    return False


def _is_date(text: str) -> bool:
    with suppress(ValueError):
        return bool(datetime.fromisoformat(text))
    return False

"""Exact decimal numbers of Python: no two numbers meet and none is rounded, however many digits they have."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal

_WIDEST = 38
_LONGEST = 1000
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


@dataclass(frozen=True, kw_only=True)
class Decimals:
    """Decimal numbers as texts, one text for equal numbers.

    Args:
        texts: One text a number, None for NaN and whatever is missing.
        expression: SQL that makes them values; ``{0}`` stands for the column. They become a DECIMAL where one
            of at most 38 digits holds them all, and else stay texts.
    """

    texts: list[str | None] = field(repr=False)
    expression: str


def read_decimals(values: Iterable[object]) -> Decimals:
    """Return decimal numbers in a form that DuckDB keeps exactly; whatever is no Decimal is missing.

    Args:
        values: Decimals of any number of digits, NaN, or anything else for a missing one.

    Returns:
        The texts and what makes them values; no values give a DECIMAL too.

    Raises:
        decimal.InvalidOperation: when there is a signalling NaN.

    Example:
        >>> read_decimals([Decimal("1.10"), Decimal("20"), None])
        Decimals(expression='CAST({0} AS DECIMAL(3, 1))')
        >>> read_decimals([Decimal("1.10"), Decimal("Infinity")]).texts
        ['1.1', 'Infinity']
    """
    texts: list[str | None] = []
    before = 1
    after = 0
    for value in values:
        if not isinstance(value, Decimal) or value.is_qnan():
            texts.append(None)
            continue
        number = Decimal(0) if value.is_zero() else value.normalize(_EXACT)
        if number.is_infinite():
            before = _WIDEST + 1
            texts.append(str(number))
            continue
        exponent = int(number.as_tuple().exponent)
        before = max(before, number.adjusted() + 1)
        after = max(after, -exponent)
        # a plain number where it is not absurdly long, as markers and other sources write it
        texts.append(format(number, "f") if abs(exponent) < _LONGEST else str(number))
    width = before + after
    expression = f"CAST({{0}} AS DECIMAL({width}, {after}))" if width <= _WIDEST else "{0}"
    return Decimals(texts=texts, expression=expression)

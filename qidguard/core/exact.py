"""Exact numbers: as people write them, and as text for records that last."""

import math
import re
from decimal import Decimal
from fractions import Fraction

from qidguard.core.errors import InternalError

_LONG = 10**9
"""A numerator or denominator from here on makes a number long."""

LONGEST_DIGITS = 100
"""Digits that a numerator or a denominator may have where people write a number."""

_WRITTEN = re.compile(r"-?[0-9]{1,100}(?:/[0-9]{1,100}|(?:\.[0-9]{1,100})?(?:[eE][+-]?[0-9]{1,2})?)")
_TEXT = re.compile(r"(?:0|-?[1-9][0-9]{0,1999})(?:/[1-9][0-9]{0,1999})?")


def exact_number(value: object, shown: str | None = None) -> Fraction:
    """Return a number as the person who wrote it meant it: 0.1 is a tenth and not the float beside it.

    Args:
        value: A number, or a text such as ``1/3`` or ``-0.25``.
        shown: The value as an error repeats it; None takes its ``repr``.

    Returns:
        The number.

    Units:
        Those of the number.

    Raises:
        ValueError: With a phrase that begins with *must*, where it is no number, infinite, NaN or very long.

    Example:
        >>> exact_number(0.1), exact_number("1/3")
        (Fraction(1, 10), Fraction(1, 3))
    """
    told = repr(value) if shown is None else shown
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Fraction)):
        raise ValueError(f"must be a number, or a text such as '1/3', not {told}")  # noqa: TRY004 - one kind of error for whatever is written
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"must be a finite number, not {told}")
        number = Fraction(repr(value))
    elif isinstance(value, str):
        if _WRITTEN.fullmatch(value) is None:
            raise ValueError(f"must be a number, or a text such as '1/3', not {told}")
        try:
            number = Fraction(value)
        except ZeroDivisionError:
            raise ValueError(f"must not divide by zero, as {told} does") from None
    else:
        number = Fraction(value)
    if max(abs(number.numerator), number.denominator) >= 10**LONGEST_DIGITS:
        raise ValueError(f"must be a number of at most {LONGEST_DIGITS} digits")
    return number


def exact_text(number: Fraction) -> str:
    """Return an exact number as text, in lowest terms.

    Args:
        number: The number.

    Returns:
        Text such as ``1/10`` or ``3``; ``read_exact`` gives the same number back.

    Units:
        Those of the number.

    Raises:
        TypeError: When it is a float or anything else that is no fraction.

    Example:
        >>> exact_text(Fraction(2, 20))
        '1/10'
    """
    if not isinstance(number, Fraction):
        raise TypeError(f"an exact number is a Fraction, not {type(number).__name__}")
    return str(number)


def short_text(number: Fraction) -> str:
    """Return a number for a sentence: as ``exact_text`` where that is short, else as a decimal.

    Args:
        number: The number.

    Returns:
        Text such as ``1/10``; of a long number 28 digits, after ``about`` where that is not all of it.

    Units:
        Those of the number.

    Raises:
        AttributeError: When it is no fraction.

    Example:
        >>> short_text(Fraction(11, 10)), short_text(Fraction(3131055681, 10**9))
        ('11/10', '3.131055681')
    """
    if max(abs(number.numerator), number.denominator) < _LONG:
        return str(number)
    decimal = (Decimal(number.numerator) / Decimal(number.denominator)).normalize()
    return f"{decimal}" if Fraction(decimal) == number else f"about {decimal}"


def read_exact(text: str) -> Fraction:
    """Return the number that ``exact_text`` wrote.

    Args:
        text: Text such as ``1/10``; nothing but what ``exact_text`` writes is read.

    Returns:
        The number.

    Units:
        Those of the number.

    Raises:
        InternalError: When the text is anything else, so that a record was changed or is not one of ours.
        TypeError: When it is no text.

    Example:
        >>> read_exact("1/10")
        Fraction(1, 10)
    """
    number = Fraction(text) if _TEXT.fullmatch(text) else None
    if number is not None and str(number) == text:
        return number
    raise InternalError(
        "a recorded number is not a fraction in lowest terms, such as 1/10; check the record for changes"
    )

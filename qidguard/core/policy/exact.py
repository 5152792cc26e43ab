"""Exact numbers: what is spent of a privacy budget is a fraction, never a float."""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from pydantic import PlainSerializer

from qidguard.core.policy.refusal import LARGEST_NUMBER, refusal, shown

LONGEST_DIGITS = 100
"""Digits that a numerator or a denominator may have."""

_TEXT = re.compile(r"[0-9]{1,100}(?:/[0-9]{1,100}|(?:\.[0-9]{1,100})?(?:[eE][+-]?[0-9]{1,2})?)")
_PATTERN = r"[0-9]{1,100}(/0*[1-9][0-9]{0,99}|(\.[0-9]{1,100})?([eE][+-]?[0-9]{1,2})?)$"

AS_TEXT = PlainSerializer(str, return_type=str)
"""Beside a validator of exact numbers: outside the policy they stand as text, such as ``1/10``."""


def exact_number(value: object) -> Fraction:
    """Return a number as the person who wrote it meant it: 0.1 is a tenth and not the float beside it.

    Args:
        value: A whole number, a float, a fraction, or a text such as ``1/3``, ``0.1`` or ``1e-6``. Only in a
            text do more than 17 digits keep their meaning, since YAML reads a plain number as a float.

    Returns:
        The number.

    Units:
        Those of the field.

    Raises:
        PydanticCustomError: when it is anything else, not finite, or longer than 100 digits.

    Example:
        >>> exact_number(0.1) + exact_number("1/5"), exact_number(1e-6)
        (Fraction(3, 10), Fraction(1, 1000000))
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Fraction)):
        raise refusal(f"must be a number, or a text such as '1/3', not {shown(value)}")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise refusal(f"must be a finite number, not {shown(value)}")
        number = Fraction(repr(value))
    elif isinstance(value, str):
        if _TEXT.fullmatch(value) is None:
            raise refusal(f"must be a number, or a text such as '1/3', not {shown(value)}")
        try:
            number = Fraction(value)
        except ZeroDivisionError:
            raise refusal(f"must not divide by zero, as {shown(value)} does") from None
    else:
        number = Fraction(value)
    if max(abs(number.numerator), number.denominator) >= 10**LONGEST_DIGITS:
        raise refusal(f"must be a number of at most {LONGEST_DIGITS} digits")
    return number


def above_zero(value: object) -> Fraction:
    """Return an exact number above 0 and at most 1e15.

    Args:
        value: What ``exact_number`` takes.

    Returns:
        The number.

    Units:
        Those of the field.

    Raises:
        PydanticCustomError: when it is no exact number or out of range.

    Example:
        >>> above_zero("1/3")
        Fraction(1, 3)
    """
    number = exact_number(value)
    if not 0 < number <= LARGEST_NUMBER:
        raise refusal(f"must be above 0 and at most {LARGEST_NUMBER:g}, not {shown(value)}")
    return number


def below_one(value: object) -> Fraction:
    """Return an exact number of at least 0 and below 1.

    Args:
        value: What ``exact_number`` takes.

    Returns:
        The number.

    Units:
        Those of the field.

    Raises:
        PydanticCustomError: when it is no exact number or out of range.

    Example:
        >>> below_one(1e-6)
        Fraction(1, 1000000)
    """
    number = exact_number(value)
    if not 0 <= number < 1:
        raise refusal(f"must be at least 0 and below 1, not {shown(value)}")
    return number


SCHEMAS: dict[Callable[[object], Fraction], dict[str, Any]] = {
    above_zero: {
        "anyOf": [
            {"type": "number", "exclusiveMinimum": 0, "maximum": LARGEST_NUMBER},
            {"type": "string", "pattern": f"^(?=[0-9.]*[1-9]){_PATTERN}"},
        ]
    },
    # whether a text is below 1 takes arithmetic, which only the loader does
    below_one: {
        "anyOf": [
            {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
            {"type": "string", "pattern": f"^{_PATTERN}"},
        ]
    },
}
"""Validator → the JSON Schema of what it takes."""

"""Check digits that python-stdnum has no module for."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

_NO_SEPARATORS = str.maketrans("", "", " -.")
_CARD = re.compile(
    r"4[0-9]{12}(?:[0-9]{3}){0,2}|(?:5[1-5]|2[2-7]|6[0-9]|35)[0-9]{14}|3[47][0-9]{13}|3[068][0-9]{12}"
)


def is_luhn(digits: str) -> bool:
    """Return whether the last digit checks the others after Luhn (ISO/IEC 7812-1).

    Example:
        >>> is_luhn("79927398713"), is_luhn("79927398714")
        (True, False)
    """
    total = 0
    for at, character in enumerate(reversed(digits)):
        total += sum(divmod(int(character) * (1 + at % 2), 10))
    return total % 10 == 0


def is_payment_card(text: str) -> bool:
    """Return whether a number begins and is as long as those of payment cards, and checks after Luhn.

    Example:
        >>> is_payment_card("4111 1111 1111 1111"), is_payment_card("1999 2001 2003 2008")
        (True, False)
    """
    digits = text.translate(_NO_SEPARATORS)
    return _CARD.fullmatch(digits) is not None and is_luhn(digits)


def is_npi(text: str) -> bool:
    """Return whether a number is that of a provider of health care in the US: Luhn behind 80840.

    Example:
        >>> is_npi("1234567893"), is_npi("1234567894")
        (True, False)
    """
    return text[0] in "12" and is_luhn("80840" + text)


def is_kvnr(text: str) -> bool:
    """Return whether a number is that of a person in a German health insurance (SGB V, section 290).

    Example:
        >>> is_kvnr("A123456780"), is_kvnr("A123456781")
        (True, False)
    """
    digits = f"{ord(text[0].upper()) - 64:02}{text[1:]}"
    total = sum(sum(divmod(int(c) * (1 + at % 2), 10)) for at, c in enumerate(digits[:-1]))
    return total % 10 == int(digits[-1])


def is_medicare(text: str) -> bool:
    """Return whether a number is an Australian Medicare number: the ninth digit checks the eight before it.

    Example:
        >>> is_medicare("2123 45670 1"), is_medicare("2123 45671 1")
        (True, False)
    """
    digits = text.translate(_NO_SEPARATORS)
    total = sum(int(c) * w for c, w in zip(digits, (1, 3, 7, 9, 1, 3, 7, 9), strict=False))
    return digits[0] in "23456" and total % 10 == int(digits[8])


def is_dea(text: str) -> bool:
    """Return whether a number is that of a prescriber at the US DEA.

    Example:
        >>> is_dea("AB1234563"), is_dea("AB1234564")
        (True, False)
    """
    digits = [int(c) for c in text[2:]]
    return (sum(digits[0:6:2]) + 2 * sum(digits[1:6:2])) % 10 == digits[6]


_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VIN_VALUES = {str(digit): digit for digit in range(10)} | {
    letter: value
    for letters, values in (
        ("ABCDEFGH", range(1, 9)),
        ("JKLMN", range(1, 6)),
        ("PR", (7, 9)),
        ("STUVWXYZ", range(2, 10)),
    )
    for letter, value in zip(letters, values, strict=True)
}


def is_vin(text: str) -> bool:
    """Return whether a text is the number of a vehicle: no I, O, Q, and the ninth character checks modulo 11.

    Example:
        >>> is_vin("1M8GDM9AXKP042788"), is_vin("1M8GDM9A1KP042788")
        (True, False)
    """
    word = text.upper()
    if not all(character in _VIN_VALUES for character in word) or not word[-4:].isdigit():
        return False
    total = sum(_VIN_VALUES[c] * weight for c, weight in zip(word, _VIN_WEIGHTS, strict=True))
    return word[8] == "0123456789X"[total % 11]


OWN: Mapping[str, Callable[[str], bool]] = MappingProxyType(
    {
        "payment_card": is_payment_card,
        "us_npi": is_npi,
        "german_kvnr": is_kvnr,
        "australian_medicare": is_medicare,
        "us_dea": is_dea,
        "vin": is_vin,
    }
)
"""Name of a test → its check."""

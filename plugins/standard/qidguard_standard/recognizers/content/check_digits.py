"""Numbers with check digits: national, tax and health numbers, accounts, devices, and harmless rivals."""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from types import MappingProxyType

from qidguard.sdk import ContentTest, ValueType

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
"""Name of a test → its check, of those that python-stdnum has no module for."""

_KINDS = {"9": "[0-9]", "A": "[A-Z]", "X": "[0-9A-Z]", "H": "[0-9A-F]"}


@dataclass(frozen=True, kw_only=True)
class CheckedNumber:
    """A kind of number with check digits.

    Args:
        test: Its test; ``chance`` is measured over random strings of the first shape.
        shapes: How it is written: 9 is a digit, A a letter, X either, H a hexadecimal digit.
        is_harmless: Whether it names a thing and no person, such as a book.
    """

    test: ContentTest
    shapes: tuple[str, ...]
    is_harmless: bool


@cache
def checked_numbers() -> tuple[CheckedNumber, ...]:
    """Return every kind of number with check digits.

    Example:
        >>> iban = next(n.test for n in checked_numbers() if n.test.name == "iban")
        >>> iban.passes("DE89 3704 0044 0532 0130 00"), iban.passes("DE88 3704 0044 0532 0130 00")
        (True, False)
    """
    text = (files("qidguard_standard.recognizers.content") / "check_digits.toml").read_text("utf-8")
    return tuple(_number(**entry) for entry in tomllib.loads(text)["number"])


def _number(
    *,
    name: str,
    title: str,
    shapes: list[str],
    chance: float,
    module: str = "",
    pattern: str = "",
    is_harmless: bool = False,
) -> CheckedNumber:
    has_digits_alone = any(shape.isdigit() or shape.replace("X", "9").isdigit() for shape in shapes)
    test = ContentTest(
        name=name,
        title=title,
        pattern=pattern or pattern_of(tuple(shapes)),
        holds=_checked_by(module) if module else OWN[name],
        value_types=(ValueType.TEXT, ValueType.INTEGER) if has_digits_alone else (ValueType.TEXT,),
        chance=chance,
    )
    return CheckedNumber(test=test, shapes=tuple(shapes), is_harmless=is_harmless)


def _checked_by(module: str) -> Callable[[str], bool]:
    """Return the check of a module of python-stdnum, which is imported when it is first asked."""

    @cache
    def check() -> Callable[[str], object]:
        found: Callable[[str], object] = import_module(f"stdnum.{module}").is_valid
        return found

    def holds(text: str) -> bool:
        try:
            passed = check()(text.upper()) is True
        except Exception:  # noqa: BLE001 - some modules stumble over odd numbers, which are then none of theirs
            passed = False
        return passed and len(set(text) - {" ", "-", "."}) > 1

    return holds


def pattern_of(shapes: tuple[str, ...]) -> str:
    r"""Return the pattern of some shapes: 9 is a digit, A a letter, X either, H hexadecimal, else itself.

    Example:
        >>> pattern_of(("99-A",))
        '(?:[0-9]{2}\\-[A-Z])'
    """
    return "(?:" + "|".join(_of(shape) for shape in shapes) + ")"


def _of(shape: str) -> str:
    parts = []
    for run in re.finditer(r"(.)\1*", shape):
        kind, count = _KINDS.get(run[1], re.escape(run[1])), len(run[0])
        parts.append(kind if count == 1 else f"{kind}{{{count}}}")
    return "".join(parts)

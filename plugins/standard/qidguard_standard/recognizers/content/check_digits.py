"""Numbers with check digits: national, tax and health numbers, accounts, devices, and harmless rivals."""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files

from qidguard.sdk import ContentTest, ValueType
from qidguard_standard.recognizers.content.own_digits import OWN

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

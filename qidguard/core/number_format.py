"""How numbers and dates are written in texts: as somebody declares it, and as values show it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from qidguard.core.errors import UserError


@dataclass(frozen=True, kw_only=True)
class NumberFormat:
    """How numbers are written.

    Args:
        decimal: The one character before the fraction.
        thousands: The one character between groups of three digits, or None.
        unit: What may stand before or after a number: a unit, a currency, a footnote's mark.

    Raises:
        UserError: When one of them cannot be told from a digit or from another.

    Example:
        >>> NumberFormat(decimal=",", thousands=".", unit=("EUR",)).thousands
        '.'
    """

    decimal: str = "."
    thousands: str | None = None
    unit: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (fault := self.fault) is not None:
            raise UserError(f"numbers {fault}.")

    @property
    def fault(self) -> str | None:
        """What is wrong with it, as the end of a sentence."""
        marks = [mark for mark in (self.decimal, self.thousands) if mark is not None]
        if any(len(mark) != 1 or mark.isalnum() or mark in "+-" for mark in marks):
            return "are written with marks of one character that is no letter, digit or sign"
        if self.decimal == self.thousands:
            return f"cannot have {self.decimal!r} both before the fraction and between thousands"
        if any(not unit.strip() or re.search(r"\d", unit) or set(unit) & set(marks) for unit in self.unit):
            return "have a unit that is empty or holds a digit or one of their marks"
        return None


def date_format_fault(text: str) -> str | None:
    """Return what is wrong with a date format, as the end of a sentence.

    Example:
        >>> date_format_fault("%d.%m.%Y") is None, date_format_fault("dd.mm.yyyy")
        (True, 'is no date format: write its parts as %d, %m and %Y, for example %d.%m.%Y')
    """
    parts = set(re.findall(r"%-?(.)", text))
    is_date = parts & set("Yy") and parts & set("mbBj") and parts & set("dj")
    if not is_date or not parts <= set("YymbBdjHIMSfpaA"):
        return "is no date format: write its parts as %d, %m and %Y, for example %d.%m.%Y"
    return None


_UNIT = r"[€$£¥%]|[A-Z]{3}"
_WRITTEN = re.compile(rf"(?:({_UNIT})\s?)?[+-]?(\d[\d.,' \u00a0]*)(?:\s?({_UNIT}))?")
_WAYS = tuple(
    (NumberFormat(decimal=decimal, thousands=thousands), re.compile(fits), re.compile(tells))
    for decimal, thousands, fits, tells in (
        (",", None, r"\d+(,\d+)?", r",\d{1,2}$|,\d{4}"),
        (",", ".", r"\d{1,3}(\.\d{3})*(,\d+)?", r"\.\d+[.,]"),
        (".", ",", r"\d{1,3}(,\d{3})*(\.\d+)?", r",\d+[.,]"),
        (".", "'", r"\d{1,3}('\d{3})*(\.\d+)?", r"'\d{3}"),
        (",", " ", r"\d{1,3}( \d{3})*(,\d+)?", r" \d{3},"),
        (".", None, r"\d+(\.\d+)?", r"\.\d{1,2}$|\.\d{4}|^\d+$"),
    )
)
"""Ways to write numbers: what every number fits, and what only some of another way would."""


def shown_numbers(columns: Iterable[Sequence[str]]) -> NumberFormat | None:
    """Return how numbers are written in columns of texts, where their values leave no doubt.

    Args:
        columns: Some texts of each column, as they are written.

    Returns:
        The one format of all columns that hold such numbers; None where there are none, where 3,000 may be
        three or three thousand, or where columns differ.

    Example:
        >>> shown_numbers([["900,50", "1100,00"], ["a", "b"]])
        NumberFormat(decimal=',', thousands=None, unit=())
        >>> shown_numbers([["3,000", "4,000"]]) is None
        True
    """
    found: set[NumberFormat] = set()
    units: set[str] = set()
    for texts in columns:
        matches = [_WRITTEN.fullmatch(text.strip()) for text in texts if re.search(r"\d", text)]
        numbers = [match[2].strip() for match in matches if match is not None]
        if not matches or len(numbers) < len(matches):
            continue
        own = {unit for match in matches if match is not None for unit in (match[1], match[3]) if unit}
        fitting = [(form, tell) for form, fits, tell in _WAYS if all(map(fits.fullmatch, numbers))]
        told = [form for form, tell in fitting if any(map(tell.search, numbers))]
        if told and (own or told[0] != NumberFormat()):
            found.add(told[0])
            units |= own
    if len(found) != 1:
        return None
    [form] = found
    return NumberFormat(decimal=form.decimal, thousands=form.thousands, unit=tuple(sorted(units)))


_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})")


def shown_dates(columns: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the formats of columns of dates such as 31.12.2024, where it is plain which number is the day.

    Args:
        columns: Some texts of each column, as they are written.

    Returns:
        One format for each way in which a column is written, none twice.

    Example:
        >>> shown_dates([["3/31/2024", "4/1/2024"], ["1.2.2024"], ["1/2/2024"]])
        ('%m/%d/%Y', '%d.%m.%Y')
    """
    found: dict[str, None] = {}
    for texts in columns:
        matches = [_DATE.fullmatch(text.strip()) for text in texts if re.search(r"\d", text)]
        dates = [match.groups() for match in matches if match is not None]
        shapes = {(mark, len(year)) for _, mark, _, year in dates}
        if len(dates) < len(matches) or len(shapes) != 1:
            continue
        first, second = max(int(one[0]) for one in dates), max(int(one[2]) for one in dates)
        mark, year = dates[0][1], "%Y" if len(dates[0][3]) == 4 else "%y"  # noqa: PLR2004 - digits of a year
        months = 12
        if first > months >= second or (mark == "." and second <= months):
            found[f"%d{mark}%m{mark}{year}"] = None
        elif second > months >= first:
            found[f"%m{mark}%d{mark}{year}"] = None
    return tuple(found)

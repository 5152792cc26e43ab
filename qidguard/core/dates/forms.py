"""The forms that dates and periods are written in, told by the layout of a text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache, lru_cache

Span = tuple[int, int]


class DateUnit(IntEnum):
    """What a text tells exactly; a week has no month of its own, so it tells a year beside itself."""

    DAY = 0
    MONTH = 1
    QUARTER = 2
    WEEK = 3
    YEAR = 4


ORDERS = ("dmy", "mdy", "ymd")
"""The orders of day, month and year."""


@dataclass(frozen=True, kw_only=True)
class DateForm:
    """What the texts of one layout may be.

    Args:
        family: How the form is told, without an order: values of one family have the same order.
        unit: What the text tells exactly.
        parts: Order → where day, month and year stand in it; more than one where the layout allows several.
        month: The month that a name tells, 0 where digits do.
        clock: Where hours, minutes and seconds stand, as far as they are there.
        is_afternoon: Whether 12 hours are added, for a clock of 12 hours; None for one of 24.
        is_bare: Whether the text is digits and nothing else, as codes and counts are, too.
    """

    family: str
    unit: DateUnit
    parts: Mapping[str, Mapping[str, Span]]
    month: int = 0
    clock: tuple[Span, ...] = ()
    is_afternoon: bool | None = None
    is_bare: bool = field(default=False)


_CLOCK = re.compile(
    r"(?:[ t,]+|:)(?P<hour>99?)[:.h](?P<minute>99)(?:[:.](?P<second>99)(?:[.,]9+)?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?(?: ?(?:z|utc|gmt|[+-]99(?::?99)?))?"
)
_CLOCK_OF_DIGITS = re.compile(r"(?P<date>9{8})t?(?P<hour>99)(?P<minute>99)(?P<second>99)?z?")
_WEEKDAY = re.compile(
    r"(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|mié|jeu|jue|ven|vie|sam|sáb|dim|dom"
    r"|ma|wo|vr|za|zo)[a-zéèáì]*\.?(?:, ?| )(?=.*9)"
)
_GAP = r"(?P<gap> ?[-/.] ?| )"
_WORD = r"(?P<word>[^\W\d_]{3,})\.?"
_BETWEEN = r"(?:[-/., ]{0,2}| de )"
_YEAR = r"'?(?P<year>9999|99)"
_DAY = r"(?P<day>99?)"
_OF_NUMBERS = re.compile(rf"(?P<one>9999|99?){_GAP}(?P<two>99?)(?P=gap)(?P<three>9999|99?)\.?")
_OF_WORDS = (
    ("dmy", re.compile(rf"{_DAY}(?:st|nd|rd|th|er|\.)?{_BETWEEN}{_WORD}{_BETWEEN}{_YEAR}")),
    ("mdy", re.compile(rf"{_WORD}[- ]?{_DAY}(?:st|nd|rd|th)?(?:, ?|[- ]){_YEAR}")),
    ("ymd", re.compile(rf"(?P<year>9999|99){_BETWEEN}{_WORD}{_BETWEEN}{_DAY}")),
    ("my", re.compile(rf"{_WORD}{_BETWEEN}{_YEAR}")),
    ("ym", re.compile(rf"(?P<year>9999){_BETWEEN}{_WORD}")),
)
_PERIODS = (
    ("year-month", DateUnit.MONTH, re.compile(r"(?P<year>9999)[-/.m ](?P<month>99?)")),
    ("month-year", DateUnit.MONTH, re.compile(r"(?P<month>99?)[-/. ](?P<year>9999)")),
    ("year-quarter", DateUnit.QUARTER, re.compile(r"(?P<year>9999)[-/. ]?q(?P<quarter>9)")),
    ("quarter-year", DateUnit.QUARTER, re.compile(r"q(?P<quarter>9)[-/. ]?(?P<year>9999)")),
    ("year-week", DateUnit.WEEK, re.compile(r"(?P<year>9999)[-/. ]?(?:w|kw)(?P<week>99?)")),
    ("week-year", DateUnit.WEEK, re.compile(r"(?:w|kw) ?(?P<week>99?)[-/. ](?P<year>9999)")),
)
_EIGHT = {
    "ymd": {"year": (0, 4), "month": (4, 6), "day": (6, 8)},
    "dmy": {"day": (0, 2), "month": (2, 4), "year": (4, 8)},
    "mdy": {"month": (0, 2), "day": (2, 4), "year": (4, 8)},
}
_SIX = {
    "dmy": {"day": (0, 2), "month": (2, 4), "year": (4, 6)},
    "mdy": {"month": (0, 2), "day": (2, 4), "year": (4, 6)},
    "ymd": {"year": (0, 2), "month": (2, 4), "day": (4, 6)},
    "ym": {"year": (0, 4), "month": (4, 6)},
}


@lru_cache(maxsize=1 << 12)
def form_of(layout: str) -> DateForm | None:
    """Return what texts of a layout may be; None where they are no dates.

    Example:
        >>> found = form_of("9/99/99")
        >>> found.family, sorted(found.parts)
        ('/', ['dmy', 'mdy'])
        >>> form_of("99 jan 9999 99:99").family, form_of("9.9")
        ('dmy named', None)
    """
    if "9" not in layout:
        return None
    start = len(layout) - len(layout.lstrip())
    text = layout.strip()
    found = next(_forms(text, start), None)
    weekday = None if found else _WEEKDAY.match(text)
    if weekday:
        return next(_forms(text[weekday.end() :], start + weekday.end()), None)
    return found


def _forms(text: str, start: int) -> Iterator[DateForm]:
    clock = _CLOCK_OF_DIGITS.fullmatch(text)
    if clock:
        yield DateForm(
            family="digits",
            unit=DateUnit.DAY,
            parts=_moved(_EIGHT, start),
            clock=_clock(clock, start),
            is_bare=True,
        )
    day_forms = _day_forms(text, start, None)
    yield from day_forms
    for at in re.finditer(r"[ t,]+|:", text):
        clock = _CLOCK.fullmatch(text, at.start())
        if clock:
            yield from _day_forms(text[: at.start()], start, clock)
    for family, unit, pattern in _PERIODS:
        found = pattern.fullmatch(text)
        if found:
            yield DateForm(family=family, unit=unit, parts={"": _spans(found, start)})
    if text == "9999":
        yield DateForm(
            family="year", unit=DateUnit.YEAR, parts={"": {"year": (start, start + 4)}}, is_bare=True
        )


def _day_forms(text: str, start: int, clock: "re.Match[str] | None") -> Iterator[DateForm]:
    """Yield what a text without its clock may be: a day, or a month that a name tells."""
    at = () if clock is None else _clock(clock, start)
    half = None if clock is None else clock["half"]
    afternoon = None if half is None else half == "p"
    is_bare = clock is None
    if text == "9" * 8:
        yield DateForm(
            family="digits",
            unit=DateUnit.DAY,
            parts=_moved(_EIGHT, start),
            clock=at,
            is_afternoon=afternoon,
            is_bare=is_bare,
        )
    if text == "9" * 6 and clock is None:
        yield DateForm(family="six digits", unit=DateUnit.DAY, parts=_moved(_SIX, start), is_bare=True)
    found = _OF_NUMBERS.fullmatch(text)
    parts = _of_numbers(found, start) if found else {}
    if found and parts:
        family = f"{'y' if len(found['one']) > len('99') else ''}{found['gap'].strip() or ' '}"
        yield DateForm(family=family, unit=DateUnit.DAY, parts=parts, clock=at, is_afternoon=afternoon)
    orders: dict[str, Mapping[str, Span]] = {}
    month = 0
    for order, pattern in _OF_WORDS:
        found = pattern.fullmatch(text)
        named = found and month_of(found["word"])
        if found and named and (len(order) == len("dmy") or clock is None):
            month = named
            orders[order] = _spans(found, start)
    for unit, some in ((DateUnit.DAY, ("dmy", "mdy", "ymd")), (DateUnit.MONTH, ("my", "ym"))):
        possible = {order: orders[order] for order in some if order in orders}
        if possible:
            # 2044-Jan-31 differs from 31-Jan-2044 in its layout, 44-Jan-31 from 31-Jan-44 in its values
            family = f"{next(iter(possible))} named"
            yield DateForm(
                family=family, unit=unit, parts=possible, month=month, clock=at, is_afternoon=afternoon
            )


def _of_numbers(found: "re.Match[str]", start: int) -> dict[str, Mapping[str, Span]]:
    spans = {name: (start + found.start(name), start + found.end(name)) for name in ("one", "two", "three")}
    one, three = (len(found[name]) for name in ("one", "three"))
    year_four, year_two = 4, 2
    parts: dict[str, Mapping[str, Span]] = {}
    if one <= year_two <= three:
        parts["dmy"] = {"day": spans["one"], "month": spans["two"], "year": spans["three"]}
        parts["mdy"] = {"month": spans["one"], "day": spans["two"], "year": spans["three"]}
    if one in {year_two, year_four} and three <= year_two:
        parts["ymd"] = {"year": spans["one"], "month": spans["two"], "day": spans["three"]}
    return parts


def _spans(found: "re.Match[str]", start: int) -> dict[str, Span]:
    names = ("year", "quarter", "month", "week", "day")
    return {
        name: (start + found.start(name), start + found.end(name))
        for name in names
        if name in found.re.groupindex
    }


def _moved(orders: Mapping[str, Mapping[str, Span]], start: int) -> dict[str, Mapping[str, Span]]:
    return {
        order: {name: (low + start, high + start) for name, (low, high) in parts.items()}
        for order, parts in orders.items()
    }


def _clock(found: "re.Match[str]", start: int) -> tuple[Span, ...]:
    names = ("hour", "minute", "second")
    return tuple(
        (start + found.start(name), start + found.end(name)) for name in names if found[name] is not None
    )


_NAMES = (
    "january januar janvier enero januari gennaio janeiro jän jänner",
    "february februar février fevrier febrero februari febbraio fevereiro",
    "march märz maerz mars marzo maart março mrz mrt",
    "april avril abril aprile",
    "may mai mayo mei maggio maio",
    "june juni juin junio giugno junho",
    "july juli juillet julio luglio julho",
    "august août aout agosto augustus",
    "september septembre septiembre settembre setembro setiembre",
    "october oktober octobre octubre ottobre outubro",
    "november novembre noviembre novembro",
    "december dezember décembre decembre diciembre dicembre dezembro",
)
"""English, German, French, Spanish, Dutch, Italian and Portuguese; what begins no name stands by itself."""

_SHORTEST = 3


@cache
def month_of(word: str) -> int | None:
    """Return the month, 1..12, that a word of small letters names or begins to name; None for any other.

    Example:
        >>> month_of("jan"), month_of("mrz"), month_of("août"), month_of("jui"), month_of("sep.")
        (1, 3, 8, None, None)
    """
    if len(word) < _SHORTEST:
        return None
    months = {
        month
        for month, names in enumerate(_NAMES, start=1)
        if any(name.startswith(word) for name in names.split())
    }
    return months.pop() if len(months) == 1 else None

"""Read a column of texts as dates: its form is decided over the whole column, never value by value."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qidguard.core.dates.calendar_days import EPOCH, days_of, full_years, is_crossing, is_day, today
from qidguard.core.dates.forms import ORDERS, DateForm, DateUnit, form_of
from qidguard.core.dates.layouts import LayoutGroup, groups
from qidguard.core.dates.orders import SIX, Doubt, decided

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNREAD = -1
_TRIED, _MANY = 300, 1_000
_HOURS, _MINUTES = 24, 60
_YEAR_ALONE = "year"


@dataclass(frozen=True, kw_only=True)
class DateReading:
    """What texts are as dates.

    Args:
        days: Shape (texts,), days since 1970 with the time of day as a fraction, as it is written in whatever
            zone; the first day of a period, of a week its Thursday; NaN for what is no date.
        units: Shape (texts,), the ``DateUnit`` that each text tells exactly; −1 for what is no date.
        forms: How dates are written, and how many of the texts so, the most frequent first.
        doubt: What the texts leave open; None where nothing is. Days follow the first reading then.
        latest: The day up to which years of two digits were read; None where there are none.
    """

    days: "NDArray[np.float64]" = field(repr=False)
    units: "NDArray[np.int8]" = field(repr=False)
    forms: tuple[tuple[str, int], ...]
    doubt: Doubt | None = None
    latest: date | None = None

    @property
    def read(self) -> int:
        """Number of texts that are dates."""
        return int(np.count_nonzero(self.units >= 0))

    @property
    def is_years(self) -> bool:
        """Whether the dates are years and nothing more, which numbers are, too."""
        return all(form == _YEAR_ALONE for form, _ in self.forms)

    @property
    def told(self) -> str:
        """How dates are written, with numbers where it is in several forms; no value."""
        if len(self.forms) == 1:
            parts = [form for form, _ in self.forms]
        else:
            parts = [f"{count:,} as {form}" for form, count in self.forms]
        if self.latest is not None:
            parts.append(f"two-digit years up to {self.latest.isoformat()}")
        return ", ".join(parts)


class _Short(NamedTuple):
    """Dates whose years have two digits."""

    at: "NDArray[np.int64]"
    year: "NDArray[np.int64]"
    month: "NDArray[np.int64]"
    day: "NDArray[np.int64]"
    clock: "NDArray[np.float64]"


def read_dates(
    texts: Sequence[str],
    *,
    written: str | None = None,
    latest: date | None = None,
    as_of: date | None = None,
    is_declared: bool = False,
) -> DateReading:
    """Read texts as dates or periods.

    Days are told from months by values that only one order allows. Where no value does, or some allow only
    one order and more than 5 % of as many only the other, there is a doubt. Years of two digits are the last
    ones up to ``latest``; without one, up to ``as_of``, and in doubt where they fill the century.

    Args:
        texts: Distinct values.
        written: The order ``dmy``, ``mdy`` or ``ymd``, or a form of ``strptime``; None finds it.
        latest: The latest day that years of two digits may mean, where somebody says so.
        as_of: The day of the table; None takes today.
        is_declared: Whether somebody says that these are dates: six digits are days then.

    Example:
        >>> found = read_dates(["1/2/44", "13/2/61", "soon"], latest=date(2026, 1, 31))
        >>> found.days.tolist(), found.forms
        ([-9466.0, -3244.0, nan], (('d/m/y', 2),))
    """
    is_declared = is_declared or written is not None
    found = _Found(len(texts), latest or as_of or today(), is_sure=latest is not None)
    if written is not None and written not in ORDERS:
        found.take_declared(texts, written)
        return found.reading()
    if len(texts) > _MANY and not is_declared:
        some = read_dates(texts[:: len(texts) // _TRIED], latest=latest, as_of=as_of)
        if 2 * some.read < len(some.days):
            return found.reading()
    families: dict[str, list[tuple[LayoutGroup, DateForm]]] = {}
    for group in groups(texts):
        form = form_of(group.layout)
        if form is not None:
            families.setdefault(form.family, []).append((group, form))
    for family, members in families.items():
        found.take(family, members, written, is_declared=is_declared)
    return found.reading()


class _Found:
    """What was read so far.

    Args:
        texts: Number of texts.
        latest: The latest day that years of two digits may mean.
        is_sure: Whether somebody said so.
    """

    def __init__(self, texts: int, latest: date, *, is_sure: bool) -> None:
        self._days = np.full(texts, np.nan)
        self._units = np.full(texts, _UNREAD, dtype=np.int8)
        self._forms: Counter[str] = Counter()
        self._doubts: list[Doubt] = []
        self._short: list[_Short] = []
        self._is_sure = is_sure
        self._latest = latest

    def take(
        self,
        family: str,
        members: Sequence[tuple[LayoutGroup, DateForm]],
        written: str | None,
        *,
        is_declared: bool,
    ) -> None:
        """Read the texts of a family of forms."""
        order, parsed, doubt = decided(family, members, written, self._latest, is_declared=is_declared)
        if doubt is not None:
            self._doubts.append(doubt)
        fine = parsed.is_valid
        if not fine.any():
            return
        at = np.concatenate([group.places for group, _ in members])[fine]
        clock = np.concatenate([_clock(group, form) for group, form in members])[fine]
        year, month, day = parsed.year[fine], parsed.month[fine], parsed.day[fine]
        is_short = parsed.is_short[fine]
        self._forms[_name(family, order)] += len(at)
        unit = DateUnit.MONTH if order == "ym" else members[0][1].unit
        self._units[at] = unit
        if unit is DateUnit.WEEK:
            self._days[at] = day
            return
        is_long = ~is_short
        self._days[at[is_long]] = days_of(year[is_long], month[is_long], day[is_long]) + clock[is_long]
        if is_short.any():
            year, month, day = year[is_short], month[is_short], day[is_short]
            self._short.append(_Short(at[is_short], year, month, day, clock[is_short]))

    def take_declared(self, texts: Sequence[str], written: str) -> None:
        """Read texts by a form of ``strptime``."""
        unit = DateUnit.YEAR
        if any(code in written for code in ("%m", "%b", "%B")):
            unit = DateUnit.MONTH
        if any(code in written for code in ("%d", "%j", "%x", "%c", "%u", "%w", "%a", "%A")):
            unit = DateUnit.DAY
        read = []
        for place, text in enumerate(texts):
            try:
                moment = datetime.strptime(text, written)  # noqa: DTZ007 - a day, whatever its zone
            except ValueError:
                continue
            clock = (moment - moment.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()
            read.append((place, moment, clock / (_HOURS * _MINUTES**2)))
        if not read:
            return
        at = np.array([place for place, _, _ in read])
        self._forms[written] += len(read)
        self._units[at] = unit
        if "%y" in written and "%Y" not in written:
            parts = np.array([(moment.year % 100, moment.month, moment.day) for _, moment, _ in read])
            year, month, day = parts.T
            clocks = np.array([clock for *_, clock in read])
            self._short.append(_Short(at, year, month, day, clocks))
        else:
            self._days[at] = [moment.toordinal() - EPOCH + clock for _, moment, clock in read]

    def reading(self) -> DateReading:
        """Return all that was read; now the century of years with two digits is decided, over all of them."""
        if self._short:
            self._set_centuries()
        return DateReading(
            days=self._days,
            units=self._units,
            forms=tuple(self._forms.most_common()),
            doubt=max(self._doubts, key=lambda doubt: doubt.values, default=None),
            latest=self._latest if self._short else None,
        )

    def _set_centuries(self) -> None:
        short = _Short(*(np.concatenate(part) for part in zip(*self._short, strict=True)))
        year = full_years(short.year, short.month, short.day, self._latest)
        exists = is_day(year, short.month, short.day, np.zeros(len(year), dtype=np.bool_))
        days = days_of(year[exists], short.month[exists], short.day[exists])
        self._days[short.at[exists]] = days + short.clock[exists]
        self._units[short.at[~exists]] = _UNREAD
        if not self._is_sure and is_crossing(year, short.month, short.day):
            self._doubts.append(Doubt(orders=(), values=len(year)))


def _clock(group: LayoutGroup, form: DateForm) -> "NDArray[np.float64]":
    """Return the time of day as a share of it."""
    share = np.zeros(len(group.places))
    for position, span in enumerate(form.clock):
        number = group.number(span)
        if position == 0 and form.is_afternoon is not None:
            number = number % 12 + 12 * form.is_afternoon
        share += number / (_HOURS * _MINUTES**position)
    # the last moment of a day stays in it
    return np.minimum(share, np.nextafter(1.0, 0.0))


_DIGITS = {"dmy": "ddmmyyyy", "mdy": "mmddyyyy", "ymd": "yyyymmdd"}
_SIX_DIGITS = {"dmy": "ddmmyy", "mdy": "mmddyy", "ymd": "yymmdd", "ym": "yyyymm"}
_NAMED = {"dmy": "d month y", "mdy": "month d y", "ymd": "y month d", "my": "month y", "ym": "y month"}


def _name(family: str, order: str) -> str:
    """Return how dates of a family are written, in words."""
    if family == SIX:
        return _SIX_DIGITS[order]
    if family.endswith("named"):
        return _NAMED[order]
    if not order:
        return family
    return _DIGITS[order] if family == "digits" else family[-1].join(order)

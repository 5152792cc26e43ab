"""Columns as dates, and hierarchies along the calendar: day, month, quarter, year, five years, decade."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Literal

from qidguard.anonymizing.hierarchy.assembling import HierarchyLevel, assemble
from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy
from qidguard.policy.nesting import DATE_UNITS, check_units

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.core.dates.orders import Doubt
    from qidguard.core.dates.reading import DateReading

MOST_READ = 0.95
"""The share of a column's values that are dates where the column is one of dates."""

_TYPED = {ValueType.DATE, ValueType.TIMESTAMP}
_DAYS_AT_MOST = 2_932_896
"""The last day of the year 9999, since 1970."""
_DAYS_AT_LEAST = -719_162


def day_numbers(values: ColumnValues) -> "NDArray[np.float64] | None":
    """Return where each value of a column of dates in text or whole numbers stands in time.

    Args:
        values: The column.

    Returns:
        Shape (codes,), NaN for NULL and for what is no date; None where fewer than 95 % of the distinct
        values are dates, where they do not say which of two readings is meant, and for other types.

    Units:
        Days since 1970, the time of day as a fraction.

    Raises:
        AttributeError: When it is given no column.

    Example:
        >>> import numpy as np
        >>> born = ColumnValues(
        ...     name="born",
        ...     value_type=ValueType.TEXT,
        ...     codes=np.array([1, 2], dtype=np.int32),
        ...     texts=(None, "13.1.1970", "2.1.1970"),
        ... )
        >>> day_numbers(born)
        array([nan, 12.,  1.])
    """
    import numpy as np

    reading = None if values.value_type in _TYPED else found_dates(values, None)
    if reading is None or reading.doubt is not None:
        return None
    return np.concatenate([[np.nan], reading.days])


def found_dates(values: ColumnValues, as_of: date | None) -> "DateReading | None":
    """Return a column read as dates; None where it is none."""
    import numpy as np

    if values.value_type not in {*_TYPED, ValueType.TEXT, ValueType.INTEGER} or not values.distinct:
        return None
    reading = read_column(values, None, None, as_of, is_declared=False)
    if values.value_type in _TYPED:
        return reading
    present = np.count_nonzero(~marks_of(values) & ~_missing(values))
    is_few = reading.read < max(1.0, MOST_READ * float(present))
    if is_few or reading.is_years or (reading.doubt and values.value_type is ValueType.INTEGER):
        return None
    return reading


def date_notes(columns: Iterable[ColumnValues], hierarchies: Mapping[str, Hierarchy]) -> tuple[str, ...]:
    """Return what is told of dates in text: several forms with their numbers, and the century of years."""
    notes = []
    for column in columns:
        declared = hierarchies.get(column.name)
        reading = None if declared is not None or column.value_type in _TYPED else found_dates(column, None)
        told = reading.told if reading is not None and reading.doubt is None else ""
        if declared is not None and declared.origin.startswith(_DECLARED):
            told = declared.origin.removeprefix(_DECLARED).removesuffix(")")
        if " as " in told or "two-digit" in told:
            notes.append(f"dates of {column.name!r} are written {told}")
    return tuple(notes)


_DECLARED = "dates ("


def question_of(name: str, doubt: "Doubt") -> str:
    """Return the sentence that asks what a column does not say."""
    if not doubt.orders:
        return (
            f"the two-digit years of column {name!r} fill a century, so that those at its ends may belong to"
            " the other end; write dates with latest, the last day that one of them may mean, such as latest:"
            " 2026-01-31"
        )
    forms = [" or ".join(part) for part in (["/".join(order) for order in doubt.orders], doubt.orders)]
    if doubt.is_mixed:
        return (
            f"some dates of column {name!r} allow one order alone and others another ({forms[0]}); write them"
            " in one order"
        )
    return (
        f"no date of column {name!r} tells whether it is written {forms[0]}; write dates with written:"
        f" {forms[1]}, or auto: frequency where these are no dates"
    )


def marks_of(values: ColumnValues) -> "NDArray[np.bool_]":
    """Return which values mark a suppressed cell."""
    import numpy as np

    if values.value_type in _TYPED and values.numbers is not None:
        # a column of dates has NaN for what marks a suppressed cell
        is_mark: NDArray[np.bool_] = np.isnan(values.numbers[1:])
        return is_mark
    return np.array([text == SUPPRESSED for text in values.texts[1:]], dtype=np.bool_)


_MISSING = frozenset({"", "?", "na", "n/a", "#n/a", "null", "nan", "none", "unknown", "-", "--", "."})


def _missing(values: ColumnValues) -> "NDArray[np.bool_]":
    """Return which values are words that often stand for a missing one."""
    import numpy as np

    return np.array([str(text).strip().lower() in _MISSING for text in values.texts[1:]], dtype=np.bool_)


def read_column(
    values: ColumnValues,
    written: str | None,
    latest: date | None,
    as_of: date | None,
    *,
    is_declared: bool,
) -> "DateReading":
    """Return the values of a column but NULL as dates; see ``read_dates``."""
    import numpy as np

    from qidguard.core.dates.forms import DateUnit
    from qidguard.core.dates.reading import DateReading, read_dates

    if values.value_type in _TYPED and values.numbers is not None:
        numbers = values.numbers[1:]
        # NaN and the infinite are no days
        is_read = (numbers >= _DAYS_AT_LEAST) & (numbers < _DAYS_AT_MOST + 1)
        return DateReading(
            days=np.where(is_read, numbers, np.nan),
            units=np.where(is_read, DateUnit.DAY, -1).astype(np.int8),
            forms=(),
        )
    texts = [str(text) for text in values.texts[1:]]
    return read_dates(texts, written=written, latest=latest, as_of=as_of, is_declared=is_declared)


DateUnit = Literal["day", "month", "quarter", "year", "5 years", "decade"]
"""A level of the calendar."""


def date_hierarchy(
    values: ColumnValues,
    units: Sequence[DateUnit] = ("month", "quarter", "year", "decade"),
    *,
    written: str | None = None,
    latest: date | None = None,
    as_of: date | None = None,
) -> Hierarchy:
    """Return the hierarchy of a column of dates whose levels are units of the calendar, and ``*`` above.

    A day is published as ``2021-03-01``, a month as ``2021-03``, a quarter as ``2021-Q1``, a year as
    ``2021``, five years as ``2020-2024`` and a decade as ``2020s``. A moment belongs to its day in UTC; of a
    text the day that is written counts, its time and zone left aside. The form of texts and whole numbers is
    found over the whole column: ``2021-03-01``, ``20210301``, ``1/3/2021`` or ``3/1/2021`` (told apart by
    values that only one order allows), ``1 March 2021``, with one or two digits, and periods such as
    ``2021-03``, ``2021-Q1``, ``2021-W09`` and ``2021``. Years of two digits are the last ones up to
    ``latest``. NULL and a cell that is suppressed already stay apart below the top.

    Args:
        values: The column.
        units: The levels, from finer to coarser.
        written: The order of day, month and year, ``dmy``, ``mdy`` or ``ymd``, or how texts are written, such
            as ``%d/%m/%Y`` (the codes of ``strptime``); None finds it.
        latest: The last day that a year of two digits may mean; None takes ``as_of``, and refuses years that
            leave fewer than ten of the hundred years empty, where nobody can tell one end from the other.
        as_of: The day of the table; None takes today.

    Returns:
        The hierarchy. Its origin says in which forms dates are written.

    Units:
        Those of the calendar (proleptic Gregorian).

    Raises:
        DataError: When units are missing, unknown or out of order; when values are no dates or do not tell a
            unit, which are counted and not named; when the values do not say which of two readings is meant.

    Example:
        >>> import numpy as np
        >>> visit = ColumnValues(
        ...     name="visit",
        ...     value_type="text",
        ...     codes=np.array([1, 2], dtype=np.int32),
        ...     texts=(None, "13/3/21", "5/4/21"),
        ... )
        >>> date_hierarchy(visit, ("quarter", "decade"), latest=date(2026, 1, 31)).labels[1:]
        ((None, '2021-Q1', '2021-Q2'), (None, '2020s'), ('*',))
    """
    import numpy as np

    check_units(units)
    reading = read_column(values, written, latest, as_of, is_declared=True)
    is_mark = marks_of(values)
    if reading.doubt is not None:
        raise DataError(question_of(values.name, reading.doubt))
    unread = int(np.count_nonzero((reading.units < 0) & ~is_mark))
    if unread:
        form = "the form that is declared" if written else "a form such as 2021-03-01"
        raise DataError(
            f"{unread:,} of the {values.distinct:,} values of column {values.name!r} are no dates in {form};"
            " say how they are written, or give a hierarchy file"
        )
    coarse = int(np.count_nonzero(reading.units > _finest(units[0])))
    if coarse:
        raise DataError(
            f"{coarse:,} of the {values.distinct:,} values of column {values.name!r} are periods that tell no"
            f" {units[0]}; begin with a coarser unit"
        )
    levels = [_level(values, reading, unit) for unit in units]
    return assemble(values, levels, origin=f"dates ({reading.told})" if reading.told else "dates")


def automatic_dates(values: ColumnValues, *, as_of: date | None = None) -> Hierarchy | None:
    """Return the calendar's hierarchy of a column of dates, moments or texts that are dates; None for others.

    Levels are days (where values have times, or a day is written in several ways), months, quarters, years,
    five years and decades; one that merges nothing is left out. At least 95 % of the distinct values must be
    dates. What is none, and a period that is too long for a level, stays apart below the top as NULL does.
    Years alone are numbers, and None is returned for them. Years of two digits are the last ones up to
    ``as_of``, the day of the table; None takes today.

    Raises:
        DataError: When the values do not say which of two readings is meant.

    Example:
        >>> import numpy as np
        >>> born = ColumnValues(
        ...     name="born",
        ...     value_type="text",
        ...     codes=np.array([1, 2, 3], dtype=np.int32),
        ...     texts=(None, "1.2.1944", "17.2.1944", "3.4.1944"),
        ... )
        >>> automatic_dates(born).labels[1:]
        ((None, '1944-02', '1944-04'), (None, '1944'), ('*',))
    """
    import numpy as np

    reading = found_dates(values, as_of)
    if reading is None:
        return None
    if reading.doubt is not None:
        raise DataError(question_of(values.name, reading.doubt))
    read_units = reading.units[reading.units >= 0]
    finest = 0
    while np.count_nonzero(read_units > finest) > (1 - MOST_READ) * len(read_units):
        finest += 1
    levels, groups = [], values.distinct
    for unit in DATE_UNITS:
        if _finest(unit) >= finest:
            level = _level(values, reading, unit)
            if len(level.labels) < groups:
                groups = len(level.labels)
                levels.append(level)
    return assemble(
        values, levels, origin=f"automatic (dates: {reading.told})" if reading.told else "automatic (dates)"
    )


def _finest(unit: str) -> int:
    """Return the coarsest unit of a value that has a place on a level."""
    from qidguard.core.dates.forms import DateUnit

    return {"day": DateUnit.DAY, "month": DateUnit.MONTH, "quarter": DateUnit.QUARTER}.get(
        unit, DateUnit.YEAR
    )


def _level(values: ColumnValues, reading: "DateReading", unit: str) -> HierarchyLevel:
    """Return the level of a unit; what is no date, or tells less than the unit, is a group of its own."""
    import numpy as np

    is_placed = (reading.units >= 0) & (reading.units <= _finest(unit))
    days = np.floor(reading.days[is_placed]).astype("datetime64[D]")
    months = days.astype("datetime64[M]").astype(np.int64) + 1970 * 12
    number = days.astype(np.int64) if unit == "day" else months // _MONTHS.get(unit, 1)
    periods, owner = np.unique(number, return_inverse=True)
    labels = [_LABELS[unit](period) for period in periods.tolist()]
    groups = np.empty(len(is_placed), dtype=np.int64)
    groups[is_placed] = owner.reshape(-1)
    place = {label: position for position, label in enumerate(labels)}
    for apart in np.flatnonzero(~is_placed).tolist():
        # whoever reads the table cannot tell a text from a period that is written so
        groups[apart] = place.setdefault(str(values.texts[apart + 1]), len(place))
    return HierarchyLevel(groups=groups, labels=tuple(place))


_MONTHS = {"month": 1, "quarter": 3, "year": 12, "5 years": 60, "decade": 120}


def _day(days: int) -> str:
    return date.fromordinal(date(1970, 1, 1).toordinal() + days).isoformat()


_LABELS: dict[str, Callable[[int], str]] = {
    "day": _day,
    "month": lambda months: f"{months // 12:04d}-{months % 12 + 1:02d}",
    "quarter": lambda quarters: f"{quarters // 4:04d}-Q{quarters % 4 + 1}",
    "year": lambda years: f"{years:04d}",
    "5 years": lambda fives: f"{5 * fives:04d}-{5 * fives + 4:04d}",
    "decade": lambda decades: f"{decades:03d}0s",
}
"""Unit → how a period is published, by its number since the year 0."""

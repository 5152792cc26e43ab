"""Hierarchies of dates and moments along the calendar: day, month, quarter, year, decade."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Literal

from qidguard.anonymizing.hierarchy.assembling import assemble, labeled_level
from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy
from qidguard.policy.nesting import check_units

DateUnit = Literal["day", "month", "quarter", "year", "decade"]
"""A level of the calendar."""

_ISO = re.compile(r"(\d{4})([-/.]?)(\d{2})\2(\d{2})(?:[ T]\d{1,2}:\d{2}.*)?", re.DOTALL)


def date_hierarchy(
    values: ColumnValues,
    units: Sequence[DateUnit] = ("month", "quarter", "year", "decade"),
    *,
    written: str | None = None,
) -> Hierarchy:
    """Return the hierarchy of a column of dates whose levels are units of the calendar, and ``*`` above.

    A day is published as ``2021-03-01``, a month as ``2021-03``, a quarter as ``2021-Q1``, a year as
    ``2021`` and a decade as ``2020s``. A moment belongs to its day in UTC. Texts and whole numbers are read
    as ``2021-03-01``, ``2021/03/01``, ``2021.03.01`` or ``20210301``, a time behind it left aside, or as
    ``written`` says. NULL and a cell that is suppressed already stay apart below the top.

    Args:
        values: The column.
        units: The levels, from finer to coarser.
        written: How texts are written, such as ``%d/%m/%Y`` (the codes of ``strptime``); None for the forms
            above, in which day and month cannot be mistaken.

    Returns:
        The hierarchy.

    Units:
        Those of the calendar (proleptic Gregorian).

    Raises:
        DataError: When units are missing, unknown or out of order, or values are no dates, which are counted
            and not named.

    Example:
        >>> import numpy as np
        >>> visit = ColumnValues(
        ...     name="visit",
        ...     value_type=ValueType.TEXT,
        ...     codes=np.array([1, 2], dtype=np.int32),
        ...     texts=(None, "2021-03-01", "2021-04-30"),
        ... )
        >>> date_hierarchy(visit, ("quarter", "decade")).labels[1:]
        ((None, '2021-Q1', '2021-Q2'), (None, '2020s'), ('*',))
    """
    check_units(units)
    days = _days(values, written)
    texts = [str(text) for text in values.texts[1:]]
    levels = [
        labeled_level(
            [text if day is None else _label(day, unit) for day, text in zip(days, texts, strict=True)]
        )
        for unit in units
    ]
    return assemble(values, levels, origin="dates")


def _label(day: date, unit: str) -> str:
    year = f"{day.year:04d}"
    return {
        "day": f"{year}-{day.month:02d}-{day.day:02d}",
        "month": f"{year}-{day.month:02d}",
        "quarter": f"{year}-Q{(day.month + 2) // 3}",
        "year": year,
        "decade": f"{year[:3]}0s",
    }[unit]


def _days(values: ColumnValues, written: str | None) -> list[date | None]:
    if values.value_type in {ValueType.DATE, ValueType.TIMESTAMP} and values.numbers is not None:
        numbers = values.numbers[1:].tolist()
        read_days = [_of_number(number) for number in numbers]
        # a column of dates has NaN for what marks a suppressed cell
        is_mark = [number != number for number in numbers]  # noqa: PLR0124 - NaN alone differs from itself
    else:
        read_days = [_of_text(str(text), written) for text in values.texts[1:]]
        is_mark = [text == SUPPRESSED for text in values.texts[1:]]
    unread = sum(day is None and not mark for day, mark in zip(read_days, is_mark, strict=True))
    if unread:
        form = "the form that is declared" if written else "a form such as 2021-03-01"
        raise DataError(
            f"{unread:,} of the {values.distinct:,} values of column {values.name!r} are no dates in {form};"
            " say how they are written, or give a hierarchy file"
        )
    return read_days


def _of_number(days: float) -> date | None:
    try:
        return date.fromordinal(_EPOCH + int(days // 1))
    except (ValueError, OverflowError):
        return None


def _of_text(text: str, written: str | None) -> date | None:
    try:
        if written is not None:
            return datetime.strptime(text, written).date()  # noqa: DTZ007 - a day, whatever its zone
        iso = _ISO.fullmatch(text)
        return iso and date(int(iso[1]), int(iso[3]), int(iso[4]))
    except ValueError:
        return None


_EPOCH = date(1970, 1, 1).toordinal()

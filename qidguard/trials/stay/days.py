"""Days that a column of the series tells of persons, held against what such a column may say."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.dates import EPOCH, Unit, read_dates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.core.column import ColumnValues

NO_DAY = -(1 << 62)
"""The day of a record in which none is written."""


@dataclass(frozen=True, kw_only=True)
class Days:
    """The days of one column.

    Args:
        column: Its name.
        field: What it is of the series, such as ``left_on``.
        days: Shape (records,), days since 1970; ``NO_DAY`` where there is none.
        unread: Values that are no date, or one that is not exact enough.
        is_doubtful: Whether day and month, or the century, cannot be told from one another.
    """

    column: str
    field: str
    days: "NDArray[np.int64]"
    unread: int
    is_doubtful: bool

    @classmethod
    def read(cls, column: "ColumnValues", field: str, today: date) -> "Days":
        """Return the days of a column; a month counts where ``exit_on`` tells no more."""
        texts = [text for text in column.texts[1:] if text is not None]
        reading = read_dates(texts, as_of=today, is_declared=True)
        coarsest = Unit.MONTH if field == "exit_on" else Unit.DAY
        is_read = (reading.units >= 0) & (reading.units <= coarsest)
        of_code = np.full(len(column.texts), NO_DAY)
        of_code[1:][is_read] = np.floor(reading.days[is_read]).astype(np.int64)
        return cls(
            column=column.name,
            field=field,
            days=of_code[column.codes],
            unread=int((~is_read).sum()),
            is_doubtful=reading.doubt is not None,
        )

    def faults(self) -> Iterator[str]:
        """Yield a sentence for a column that cannot be read without guessing."""
        what = f"The column {self.column!r}, which is {self.field} of the series,"
        if self.unread:
            unit = "a day or a month" if self.field == "exit_on" else "a day"
            yield f"{what} has {self.unread:,} values that are not {unit}; write for example 2026-05-31."
        if self.is_doubtful:
            yield f"{what} can be read in two ways; write days as 2026-05-31."

    def after(self, today: date) -> int:
        """Return in how many records the day is after another."""
        return int((self.days > number_of(today)).sum())


def number_of(day: date) -> int:
    """Return a day as the number of days since 1970.

    Example:
        >>> number_of(date(1970, 1, 2))
        1
    """
    return day.toordinal() - EPOCH


def by_person(
    days: "NDArray[np.int64]", person: "NDArray[np.int64]"
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the first and the last day of each person, ``NO_DAY`` before all; shape (persons,) each."""
    persons = int(person.max(initial=-1)) + 1
    first, last = np.full(persons, np.iinfo(np.int64).max), np.full(persons, np.iinfo(np.int64).min)
    np.minimum.at(first, person, days)
    np.maximum.at(last, person, days)
    return first, last

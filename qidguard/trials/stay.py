"""How long persons are here: who left, who waits and who is known to leave, record by record."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from qidguard.anonymizing.protocol import UNKNOWN, EarlierPersons
from qidguard.core.dates.calendar_days import EPOCH
from qidguard.core.dates.forms import DateUnit
from qidguard.core.dates.reading import read_dates
from qidguard.core.errors import UnreachableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from qidguard.core.column import ColumnValues
    from qidguard.engines.base import Snapshot
    from qidguard.policy.series import Series
    from qidguard.trials.context import TrialContext
    from qidguard.trials.stages import AuditedCopy


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
        coarsest = DateUnit.MONTH if field == "exit_on" else DateUnit.DAY
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


_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, kw_only=True)
class RecordStay:
    """What the columns of a series tell of each record's person, as ``EarlierPersons`` counts it.

    Args:
        gone: Shape (records,), releases without the person among the present, this one counted.
        waited: Shape (records,), earlier releases since the person came; ``UNKNOWN`` where nobody says.
        exit_wave: Shape (records,), releases until the person is known to leave, or ``UNKNOWN``.
        faults: What keeps the columns from being read, one sentence each.
    """

    gone: "NDArray[np.int64]"
    waited: "NDArray[np.int64]"
    exit_wave: "NDArray[np.int64]"
    faults: tuple[str, ...] = ()

    def before_any_release(self) -> EarlierPersons:
        """Return what is known of the records where nothing was released yet: who left is not present."""
        known = EarlierPersons.of_first(len(self.gone))
        return replace(known, gone=self.gone, exit_wave=self.exit_wave)


def stay_of(
    snapshot: "Snapshot",
    series: "Series",
    person: "NDArray[np.int64]",
    released: "Sequence[date]",
    today: "date",
) -> RecordStay:
    """Return the stay of each record's person.

    Args:
        snapshot: The table.
        series: Which columns tell.
        person: Shape (records,), the persons, numbered from 0.
        released: The day of each earlier release, UTC.
        today: The day of this release, UTC.
    """
    read = {field: Days.read(snapshot.column(column), field, today) for field, column in series.places()}
    moments = np.sort(np.array([number_of(day) for day in released], dtype=np.int64))
    unknown = np.full(len(person), UNKNOWN)
    left, came, ends = (read.get(field) for field in ("left_on", "came_on", "exit_on"))
    faults = [fault for days in read.values() for fault in days.faults()]
    faults += () if left is None else _left_faults(left, person, today)
    return RecordStay(
        gone=np.zeros_like(unknown) if left is None else _gone(left.days, moments),
        waited=unknown if came is None else _since(came.days, person, moments),
        exit_wave=unknown if ends is None else _wave(ends.days, person, today),
        faults=tuple(faults),
    )


def first_of_series(context: "TrialContext", source: "AuditedCopy") -> "AuditedCopy":
    """Return a source with who of its persons left, where columns of the policy's series tell.

    Raises:
        UnreachableError: When such a column cannot be read, as in a release.
    """
    series, entity = context.policy.series, context.policy.roles.entity
    if series is None or entity is None or not series.columns:
        return source
    person = np.unique(source.snapshot.column(entity).codes, return_inverse=True)[1].reshape(-1)
    stay = stay_of(source.snapshot, series, person, [], context.today)
    if stay.faults:
        raise UnreachableError(" ".join(stay.faults))
    return replace(source, earlier=stay.before_any_release())


def _gone(days: "NDArray[np.int64]", moments: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return 1 and the releases on the day of leaving or later; 0 for who is here."""
    later = len(moments) - np.searchsorted(moments, days, side="left")
    return np.where(days == NO_DAY, 0, 1 + later)


def _since(
    days: "NDArray[np.int64]", person: "NDArray[np.int64]", moments: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """Return the releases on the day on which a person first came or later."""
    first = by_person(np.where(days == NO_DAY, _NEVER, days), person)[0][person]
    later = len(moments) - np.searchsorted(moments, first, side="left")
    return np.where(first == _NEVER, UNKNOWN, later)


def _wave(days: "NDArray[np.int64]", person: "NDArray[np.int64]", today: "date") -> "NDArray[np.int64]":
    """Return the calendar months from this release's to that of a person's last known exit, ≥ 0."""
    first, last = by_person(days, person)
    is_known = (first != NO_DAY)[person]
    exits = np.where(is_known, last[person], number_of(today))
    months = exits.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    now = (today.year - 1970) * 12 + today.month - 1
    return np.where(is_known, np.maximum(months - now, 0), UNKNOWN)


def _left_faults(left: Days, person: "NDArray[np.int64]", today: "date") -> list[str]:
    faults = []
    first, last = by_person(left.days, person)
    unclear = int((first != last).sum())
    if unclear:
        faults.append(
            f"{unclear:,} persons have records with different days in {left.column!r}, or records with a day"
            " and new ones without, so nobody can tell whether they left; give all records of a person the"
            " same day, and none to who came back."
        )
    later = left.after(today)
    if later:
        faults.append(
            f"{later:,} records have a day after {today.isoformat()} in {left.column!r}, and who has not left"
            " yet is present; leave it empty, and name the column of a known exit as series.exit_on."
        )
    return faults

"""How long persons are here: who left, who waits and who is known to leave, record by record."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.anonymizing.earlier_persons import UNKNOWN, EarlierPersons
from qidguard.anonymizing.run import UnreachableError
from qidguard.trials.stay.days import NO_DAY, Days, by_person, number_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from numpy.typing import NDArray

    from qidguard.engines.base import Snapshot
    from qidguard.policy.series import Series
    from qidguard.trials.context import TrialContext
    from qidguard.trials.stages import Audited

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, kw_only=True)
class Stay:
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
) -> Stay:
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
    return Stay(
        gone=np.zeros_like(unknown) if left is None else _gone(left.days, moments),
        waited=unknown if came is None else _since(came.days, person, moments),
        exit_wave=unknown if ends is None else _wave(ends.days, person, today),
        faults=tuple(faults),
    )


def first_of_series(context: "TrialContext", source: "Audited") -> "Audited":
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

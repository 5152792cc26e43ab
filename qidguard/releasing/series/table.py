"""The table of a release with the leavers of its series, and what is known of the stay of its persons."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qidguard.anonymizing.protocol import NEVER_SHOWN, UNKNOWN, EarlierPersons
from qidguard.core.errors import DataError, InternalError, UserError
from qidguard.core.files import PrivateFolder
from qidguard.engines.base import ReadOptions
from qidguard.engines.linked import LinkedTables, linked_copy
from qidguard.engines.series import of_series
from qidguard.releasing.history.earlier import followed_over
from qidguard.releasing.history.followed import at_places, places_in
from qidguard.releasing.history.keyed_bytes import as_texts
from qidguard.releasing.history.past import earlier_release, of_persons
from qidguard.releasing.series.state import (
    KeptRecords,
    SeriesState,
    StateError,
    StateFolder,
    read_state,
)
from qidguard.trials.stay import RecordStay, stay_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.core.report import AuditReport
    from qidguard.engines.base import Snapshot
    from qidguard.ledger import TypedEntry
    from qidguard.ledger.payloads import Releasing
    from qidguard.policy.series import Series
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.history.past import Past


@dataclass(frozen=True, kw_only=True)
class SeriesTable:
    """A table beside which the series of its data set is known.

    Args:
        snapshot: Its records, and after them the last records of leavers, where a state keeps these.
        persons: Shape (records,), keyed hashes of the records' persons.
        stay: What is known of their stay.
        earlier: The earlier releases of persons, oldest first.
        is_joined: Whether the snapshot was made here, to be closed with this.
        state_of: The release whose state was read; None where none was.
        leavers: Persons whose last records came from the state.
        leaver_records: How many records these are.
        notes: Sentences worth reading.
        faults: What keeps the series from going on, one sentence each.
    """

    snapshot: "Snapshot"
    persons: "NDArray[np.bytes_]"
    stay: RecordStay
    earlier: "tuple[TypedEntry[Releasing], ...]"
    is_joined: bool = False
    state_of: str | None = None
    leavers: int = 0
    leaver_records: int = 0
    notes: tuple[str, ...] = field(default=())
    faults: tuple[str, ...] = field(default=())

    def earlier_persons(self, context: "ReleaseContext", report: "AuditReport") -> EarlierPersons:
        """Return what earlier releases showed of the table's persons, over the combinations of a report."""
        releases = [earlier_release(context, entry) for entry in self.earlier]
        shown = followed_over(releases, [summary.qids for summary in report.summaries])
        place = places_in(shown.persons, self.persons)
        is_missing = ~np.isin(shown.persons, self.persons)
        waited = np.where((place >= 0) | (self.stay.gone > 0), 0, self.stay.waited)
        return EarlierPersons(
            releases=len(releases),
            trajectory=at_places(shown.joint, place, NEVER_SHOWN),
            is_in_last=at_places(shown.is_in_last, place, other=False),
            gone=self.stay.gone,
            waited=waited if releases else np.zeros_like(waited),
            exit_wave=self.stay.exit_wave,
            missing=shown.joint[is_missing],
            is_missing_in_last=shown.is_in_last[is_missing],
        )

    def close(self) -> None:
        """Remove the copy that was made for the leavers."""
        if self.is_joined:
            self.snapshot.close()


def series_table(context: "ReleaseContext", snapshot: "Snapshot", past: "Past") -> SeriesTable:
    """Return a table with the leavers of its series.

    With ``series.left_on`` they are records of it already. With ``series.state`` the last records of
    everybody whom the last release showed and who is absent now are appended to it.

    Raises:
        UserError: When the state's folder cannot be used, or the engine makes no series.
        DataError: When a record has no entity.
    """
    series, entity = context.policy.series, context.policy.roles.entity
    if series is None or entity is None:
        raise InternalError("a series was to go on that the policy does not have")
    persons = as_texts(of_series(snapshot, context.policy.engine).keyed_persons(entity, context.history_key))
    earlier = of_persons(past.begun)
    stay = stay_of(
        snapshot,
        series,
        np.unique(persons, return_inverse=True)[1].reshape(-1),
        [entry.at.date() for entry in past.of_series],
        context.today,
    )
    table = SeriesTable(snapshot=snapshot, persons=persons, stay=stay, earlier=earlier, faults=stay.faults)
    if series.state is None or stay.faults or not past.of_series:
        return table
    return _with_state(context, series, table, past.of_series[-1])


def _with_state(
    context: "ReleaseContext", series: "Series", table: SeriesTable, last: "TypedEntry[Releasing]"
) -> SeriesTable:
    """Return the table with what the last release kept."""
    promised = last.payload
    if promised.state is None:
        note = (
            f"Release {promised.release_id} kept no state, so whoever left since then goes at once, and"
            " nobody knows who waits since when."
        )
        return replace(table, notes=(note,))
    folder = StateFolder.of(context, last.data_set)
    assert folder is not None  # noqa: S101 - the policy names one
    place = folder.file(promised.release_id, promised.audit_id)
    private = PrivateFolder(context.settings.spill_directory)
    try:
        state, records = read_state(place, promised.state, private.path)
        return _joined(context, series, table, state, records)
    except StateError as fault:
        sentence = (
            f"The state of release {promised.release_id}, {str(place)!r}, {fault}, so nobody knows the last"
            " values of who left; restore that file from a copy, or go on with series.left_on."
        )
        return replace(table, faults=(sentence,))
    finally:
        private.remove()


def _joined(
    context: "ReleaseContext", series: "Series", table: SeriesTable, state: SeriesState, records: KeptRecords
) -> SeriesTable:
    try:
        kept = _kept_snapshot(context, table.snapshot, records)
    except DataError as fault:
        return replace(table, faults=(_does_not_fit(state, fault),))
    return _with_leavers(context, series, table, state, kept)


def _kept_snapshot(context: "ReleaseContext", present: "Snapshot", records: KeptRecords) -> "Snapshot":
    """Return the records of a state, linked as today's policy says where there are several tables.

    Raises:
        DataError: When they are of other tables or columns than the present ones.
    """
    engine, options, settings = context.engine, ReadOptions(format="parquet"), context.settings
    linked = linked_copy(present)
    names = () if linked is None else tuple(child.table.name for child in linked.children)
    if lacking := sorted(set(names) ^ set(records.tables)):
        raise DataError(f"only one of the two has the table {lacking[0]!r}")
    if linked is None:
        alone: Snapshot = engine.snapshot(str(records.persons), options, settings)
        return alone
    for child in linked.children:
        kept = engine.column_names(str(records.tables[child.table.name]), options, settings)
        if lacking := sorted(set(kept) ^ set(child.records.names)):
            raise DataError(f"only one of the two tables {child.table.name!r} has the column {lacking[0]!r}")
    files = {linked.source.persons.name: records.persons, **records.tables}
    source = LinkedTables(
        tables=tuple(
            replace(one, source=str(files[one.name]), read=options, decided=None)
            for one in linked.source.tables
        ),
        shift_days=linked.source.shift_days,
    )
    several: Snapshot = engine.snapshot(source, options, settings)
    return several


def _does_not_fit(state: SeriesState, fault: DataError) -> str:
    said = str(fault).rstrip(".")
    # what tells more than other columns or types says what to do
    if ";" not in said:
        said += f"; give the table the columns and types that it had in release {state.release_id}"
    return f"The last records of who left cannot stand in this table: {said}."


def _with_leavers(
    context: "ReleaseContext", series: "Series", table: SeriesTable, state: SeriesState, snapshot: "Snapshot"
) -> SeriesTable:
    """Return the table with those of a state's persons who are not in it; the state's snapshot is closed."""
    entity, key = str(context.policy.roles.entity), context.history_key
    with snapshot as kept:
        persons = as_texts(of_series(kept, context.policy.engine).keyed_persons(entity, key))
        has_left = ~np.isin(persons, table.persons)
        if series.erased is not None:
            has_left &= ~_erased(context, series.erased, kept, entity)
        stay = table.stay
        if series.came_on is None:
            stay = replace(stay, waited=state.waiting.number(table.persons, other=-1) + 1)
        if not has_left.any():
            return replace(table, stay=stay, state_of=state.release_id)
        linked = linked_copy(kept)
        with kept.keep(has_left) if linked is None else linked.of_persons(has_left) as leavers:
            try:
                both = of_series(table.snapshot, context.policy.engine).with_records(leavers)
            except DataError as fault:
                return replace(table, faults=(_does_not_fit(state, fault),))
        gone = persons[has_left]
        note = (
            f"The table has {len(gone):,} last records of {len(np.unique(gone)):,} persons who left, as"
            f" release {state.release_id} kept them; which of them are published, the remedy says."
        )
        return replace(
            table,
            snapshot=both,
            persons=np.concatenate([table.persons, gone]),
            stay=_extended(stay, state.left.number(gone, other=0) + 1),
            is_joined=True,
            state_of=state.release_id,
            leavers=len(np.unique(gone)),
            leaver_records=len(gone),
            notes=(note,),
        )


def _extended(stay: RecordStay, gone: "NDArray[np.int64]") -> RecordStay:
    """Return the stay of the table's persons and, after them, of leavers."""
    unknown = np.full(len(gone), UNKNOWN)
    return replace(
        stay,
        gone=np.concatenate([stay.gone, gone]),
        waited=np.concatenate([stay.waited, np.zeros_like(gone)]),
        exit_wave=np.concatenate([stay.exit_wave, unknown]),
    )


def _erased(context: "ReleaseContext", written: str, kept: "Snapshot", entity: str) -> "NDArray[np.bool_]":
    """Return which records are of persons whose last values may not be used."""
    place = context.policy.resolve(written)
    try:
        lines: Sequence[str] = Path(place).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise UserError(
            f"The file {place!r}, which series.erased names, cannot be read; correct its name or its rights."
        ) from None
    named = {line.strip() for line in lines if line.strip()}
    column = kept.column(entity)
    is_named = np.array([text in named for text in column.texts], dtype=np.bool_)
    return is_named[column.codes]

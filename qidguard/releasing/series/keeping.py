"""Keep the state of a release before the ledger promises it, and remove what newer releases made needless."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qidguard.anonymizing.earlier_persons import NEVER_SHOWN
from qidguard.core.private_folder import PrivateFolder
from qidguard.engines.linked import linked_copy
from qidguard.engines.series import of_series
from qidguard.releasing.history.past import read_past
from qidguard.releasing.series.state import Counted, KeptRecords, State
from qidguard.releasing.series.state_folder import StateFolder
from qidguard.releasing.series.trajectories import as_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.anonymizing.earlier_persons import EarlierPersons
    from qidguard.engines.base import Snapshot
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.series.table import SeriesTable

_KEPT_STATES = 2
"""The state of the newest release, and the one before it."""


@contextmanager
def kept_state(
    context: "ReleaseContext",
    series: "SeriesTable | None",
    earlier: "EarlierPersons | None",
    published: "Snapshot",
) -> Iterator[str | None]:
    """Write the state of what is about to be published, and yield its digest while the promise is made.

    Nobody sweeps the folder meanwhile. What is left behind where no promise comes of it, the next release
    removes. None where the policy keeps no state.

    Raises:
        UserError: When the state's folder cannot be used.
    """
    folder = StateFolder.of(context, context.data_set)
    if folder is None or series is None or earlier is None:
        yield None
        return
    with folder.alone():
        yield _written(context, folder, series, earlier, published)


def _written(
    context: "ReleaseContext",
    folder: StateFolder,
    series: "SeriesTable",
    earlier: "EarlierPersons",
    published: "Snapshot",
) -> str:
    entity = str(context.policy.roles.entity)
    shown = of_series(published, context.policy.engine).keyed_persons(entity, context.history_key)
    is_shown = np.isin(series.persons, as_texts(shown))
    is_gone = earlier.gone > 0
    waits = ~is_shown & ~is_gone & (earlier.trajectory == NEVER_SHOWN)
    state = State(
        data_set=context.data_set,
        release_id=context.release_id,
        audit_id=context.audit_id,
        left=Counted.of(series.persons[is_shown & is_gone], earlier.gone[is_shown & is_gone]),
        waiting=Counted.of(series.persons[waits], np.maximum(earlier.waited[waits], 0)),
    )
    private = PrivateFolder(context.settings.spill_directory)
    try:
        return folder.write(state, _records(series.snapshot, is_shown, private.path))
    finally:
        private.remove()


def _records(snapshot: "Snapshot", is_shown: "NDArray[np.bool_]", folder: Path) -> KeptRecords:
    """Write the records of the persons who are shown, of every table, and return where they are.

    What is made of records of other tables is made of them again when they are read.
    """
    persons, linked = folder / "records.parquet", linked_copy(snapshot)
    if linked is None:
        with snapshot.keep(is_shown) as kept:
            kept.write(persons, kept.names, "parquet", seed=None)
        return KeptRecords(persons=persons)
    tables = {}
    with linked.of_persons(is_shown) as kept:
        own = [name for name in kept.names if name not in linked.source.made]
        kept.write(persons, own, "parquet", seed=None)
        of_kept = linked_copy(kept)
        for place, child in enumerate(() if of_kept is None else of_kept.children):
            path = tables[child.table.name] = folder / f"table_{place}.parquet"
            child.records.write(path, child.records.names, "parquet", seed=None)
    return KeptRecords(persons=persons, tables=tables)


def sweep_states(context: "ReleaseContext") -> None:
    """Remove states but those of the two newest releases; called when the newest one is confirmed."""
    folder = StateFolder.of(context, context.data_set)
    if folder is None:
        return
    begun = read_past(context.ledger, context.data_set).begun
    kept = {entry.payload.audit_id for entry in begun[-_KEPT_STATES:]}
    folder.sweep(kept, lambda audit_id: context.ledger.entry(audit_id) is not None)

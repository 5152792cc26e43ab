"""Publish what was decided: write, compare, attest, promise in the ledger, publish in one step, confirm."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qidguard.anonymizing.protocol import NEVER_SHOWN
from qidguard.core.errors import InternalError, QidguardError, UserError
from qidguard.core.files import PrivateFolder
from qidguard.core.held_signals import last_word
from qidguard.engines.base import KeyedClasses
from qidguard.engines.linked import linked_copy
from qidguard.engines.series import of_series
from qidguard.evidence.verify import verify_release
from qidguard.ledger import TypedEntry, new_entry, read
from qidguard.ledger.payloads import Audited, PromisedFile, Releasing
from qidguard.releasing.deciding.decide import Decided
from qidguard.releasing.deciding.exception import approvals_of
from qidguard.releasing.history.counted_releases import is_overtaken, ledger_releases
from qidguard.releasing.history.earlier import values_name
from qidguard.releasing.history.keyed_bytes import as_texts, classes_bytes, columns_bytes
from qidguard.releasing.history.past import (
    abandon,
    confirm,
    follows,
    history_key_id,
    keyed_classes_of,
    normalized_as,
    read_past,
)
from qidguard.releasing.publishing.attest import EvidenceDigests, write_evidence
from qidguard.releasing.publishing.destination import Staging
from qidguard.releasing.publishing.files import write_files
from qidguard.releasing.series.state import KeptRecords, PersonCounts, SeriesState, StateFolder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from qidguard.anonymizing.protocol import EarlierPersons
    from qidguard.core.held_signals import LastWord
    from qidguard.engines.base import Snapshot
    from qidguard.ledger import Reader
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.series.table import SeriesTable


class OvertakenError(UserError):
    """What the decision rests on changed meanwhile: another release came first, or an exception ended."""

    is_transient = True


class BeingPublishedError(UserError):
    """Another run is publishing this very release."""

    is_transient = True

    @classmethod
    def of(cls, context: "ReleaseContext") -> "BeingPublishedError":
        """Return the error for the release that was asked for."""
        return cls(
            f"Release {context.release_id!r} of {context.data_set!r} is being published by another run; wait"
            " for it, then run it again."
        )


@dataclass(frozen=True, kw_only=True)
class WrittenRelease:
    """What was written of a release, before it is promised."""

    evidence: EvidenceDigests
    persons: KeyedClasses
    classes: bytes
    columns: bytes
    qids: dict[str, list[str]]


def promise(
    context: "ReleaseContext",
    decided: Decided,
    staging: Staging,
    written: WrittenRelease,
    source_sha256: str,
    state: str | None,
) -> TypedEntry[Releasing]:
    """Record that this release is about to be published; from here on it counts, whatever happens.

    ``state`` is the digest of what is kept privately for the next release of its series.
    """
    evidence, told = written.evidence, decided.report.new_table
    followed = () if told is not None else tuple(follows(context, decided.judged.snapshot))
    releasing = Releasing(
        audit_id=context.audit_id,
        release_id=context.release_id,
        destination=context.place.label,
        address=context.place.address(context.data_set, context.release_id),
        token=staging.token,
        place=context.place.identity(),
        files=tuple(PromisedFile(name=f.name, bytes=f.bytes, sha256=f.sha256) for f in evidence.files),
        manifest_sha256=evidence.manifest_sha256,
        attestation_sha256=evidence.attestation_sha256,
        policy_sha256=context.policy.digest,
        source_sha256=source_sha256,
        options_sha256=context.options_digest,
        outcome=decided.outcome.value,
        exceptions=tuple(approval.id for approval in decided.approvals),
        key_id=None if context.key is None else context.key.public.id,
        history_key=history_key_id(context.history_key),
        follows=followed,
        qids={name: tuple(qids) for name, qids in written.qids.items()},
        classes=sha256(written.classes).hexdigest(),
        columns=sha256(written.columns).hexdigest(),
        records=decided.report.records,
        new_table=None if told is None else told.kind.value,
        state=state,
        together=None if told is not None else decided.counted.alike,
        normalized=normalized_as(context, followed),
    )

    def guard(reader: "Reader") -> None:
        if context.release_id in read_past(reader, context.data_set).ids:
            raise BeingPublishedError.of(context)
        held = {approval.id for approval in approvals_of(context, reader)}
        if not {approval.id for approval in decided.approvals} <= held:
            raise OvertakenError("An exception that let this release through was revoked meanwhile.")
        now = ledger_releases(context, reader, source_sha256)
        table = None if told is not None else (written.persons, written.qids)
        if is_overtaken(context, now, decided.known, reader, table):
            raise OvertakenError(
                f"Another release of {context.data_set!r}, or of its persons, was published meanwhile, so"
                " this one must be judged anew; run it again."
            )

    with context.step("recording"):
        entry = context.ledger.append(
            new_entry(
                releasing,
                entry_id=f"releasing-{context.audit_id}",
                data_set=context.data_set,
                at=context.clock(),
            ),
            attachments=(written.classes, written.columns),
            guard=guard,
        )
    return read(entry, Releasing)


@dataclass(frozen=True, kw_only=True)
class PublishedAt:
    """Where a release is, whether the ledger says so, and sentences worth reading."""

    address: str
    is_confirmed: bool
    notes: tuple[str, ...]


def publish(
    context: "ReleaseContext", decided: Decided, audited: TypedEntry[Audited], source_sha256: str
) -> PublishedAt:
    """Publish a decision that let the release through.

    From the rename on signals that ask to stop are held, so that what was published is confirmed and said.

    Raises:
        OvertakenError: When another release of the data set came first.
        UserError: When the destination cannot be written, or holds a release of this name.
        LedgerError: When the release cannot be recorded; nothing is published then.
        InternalError: When it is published and the system could not say that it is lasting.
    """
    if decided.transformed is None and context.remedy is not None and context.remedy.is_always:
        raise InternalError("a table was to be published without the remedy that is always applied")
    if decided.receipt is not None and decided.receipt.is_rehearsal:
        raise InternalError("a rehearsal was to be published")
    with last_word() as word:
        staging = context.place.stage(context.data_set, context.release_id)
        promised, copy = None, decided.judged.snapshot
        try:
            try:
                written = _write(context, decided, staging, audited)
                with kept_state(context, decided.series, decided.source.earlier, copy) as state:
                    promised = promise(context, decided, staging, written, source_sha256, state)
                with context.step("publishing"):
                    staging.settle()
                    with context.place.locked():
                        _look_again(context)
                        word.hold()
                        address = staging.publish()
            finally:
                staging.discard()
        except (QidguardError, OSError) as error:
            if promised is not None:
                _give_up(context, promised, error)
            word.let_go()
            raise
        return _confirmed(context, promised, address, word)


def _look_again(context: "ReleaseContext") -> None:
    """Raise OvertakenError where a release came to the destination that this ledger does not know."""
    here = context.place.release_ids(context.data_set)
    if set(here) - set(read_past(context.ledger, context.data_set).ids):
        raise OvertakenError(
            f"Another ledger's run published a release of {context.data_set!r} at {context.place.label!r}"
            " meanwhile, so this one must be judged anew; run it again."
        )


def _confirmed(
    context: "ReleaseContext", promised: TypedEntry[Releasing], address: str, word: "LastWord"
) -> PublishedAt:
    """Confirm in the ledger what is published, and say what came in between."""
    notes: tuple[str, ...] = ()
    try:
        with context.step("confirming"):
            confirm(context, promised)
    except (QidguardError, OSError) as error:
        note = (
            "It is published and not confirmed in the ledger; run the same release again with the id"
            f" {context.release_id}, which confirms it and publishes nothing twice. {error}"
        )
        return PublishedAt(address=address, is_confirmed=False, notes=(note,))
    if word.is_asked_to_stop:
        notes = ("It was asked to stop when the release was out already; it is published and confirmed.",)
    with suppress(QidguardError, OSError):  # what is left there the next release removes
        sweep_states(context)
    return PublishedAt(address=address, is_confirmed=True, notes=notes)


def _give_up(context: "ReleaseContext", promised: TypedEntry[Releasing], error: Exception) -> None:
    """Abandon a promise that came to nothing; leave one that may be fulfilled to the next run."""
    digest = context.place.manifest_digest(context.data_set, context.release_id)
    if digest == promised.payload.manifest_sha256:
        raise InternalError(
            f"Release {context.release_id} stands complete at {promised.payload.address!r}, but the system"
            f" could not say that it is lasting: {error} Run the same release again with this id, which"
            " confirms it."
        ) from None
    if digest is None:
        abandon(context, promised, "it could not be published")


def _write(
    context: "ReleaseContext", decided: Decided, staging: Staging, audited: TypedEntry[Audited]
) -> WrittenRelease:
    snapshot = decided.judged.snapshot
    files = write_files(context, decided, staging.folder)
    with context.step("attesting"):
        evidence = write_evidence(context, staging.folder, decided, files, audited)
        _verify(context, staging)
        qids = {summary.combination: list(summary.qids) for summary in decided.report.summaries}
        classes = (
            _nobody(qids)
            if decided.report.new_table is not None
            else keyed_classes_of(context, snapshot, qids | _sensitive(decided, files.columns))
        )
        kept = snapshot.keyed_columns(
            files.columns, context.history_key, suppression_mark=context.policy.source.suppression_mark
        )
    return WrittenRelease(
        evidence=evidence,
        persons=classes,
        classes=classes_bytes(classes),
        columns=columns_bytes(kept),
        qids=qids,
    )


def _sensitive(decided: Decided, published: "Sequence[str]") -> dict[str, list[str]]:
    """Return what is kept beside the classes: of each sensitive attribute whose value each person has."""
    columns = decided.report.columns
    names = {one.facts.name for one in columns if one.assignment.is_sensitive}
    return {values_name(name): [name] for name in published if name in names}


def _nobody(qids: "Mapping[str, Sequence[str]]") -> KeyedClasses:
    """Return the persons of a new table, in which nobody has a record."""
    none = np.zeros((0, 16), dtype=np.uint8)
    return KeyedClasses(
        persons=none,
        classes=dict.fromkeys(qids, none),
        class_of=dict.fromkeys(qids, np.zeros(0, dtype=np.int64)),
    )


def _verify(context: "ReleaseContext", staging: Staging) -> None:
    """Check the staged release the way anybody will: from the folder and the public key alone."""
    keys = () if context.key is None else (context.key.public,)
    verification = verify_release(
        str(staging.folder),
        keys=keys,
        is_unsigned_allowed=context.key is None,
        data_set=context.data_set,
        release_id=context.release_id,
    )
    if verification.faults:
        raise InternalError(
            f"What was written is not what was audited, so nothing was published:"
            f" {verification.faults[0]}; check the disk and run it again."
        )


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
    state = SeriesState(
        data_set=context.data_set,
        release_id=context.release_id,
        audit_id=context.audit_id,
        left=PersonCounts.of(series.persons[is_shown & is_gone], earlier.gone[is_shown & is_gone]),
        waiting=PersonCounts.of(series.persons[waits], np.maximum(earlier.waited[waits], 0)),
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

"""Publish what was decided: write, compare, attest, promise in the ledger, publish in one step, confirm."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.core.errors import ExitCode, InternalError, QidguardError, UserError
from qidguard.core.last_word import last_word
from qidguard.ledger import TypedEntry, new_entry, read
from qidguard.ledger.payloads import Audited, PromisedFile, Releasing
from qidguard.releasing.deciding.decide import Decided
from qidguard.releasing.deciding.exception import valid_approvals
from qidguard.releasing.history.earlier import classes_bytes, columns_bytes
from qidguard.releasing.history.past import abandon, confirm, follows, history_key_id, read_past
from qidguard.releasing.history.series import data_sets_of
from qidguard.releasing.history.unrelated import meets_newer
from qidguard.releasing.publishing.attest import Evidence, write_evidence
from qidguard.releasing.publishing.destination import Staging
from qidguard.releasing.publishing.order import order_seed

if TYPE_CHECKING:
    from qidguard.core.last_word import LastWord
    from qidguard.engines.base import KeyedClasses
    from qidguard.ledger import Entry, Reader
    from qidguard.releasing.context import ReleaseContext


class OvertakenError(UserError):
    """What the decision rests on changed meanwhile: another release came first, or an exception ended."""

    exit_code = ExitCode.BLOCKED
    is_transient = True


class BeingPublishedError(UserError):
    """Another run is publishing this very release."""

    exit_code = ExitCode.BLOCKED
    is_transient = True


@dataclass(frozen=True, kw_only=True)
class _Written:
    evidence: Evidence
    persons: "KeyedClasses"
    classes: bytes
    columns: bytes
    qids: dict[str, list[str]]


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
    with last_word() as word:
        staging = context.place.stage(context.data_set, context.release_id)
        promised = None
        try:
            try:
                written = _write(context, decided, staging, audited)
                promised = _promise(context, decided, staging, written, source_sha256)
                _step(context, "publishing", 0)
                staging.settle()
                with context.place.locked():
                    _look_again(context)
                    word.hold()
                    address = staging.publish()
                _step(context, "publishing", 1)
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
    _step(context, "confirming", 0)
    try:
        confirm(context, promised)
    except (QidguardError, OSError) as error:
        note = (
            "It is published and not confirmed in the ledger; run the same release again with the id"
            f" {context.release_id}, which confirms it and publishes nothing twice. {error}"
        )
        return PublishedAt(address=address, is_confirmed=False, notes=(note,))
    _step(context, "confirming", 1)
    if word.is_asked_to_stop:
        notes = ("It was asked to stop when the release was out already; it is published and confirmed.",)
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
) -> _Written:
    assert decided.selection is not None  # noqa: S101 - what is let through has columns
    snapshot, columns = decided.judged.snapshot, decided.selection.published
    kind = context.policy.release.format or snapshot.format
    name = f"{context.data_set}.{kind}"
    _step(context, "writing", 0)
    is_kept = context.policy.release.keep_order
    seed = None if is_kept else order_seed(context.seed, context.history_key)
    snapshot.write(staging.folder / name, columns, kind, seed=seed)
    _step(context, "writing", 1)
    _step(context, "attesting", 0)
    known = snapshot.types()
    types = {name: "VARCHAR" if kind == "csv" else known[name] for name in columns}
    evidence = write_evidence(context, staging.folder, decided, types, audited)
    _verify(context, staging)
    qids = {summary.combination: list(summary.qids) for summary in decided.report.summaries}
    classes = snapshot.keyed_classes(
        qids, context.policy.roles.entity, context.history_key, followed=follows(context, snapshot)
    )
    kept = snapshot.keyed_columns(
        columns, context.history_key, suppression_mark=context.policy.source.suppression_mark
    )
    _step(context, "attesting", 1)
    return _Written(
        evidence=evidence,
        persons=classes,
        classes=classes_bytes(classes),
        columns=columns_bytes(kept),
        qids=qids,
    )


def _verify(context: "ReleaseContext", staging: Staging) -> None:
    """Check the staged release the way anybody will: from the folder and the public key alone."""
    from qidguard.evidence.verify import verify_release

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


def _promise(
    context: "ReleaseContext", decided: Decided, staging: Staging, written: _Written, source_sha256: str
) -> TypedEntry[Releasing]:
    """Record that this release is about to be published; from here on it counts, whatever happens."""
    from hashlib import sha256

    evidence = written.evidence
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
        follows=tuple(follows(context, decided.judged.snapshot)),
        qids={name: tuple(qids) for name, qids in written.qids.items()},
        classes=sha256(written.classes).hexdigest(),
        columns=sha256(written.columns).hexdigest(),
        records=decided.report.records,
    )

    def guard(reader: "Reader") -> None:
        if context.release_id in read_past(reader, context.data_set).ids:
            raise BeingPublishedError(
                f"Release {context.release_id!r} of {context.data_set!r} is being published by another"
                " run; wait for it."
            )
        held = {
            a.id
            for a in valid_approvals(
                _exceptions(reader, context), context.policy, context.data_set, context.today
            )
        }
        if not {approval.id for approval in decided.approvals} <= held:
            raise OvertakenError("An exception that let this release through was revoked meanwhile.")
        if _is_overtaken(context, decided, written, reader, source_sha256):
            raise OvertakenError(
                f"Another release of {context.data_set!r} was published meanwhile, so this one must be judged"
                " anew; run it again."
            )

    _step(context, "recording", 0)
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
    _step(context, "recording", 1)
    return read(entry, Releasing)


def _is_overtaken(
    context: "ReleaseContext", decided: Decided, written: _Written, reader: "Reader", source_sha256: str
) -> bool:
    """Whether the ledger got a release since that the decision had to look at."""
    if context.policy.release.earlier_releases == "unrelated":
        return meets_newer(reader, written.persons, decided.known)
    now = read_past(reader, *data_sets_of(reader, context, source_sha256))
    return bool({entry.id for entry in now.begun} - decided.known)


def _exceptions(reader: "Reader", context: "ReleaseContext") -> list["Entry"]:
    return list(reader.entries(data_set=context.data_set, kinds={"exception", "revoked"}))


def _step(context: "ReleaseContext", title: str, done: int) -> None:
    context.progress.step(title, done, 1)

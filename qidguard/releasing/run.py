"""One release: snapshot, audit, remedy, record, publish. Nothing is published that was not audited."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.core.held_signals import last_word
from qidguard.core.progress import SILENT, Progress
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.evidence.canonical import canonical_bytes
from qidguard.evidence.verify import verify_release
from qidguard.ledger import TypedEntry, new_entry, read
from qidguard.ledger.payloads import Audited, Releasing
from qidguard.releasing.context import UNKNOWN_DIGEST, ReleaseContext, new_audit_id, policy_used, responsible
from qidguard.releasing.deciding.advising import advising_on, recorded_with_advice
from qidguard.releasing.deciding.check import failures_recorded
from qidguard.releasing.deciding.checked_entry import recorded_verdict
from qidguard.releasing.deciding.decide import Decided, decide, with_signature
from qidguard.releasing.deciding.exception import approvals_of
from qidguard.releasing.history.past import read_past, settle
from qidguard.releasing.opening import population_kept, release_context
from qidguard.releasing.publishing.publish import (
    BeingPublishedError,
    OvertakenError,
    PublishedAt,
    publish,
)
from qidguard.releasing.publishing.record import internal_record
from qidguard.releasing.result import Outcome, Release
from qidguard.rendering.document import audit_document

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.advising.asking import TriedAdvice
    from qidguard.engines.base import Snapshot
    from qidguard.host import Host
    from qidguard.policy import Policy


ATTEMPTS = 10
"""How often a release is judged when others of the same data set are published meanwhile."""


def release(  # noqa: PLR0913 - one argument for each thing that a caller may say
    source: Any,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    *,
    to: str | None = None,
    data_set: str | None = None,
    release_id: str | None = None,
    ledger: str | None = None,
    key: str | None = None,
    passphrase: str | None = None,
    home: str | None = None,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    host: "Host | None" = None,
    seed: int | None = None,
    progress: Progress = SILENT,
    origin: Mapping[str, str] | None = None,
    has_advice: bool = False,
    now: datetime | None = None,
) -> Release:
    """Audit a table and publish it, only if its policy holds; record what was decided either way.

    The source is copied once; what is audited and what is published are both made from that copy. The
    published files are compared with it, hashed, attested, promised in the ledger and then published in one
    step: a rename, or the manifest where a store has none. A process that dies at any point leaves a
    complete release or none. Ctrl-C and SIGTERM that come when it is out already wait until it is confirmed.

    Args:
        source: What ``qidguard.audit`` takes. It is never changed.
        policy: A policy, its path, or a mapping with the same fields.
        to: A folder outside of the home folder, or a URL of fsspec; None takes the policy's
            ``release.destination``.
        data_set: The name under which releases are kept; None takes the policy's or the file's.
        release_id: The release's own name, so that a repeated run publishes once; None makes a new one.
        ledger: The ledger's URL; None takes QIDGUARD_LEDGER, or a SQLite file in the home folder.
        key: The file of the signing key; None takes QIDGUARD_KEY, or the home folder's key if there is one.
        passphrase: Opens the signing key.
        home: The folder of keys and ledger; None takes QIDGUARD_HOME or the user's own.
        read: How the source is read; None takes what the policy says.
        settings: Memory limit, threads and spill directory; None takes what the policy says.
        host: The plugins to use; None takes the installed ones.
        seed: Mixed with the history key it seeds the remedy and the records' order; None draws one that
            nobody can guess.
        progress: Hears of finished steps.
        origin: What started it, such as the door, the DAG and the run of a schedule; the ledger keeps it.
        has_advice: Whether a release that thresholds block is recorded with what would make it pass, for at
            most a minute; ``Release.advice`` gives it then, else computes it when it is asked for.
        now: The moment of the release; None takes the clock's.

    Returns:
        What came of it. A blocked release is a result, no error.

    Units:
        Figures in the report carry their own unit.

    Raises:
        DataError: When the source cannot be read without guessing.
        PolicyError: When the policy is not valid or does not fit the table.
        PluginError: When the policy needs a plugin that is broken or missing.
        UserError: When another argument is wrong, or the destination cannot be written.
        LedgerError: When the ledger cannot be written, so that nothing is published.

    NULL in a quasi-identifier is a group of its own. A source without a record is a DataError. A table of a
    single class is judged like any other.

    Example:
        >>> import pandas as pd, qidguard, tempfile
        >>> table = pd.DataFrame({"sex": ["f", "f", "m", "m"], "age": [30, 30, 41, 41]})
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["sex", "age"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        ...     "release": {"data_set": "people"},
        ... }
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = qidguard.release(table, policy, to=f"{folder}/published", home=f"{folder}/home")
        ...     made.is_published, made.outcome.value
        (True, 'passed')
    """
    asked = release_context(
        source,
        policy,
        to,
        is_published=True,
        data_set=data_set,
        release_id=release_id,
        ledger=ledger,
        key=key,
        passphrase=passphrase,
        home=home,
        read=read,
        settings=settings,
        host=host,
        seed=seed,
        progress=progress,
        origin=origin or {},
        has_advice=has_advice,
        now=now,
    )
    with last_word(), asked as context:
        with context.step("settling"):
            notes = settle(context)
        announced = repeated(context)
        if announced is not None:
            return announced
        with failures_recorded(context, release_id=context.release_id):
            return _released(context, notes)


def _released(context: ReleaseContext, notes: tuple[str, ...]) -> Release:
    with ExitStack() as copies:
        with context.step("copying"):
            snapshot = copies.enter_context(context.snapshot())
            attempted = copies.enter_context(population_kept(context))
            digest = snapshot.source_digest
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return _attempt(attempted, snapshot, digest, notes)
            except OvertakenError:
                if attempt == ATTEMPTS:
                    raise
                attempted = replace(attempted, audit_id=new_audit_id(context.now))
    raise AssertionError("the last attempt returns or raises")  # pragma: no cover - said by the loop


def _attempt(context: ReleaseContext, snapshot: "Snapshot", digest: str, notes: tuple[str, ...]) -> Release:
    decided = decide(context, snapshot, source_sha256=digest, is_signed=True)
    try:
        decided = with_signature(context, decided)
        audited, advised = recorded_with_advice(context, decided, partial(_record, context, decided, digest))
        published: PublishedAt | None = None
        if decided.outcome is not Outcome.BLOCKED:
            published = publish(context, decided, audited, digest)
        return decided.told(
            Release,
            context,
            advised,
            release_id=context.release_id,
            notes=(*notes, *decided.notes, *(() if published is None else published.notes)),
            key_id=None if context.key is None else context.key.public.id,
            address=None if published is None else published.address,
            is_confirmed=published is None or published.is_confirmed,
            advising=advising_on(context, decided),
        )
    finally:
        decided.close()


def _record(
    context: ReleaseContext, decided: Decided, digest: str, tried: "TriedAdvice | None"
) -> TypedEntry[Audited]:
    with context.step("deciding"):
        record = canonical_bytes(internal_record(context, decided, digest, tried))
        audited = recorded_verdict(
            Audited,
            audit_document(decided.report),
            audit_id=context.audit_id,
            release_id=context.release_id,
            outcome=decided.outcome.value,
            exit_code=int(decided.report.exit_code),
            source=context.label,
            source_sha256=digest,
            destination=context.place.label,
            policy=policy_used(context.policy),
            reasons=decided.reasons,
            approvals=decided.approvals,
            tried=tried,
            by=responsible(context.origin),
            record=sha256(record).hexdigest(),
        )
        entry = context.ledger.append(
            new_entry(audited, entry_id=context.audit_id, data_set=context.data_set, at=context.clock()),
            attachments=(record,),
        )
    return read(entry, Audited)


def repeated(context: ReleaseContext) -> Release | None:
    """Return the release that is there under this name already; UserError where it is another one."""
    for entry in read_past(context.ledger, context.data_set).begun:
        promised = entry.payload
        if promised.release_id != context.release_id:
            continue
        _check_not_withdrawn(context, promised)
        _check_same(context, entry)
        _check_in_force(context, promised)
        return Release(
            data_set=entry.data_set,
            release_id=context.release_id,
            audit_id=promised.audit_id,
            outcome=Outcome(promised.outcome),
            report=None,
            address=promised.address,
            key_id=promised.key_id,
            is_repeated=True,
        )
    return None


def _check_not_withdrawn(context: ReleaseContext, promised: Releasing) -> None:
    """Raise UserError where a recorded release was taken back."""
    if context.ledger.entry(f"withdrawn-{promised.audit_id}") is not None:
        raise UserError(
            f"Release {context.release_id!r} of {context.data_set!r} was withdrawn, so it is not announced"
            " again; choose another name."
        )


def _check_in_force(context: ReleaseContext, promised: Releasing) -> None:
    """Raise UserError where what let a recorded release through holds no longer."""
    held = {approval.id for approval in approvals_of(context, context.ledger)}
    if not set(promised.exceptions) <= held:
        raise UserError(
            f"Release {context.release_id!r} of {context.data_set!r} was let through by an exception that no"
            " longer holds; withdraw it, or choose another name."
        )


def _check_same(context: ReleaseContext, entry: TypedEntry[Releasing]) -> None:
    """Raise UserError unless a recorded release is of this source and policy, and stands there whole."""
    promised = entry.payload
    digest = context.engine.source_digest(context.source, context.read)
    mine = (context.place.label, context.policy.digest, digest, context.options_digest)
    theirs = (promised.destination, promised.policy_sha256, promised.source_sha256, promised.options_sha256)
    named = f"Release {context.release_id!r} of {context.data_set!r}"
    if mine != theirs or digest == UNKNOWN_DIGEST:
        raise UserError(
            f"{named} was made from another source, policy or for another destination, or nobody can tell;"
            " choose another name."
        )
    # in this order: what a run that is no longer at work has made was there before it ended
    is_at_work = context.place.is_in_progress(entry.data_set, promised.token, entry.at, context.clock())
    found = context.place.manifest_digest(entry.data_set, context.release_id)
    if found is None and is_at_work:
        raise BeingPublishedError.of(context)
    if found != promised.manifest_sha256:
        raise UserError(
            f"{named} was recorded, but what stands at {promised.address!r} is not it; check it with:"
            " qidguard verify"
        )
    keys = () if context.key is None else (context.key.public,)
    verification = verify_release(promised.address, keys=keys, is_unsigned_allowed=promised.key_id is None)
    if verification.faults:
        raise UserError(
            f"{named} is no longer what was published: {verification.faults[0].rstrip('.')}; look into it."
        )

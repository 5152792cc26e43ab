"""Publish what was decided: write, compare, attest, promise in the ledger, publish in one step, confirm."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import InternalError, QidguardError, UserError
from qidguard.ledger import LedgerError, NewEntry
from qidguard.releasing.attest import Evidence, write_evidence
from qidguard.releasing.decision import Decision
from qidguard.releasing.destination import Staging
from qidguard.releasing.earlier import classes_bytes, columns_bytes
from qidguard.releasing.exception import valid_approvals
from qidguard.releasing.past import RELEASE_KINDS, abandon, confirm, follows, history_key_id, past_of

if TYPE_CHECKING:
    from qidguard.ledger import Entry, Reader
    from qidguard.releasing.job import Job


class OvertakenError(UserError):
    """What the decision rests on changed meanwhile: another release came first, or an exception ended."""

    is_transient = True


class BeingPublishedError(UserError):
    """Another run is publishing this very release."""

    is_transient = True


@dataclass(frozen=True, kw_only=True)
class _Written:
    evidence: Evidence
    classes: bytes
    columns: bytes
    qids: dict[str, list[str]]


def publish(
    job: "Job", decision: Decision, audited: "Entry", source_sha256: str
) -> tuple[str, tuple[str, ...]]:
    """Publish a decision that let the release through, and return its address and sentences worth reading.

    Raises:
        OvertakenError: When another release of the data set came first.
        UserError: When the destination cannot be written, or holds a release of this name.
        LedgerError: When the release cannot be recorded; nothing is published then.
        InternalError: When it is published and the system could not say that it is lasting.
    """
    staging = job.destination.stage(job.data_set, job.release_id)
    promised = None
    try:
        try:
            written = _write(job, decision, staging, audited)
            promised = _promise(job, decision, staging, written, source_sha256)
            _step(job, "publishing", 0)
            staging.settle()
            address = staging.publish()
            _step(job, "publishing", 1)
        finally:
            staging.discard()
    except (QidguardError, OSError) as error:
        if promised is not None:
            _give_up(job, promised, error)
        raise
    _step(job, "confirming", 0)
    try:
        confirm(job, promised)
    except LedgerError as error:
        return address, (f"It is published; the next run will confirm it in the ledger. {error}",)
    _step(job, "confirming", 1)
    return address, ()


def _give_up(job: "Job", promised: "Entry", error: Exception) -> None:
    """Abandon a promise that came to nothing; leave one that may be fulfilled to the next run."""
    found = job.destination.manifest_digest(job.data_set, job.release_id)
    if found == promised.payload["manifest_sha256"]:
        raise InternalError(
            f"Release {job.release_id} stands complete at {promised.payload['address']!r}, but the system"
            f" could not say that it is lasting: {error} The next run will confirm it."
        ) from None
    if found is None:
        abandon(job, promised, "it could not be published")


def _write(job: "Job", decision: Decision, staging: Staging, audited: "Entry") -> _Written:
    assert decision.selection is not None  # noqa: S101 - what is let through has columns
    snapshot, columns = decision.snapshot, decision.selection.published
    kind = job.policy.release.format or snapshot.format
    name = f"{job.data_set}.{kind}"
    _step(job, "writing", 0)
    seed = None if job.policy.release.keep_order else job.seed
    snapshot.write(staging.folder / name, columns, kind, seed=seed)
    _step(job, "writing", 1)
    _step(job, "attesting", 0)
    known = snapshot.types()
    types = {name: "VARCHAR" if kind == "csv" else known[name] for name in columns}
    evidence = write_evidence(job, staging.folder, decision, types, audited)
    _verify(job, staging)
    qids = {summary.combination: list(summary.qids) for summary in decision.report.summaries}
    classes = snapshot.keyed_classes(
        qids, job.policy.roles.entity, job.history_key, followed=follows(job, snapshot)
    )
    kept = snapshot.keyed_columns(
        columns, job.history_key, suppression_mark=job.policy.source.suppression_mark
    )
    _step(job, "attesting", 1)
    return _Written(evidence=evidence, classes=classes_bytes(classes), columns=columns_bytes(kept), qids=qids)


def _verify(job: "Job", staging: Staging) -> None:
    """Check the staged release the way anybody will: from the folder and the public key alone."""
    from qidguard.evidence.verify import verify_release

    keys = () if job.key is None else (job.key.public,)
    found = verify_release(str(staging.folder), keys=keys, is_unsigned_allowed=job.key is None)
    if found.faults:
        raise InternalError(
            f"What was written is not what was audited, so nothing was published: {found.faults[0]}; check"
            " the disk and run it again."
        )


def _promise(
    job: "Job", decision: Decision, staging: Staging, written: _Written, source_sha256: str
) -> "Entry":
    """Record that this release is about to be published; from here on it counts, whatever happens."""
    from hashlib import sha256

    evidence = written.evidence
    payload: dict[str, Any] = {
        "audit_id": job.audit_id,
        "release_id": job.release_id,
        "destination": job.destination.label,
        "address": job.destination.address(job.data_set, job.release_id),
        "token": staging.token,
        "place": job.destination.identity(),
        "files": [{"name": f.name, "bytes": f.bytes, "sha256": f.sha256} for f in evidence.files],
        "manifest_sha256": evidence.manifest_sha256,
        "attestation_sha256": evidence.attestation_sha256,
        "policy_sha256": job.policy.digest,
        "source_sha256": source_sha256,
        "options_sha256": job.options_digest,
        "outcome": decision.outcome.value,
        "exceptions": [approval.id for approval in decision.approvals],
        "key_id": None if job.key is None else job.key.public.id,
        "history_key": history_key_id(job.history_key),
        "follows": follows(job, decision.snapshot),
        "qids": written.qids,
        "classes": sha256(written.classes).hexdigest(),
        "columns": sha256(written.columns).hexdigest(),
        "records": decision.report.records,
    }

    def guard(reader: "Reader") -> None:
        now = past_of(list(reader.entries(data_set=job.data_set, kinds=RELEASE_KINDS)))
        if job.release_id in now.ids:
            raise BeingPublishedError(
                f"Release {job.release_id!r} of {job.data_set!r} is being published by another"
                " run; wait for it."
            )
        held = {a.id for a in valid_approvals(_exceptions(reader, job), job.policy, job.data_set, job.today)}
        if not {approval.id for approval in decision.approvals} <= held:
            raise OvertakenError("An exception that let this release through was revoked meanwhile.")
        is_judged = job.policy.release.earlier_releases != "unrelated"
        if is_judged and set(now.ids) - set(decision.past.ids):
            raise OvertakenError(
                f"Another release of {job.data_set!r} was published meanwhile, so this one must be judged"
                " anew; run it again."
            )

    _step(job, "recording", 0)
    entry = job.ledger.append(
        NewEntry(
            id=f"releasing-{job.audit_id}",
            kind="releasing",
            data_set=job.data_set,
            at=job.clock(),
            payload=payload,
        ),
        attachments=(written.classes, written.columns),
        guard=guard,
    )
    _step(job, "recording", 1)
    return entry


def _exceptions(reader: "Reader", job: "Job") -> list["Entry"]:
    return list(reader.entries(data_set=job.data_set, kinds={"exception", "revoked"}))


def _step(job: "Job", title: str, done: int) -> None:
    job.progress.step(title, done, 1)

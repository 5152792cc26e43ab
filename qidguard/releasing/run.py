"""One release: snapshot, audit, remedy, record, publish. Nothing is published that was not audited."""

from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.evidence.verify import verify_release
from qidguard.ledger import LedgerError, NewEntry
from qidguard.releasing.attest import record_bytes
from qidguard.releasing.decide import approvals_of, decide
from qidguard.releasing.decision import Decision
from qidguard.releasing.failure import attempt_of, record_failure
from qidguard.releasing.job import Job, new_audit_id, responsible
from qidguard.releasing.past import read_past, settle
from qidguard.releasing.prepare import Wishes, prepared
from qidguard.releasing.publish import OvertakenError, publish
from qidguard.releasing.record import internal_record
from qidguard.releasing.result import ChangedError, Outcome, Release
from qidguard.report.document import document

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.policy import Policy
    from qidguard.engines.base import Snapshot
    from qidguard.ledger import Entry

UNKNOWN_DIGEST = "none"
"""The digest of a source that can be read only once."""

ATTEMPTS = 10
"""How often a release is judged when others of the same data set are published meanwhile."""


def release(
    source: Any,
    *,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    to: str | None = None,
    wishes: Wishes | None = None,
    now: datetime | None = None,
) -> Release:
    """Audit a table and publish it, only if its policy holds; record what was decided either way.

    The source is copied once; what is audited and what is published are both made from that copy. The
    published files are compared with it, hashed, attested, promised in the ledger and then published in one
    step: a rename, or the manifest where a store has none. A process that dies at any point leaves a
    complete release or none.

    Args:
        source: What ``qidguard.audit`` takes. It is never changed.
        policy: A policy, its path, or a mapping with the same fields.
        to: A folder or a URL of fsspec; None takes the policy's ``release.destination``.
        wishes: Names, keys, ledger, reading options and all else that has a default.
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
        >>> with tempfile.TemporaryDirectory() as home:
        ...     wishes = qidguard.Wishes(home=home)
        ...     made = qidguard.release(table, policy=policy, to=home + "/published", wishes=wishes)
        ...     made.is_published, made.outcome.value
        (True, 'passed')
    """
    with prepared(source, policy, to, wishes or Wishes(), now) as job:
        _step(job, "settling", 0)
        notes = settle(job)
        _step(job, "settling", 1)
        repeated = _repeated(job)
        if repeated is not None:
            return repeated
        try:
            return _released(job, notes)
        except LedgerError:
            raise
        except Exception as error:
            record_failure(job.ledger, attempt_of(job, release_id=job.release_id), error, job.clock())
            raise


def _released(job: Job, notes: tuple[str, ...]) -> Release:
    _step(job, "copying", 0)
    digest = job.engine.source_digest(job.source, job.options)
    with job.engine.snapshot(job.source, job.options, job.settings) as snapshot:
        _step(job, "copying", 1)
        if job.engine.source_digest(job.source, job.options) != digest:
            raise ChangedError(
                f"The source {job.label!r} changed while it was read, so nothing was published; wait until it"
                " is complete and run it again."
            )
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return _attempt(job, snapshot, digest, notes)
            except OvertakenError:
                if attempt == ATTEMPTS:
                    raise
                job = replace(job, audit_id=new_audit_id(job.now))
    raise AssertionError("the last attempt returns or raises")  # pragma: no cover - said by the loop


def _attempt(job: Job, snapshot: "Snapshot", digest: str, notes: tuple[str, ...]) -> Release:
    decision = decide(job, snapshot)
    try:
        decision = _unsigned(job, decision)
        audited = _record(job, decision, digest)
        result = Release(
            data_set=job.data_set,
            release_id=job.release_id,
            audit_id=job.audit_id,
            outcome=decision.outcome,
            report=decision.report,
            before=decision.before,
            reasons=decision.reasons,
            notes=(*notes, *decision.notes),
            approvals=decision.approvals,
            key_id=None if job.key is None else job.key.public.id,
            receipt=decision.receipt,
        )
        if decision.outcome is Outcome.BLOCKED:
            return result
        address, more = publish(job, decision, audited, digest)
        return replace(result, address=address, notes=(*result.notes, *more))
    finally:
        if decision.is_transformed:
            decision.snapshot.close()


def _unsigned(job: Job, decision: Decision) -> Decision:
    """Return the decision, blocked where the policy demands a signature that cannot be given."""
    asked = job.policy.release
    if (asked.signature == "required" or asked.signers) and job.key is None:
        reason = (
            "The policy demands a signature, and there is no signing key; make one with: qidguard keys new"
        )
    elif job.key is not None and asked.signers and job.key.public.text not in asked.signers:
        shown = f"{job.key.public.id[:12]}…"
        reason = f"The key {shown} is not among release.signers of the policy; sign with one that is."
    else:
        return decision
    return replace(decision, outcome=Outcome.BLOCKED, approvals=(), reasons=(*decision.reasons, reason))


def _record(job: Job, decision: Decision, digest: str) -> "Entry":
    _step(job, "deciding", 0)
    record = record_bytes(internal_record(job, decision, digest))
    verdict = document(decision.report)
    payload = {
        "audit_id": job.audit_id,
        "release_id": job.release_id,
        "outcome": decision.outcome.value,
        "exit_code": int(decision.report.exit_code),
        "source": job.label,
        "source_sha256": digest,
        "destination": job.destination.label,
        "records": decision.report.records,
        "entities": decision.report.entities,
        "policy": {"name": job.policy.name, "sha256": job.policy.digest, "preset": job.policy.preset},
        "missed": [t["sentence"] for t in verdict["thresholds"] if not t["is_met"]],
        "blocks": [*(b["sentence"] for b in verdict["blocks"]), *decision.reasons],
        "figures": verdict["thresholds"],
        "exceptions": [approval.document() for approval in decision.approvals],
        "versions": verdict["versions"],
        "by": responsible(job.origin),
        "record": sha256(record).hexdigest(),
    }
    entry = job.ledger.append(
        NewEntry(id=job.audit_id, kind="audited", data_set=job.data_set, at=job.clock(), payload=payload),
        attachments=(record,),
    )
    _step(job, "deciding", 1)
    return entry


def _repeated(job: Job) -> Release | None:
    """Return the release that is there under this name already; UserError where it is another one."""
    for entry in read_past(job.ledger, job.data_set).begun:
        said: Any = entry.payload
        if said["release_id"] != job.release_id:
            continue
        _check_same(job, said)
        _check_in_force(job, said)
        return Release(
            data_set=job.data_set,
            release_id=job.release_id,
            audit_id=str(said["audit_id"]),
            outcome=Outcome(said["outcome"]),
            report=None,
            address=str(said["address"]),
            key_id=said["key_id"],
            is_repeated=True,
        )
    return None


def _check_in_force(job: Job, said: Any) -> None:
    """Raise UserError where a recorded release was taken back, or what let it through holds no longer."""
    if job.ledger.entry(f"withdrawn-{said['audit_id']}") is not None:
        raise UserError(
            f"Release {job.release_id!r} of {job.data_set!r} was withdrawn, so it is not announced again;"
            " choose another name."
        )
    held = {approval.id for approval in approvals_of(job)}
    if not set(said["exceptions"]) <= held:
        raise UserError(
            f"Release {job.release_id!r} of {job.data_set!r} was let through by an exception that no longer"
            " holds; withdraw it, or choose another name."
        )


def _check_same(job: Job, said: Any) -> None:
    """Raise UserError unless a recorded release is of this source and policy, and stands there whole."""
    digest = job.engine.source_digest(job.source, job.options)
    mine = (job.destination.label, job.policy.digest, digest, job.options_digest)
    theirs = (said["destination"], said["policy_sha256"], said["source_sha256"], said["options_sha256"])
    named = f"Release {job.release_id!r} of {job.data_set!r}"
    if mine != theirs or digest == UNKNOWN_DIGEST:
        raise UserError(
            f"{named} was made from another source, policy or for another destination, or nobody can tell;"
            " choose another name."
        )
    if job.destination.manifest_digest(job.data_set, job.release_id) != said["manifest_sha256"]:
        raise UserError(
            f"{named} was recorded, but what stands at {said['address']!r} is not it, or is still being"
            " published; check it with: qidguard verify"
        )
    keys = () if job.key is None else (job.key.public,)
    found = verify_release(str(said["address"]), keys=keys, is_unsigned_allowed=said["key_id"] is None)
    if found.faults:
        raise UserError(f"{named} is no longer what was published: {found.faults[0]}; look into it.")


def _step(job: Job, title: str, done: int) -> None:
    job.progress.step(title, done, 1)

"""Judge what is already published by today's policy, today's exceptions and today's history."""

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.auditing.options import needs
from qidguard.core.errors import UserError
from qidguard.core.policy import load_policy
from qidguard.core.report import AuditReport
from qidguard.engines.base import ReadOptions
from qidguard.evidence.home import Home
from qidguard.evidence.keys import load_private_key, parse_public_key, trusted_keys
from qidguard.evidence.verify import verify_release
from qidguard.ledger import LedgerError
from qidguard.releasing.checked import Checked
from qidguard.releasing.decide import approvals_for
from qidguard.releasing.failure import attempt_of, record_failure
from qidguard.releasing.findings import Findings, findings_of, record_check
from qidguard.releasing.job import Job
from qidguard.releasing.past import Past, read_past
from qidguard.releasing.prepare import Wishes, prepared
from qidguard.releasing.published import promise_of
from qidguard.releasing.result import ChangedError, Outcome
from qidguard.releasing.retrospect import history_beside, judged_today, strangers
from qidguard.releasing.watch import unwatched

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.policy import Policy
    from qidguard.evidence.ed25519 import PublicKey
    from qidguard.evidence.verification import Verification
    from qidguard.ledger import Entry


def reaudit(
    data_set: str,
    release_id: str,
    *,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    wishes: Wishes | None = None,
    now: datetime | None = None,
) -> Checked:
    """Judge a published release by today's policy, and record the verdict in the ledger.

    The files are verified first: against the manifest, the signature and what the ledger promised. Then each
    threshold of today's policy is held against a figure: measured on what is published where that says the
    same as the source did, on the keyed classes of all releases for metrics over time, and else the one that
    was measured when this was released. A figure that nobody can know any more blocks. Exceptions count only
    while they hold.

    Args:
        data_set: The data set.
        release_id: The release's own name.
        policy: Today's policy, its path, or a mapping with the same fields.
        wishes: Ledger, home and all else that has a default. A signature counts by the keys folder, the
            policy's ``release.signers`` or one's own ``key``.
        now: The moment against which dates are held; None takes the clock's.

    Returns:
        The verdict with its name in the ledger. It has no report where the files are not what was published.

    Units:
        Figures in the report carry their own unit.

    Raises:
        UserError: When the ledger knows no such release, or the policy is of another data set.
        QidguardError: As ``qidguard.audit`` raises it; that it failed is recorded too.
        LedgerError: When the ledger cannot be read or written.

    Example:
        >>> import inspect
        >>> list(inspect.signature(reaudit).parameters)
        ['data_set', 'release_id', 'policy', 'wishes', 'now']
    """
    wishes, rules = wishes or Wishes(), load_policy(policy)
    named = replace(wishes, data_set=data_set, release_id=release_id)
    with prepared("published", rules, None, named, now, is_published=False) as job:
        past = read_past(job.ledger, data_set)
        promise = promise_of(past, data_set, release_id)
        if job.ledger.entry(f"withdrawn-{promise.payload['audit_id']}") is not None:
            raise UserError(
                f"Release {release_id!r} of {data_set!r} was withdrawn; there is nothing to judge."
            )
        address = str(promise.payload["address"])
        return _looked_at(replace(job, source=address, label=address), past, promise, wishes)


def _looked_at(job: Job, past: Past, promise: "Entry", wishes: Wishes) -> Checked:
    try:
        faults, found = _verified(job, promise, wishes)
        if faults:
            return _not_what_was_published(job, faults)
        return _judged(job, past, promise, found)
    except LedgerError:
        raise
    except Exception as error:
        record_failure(job.ledger, attempt_of(job, release_id=job.release_id), error, job.clock())
        raise


def _verified(job: Job, promise: "Entry", wishes: Wishes) -> "tuple[tuple[str, ...], Verification | None]":
    said: Any = promise.payload
    keys = _trusted(job, wishes)
    try:
        found = verify_release(
            job.source,
            keys=keys,
            is_unsigned_allowed=said["key_id"] is None,
            data_set=job.data_set,
            release_id=job.release_id,
        )
    except UserError as error:
        why = f"Release {job.release_id} cannot be looked at: {error}"
        return (f"{why}; if it was withdrawn, say so with: qidguard withdraw",), None
    changed = tuple(
        f"{name}.json is not the one that the ledger promised."
        for name in ("manifest", "attestation")
        if getattr(found, f"{name}_sha256") != said[f"{name}_sha256"]
    )
    faults = (*found.faults, *changed)
    return tuple(f"Release {job.release_id} is not what was published: {fault}" for fault in faults), found


def _trusted(job: Job, wishes: Wishes) -> "tuple[PublicKey, ...]":
    """Return whose signature counts: of the keys folder, of the policy's signers, and one's own."""
    home = Home.at(wishes.home)
    own = wishes.key or home.default_signing_key()
    mine = () if own is None else (load_private_key(Path(own), wishes.passphrase).public,)
    signers = (parse_public_key(text) for text in job.policy.release.signers)
    return (*trusted_keys(home.keys_folder), *signers, *mine)


def _not_what_was_published(job: Job, reasons: tuple[str, ...]) -> Checked:
    policy = {"name": job.policy.name, "sha256": job.policy.digest, "preset": job.policy.preset}
    findings = Findings(
        outcome="blocked",
        exit_code=1,
        source=job.label,
        records=None,
        entities=None,
        policy=policy,
        figures=(),
        blocks=reasons,
        versions=dict(job.host.versions),
        release_id=job.release_id,
        audit_id=job.audit_id,
    )
    return _kept(job, findings, Outcome.BLOCKED, None, reasons)


def _judged(job: Job, past: Past, promise: "Entry", found: "Verification | None") -> Checked:
    assert found is not None  # noqa: S101 - without faults there is a release
    assert found.manifest is not None  # noqa: S101 - as above
    record = _record(job, promise)
    file = f"{job.source.rstrip('/')}/{found.manifest.files[0].name}"
    history = history_beside(job, past, promise)
    asks = replace(needs(job.policy, None), entity=None, history=history)
    if job.policy.roles.weight not in [column.name for column in found.manifest.columns]:
        asks = replace(asks, weight=None)
    options = _options(job, file)
    with job.engine.open(file, options, asks, job.settings) as table:
        if job.engine.source_digest(file, options) != found.manifest.files[0].sha256:
            raise ChangedError(f"Release {job.release_id} changed while it was read; run it again.")
        report = judged_today(job, table, record, strangers(job, past, promise, record))
        reasons = tuple(unwatched(job, report, history))
    approvals = () if reasons else approvals_for(job, report)
    outcome = Outcome.PASSED if report.is_passed else Outcome.BLOCKED
    outcome = Outcome.BLOCKED if reasons else Outcome.PASSED_BY_EXCEPTION if approvals else outcome
    findings = findings_of(
        report,
        reasons=reasons,
        approvals=approvals,
        release_id=job.release_id,
        audit_id=job.audit_id,
    )
    made = _kept(job, findings, outcome, report, reasons)
    return replace(made, approvals=approvals)


def _options(job: Job, file: str) -> ReadOptions:
    """Return how a published file is read: as it was written, with what today's policy calls missing."""
    source = job.policy.source
    if file.endswith(".csv"):
        return ReadOptions(
            format="csv",
            delimiter=",",
            quote='"',
            has_header=True,
            missing=source.missing,
            is_trimmed=source.trim,
        )
    return ReadOptions(format="parquet", missing=source.missing, is_trimmed=source.trim)


def _record(job: Job, promise: "Entry") -> Any:
    entry = job.ledger.entry(str(promise.payload["audit_id"]))
    if entry is None:
        raise UserError(f"The ledger holds no audit of release {job.release_id!r}; check: qidguard history")
    return json.loads(job.ledger.attachment(str(entry.payload["record"])))


def _kept(
    job: Job, findings: Findings, outcome: Outcome, report: AuditReport | None, reasons: tuple[str, ...]
) -> Checked:
    record_check(job.ledger, findings, data_set=job.data_set, at=job.clock(), origin=job.origin)
    return Checked(
        data_set=job.data_set,
        audit_id=job.audit_id,
        outcome=outcome,
        report=report,
        reasons=reasons,
        release_id=job.release_id,
    )

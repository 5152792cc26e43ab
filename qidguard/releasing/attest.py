"""The public evidence: a manifest and a signed statement, without seeds, classes or rare values."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.evidence.canonical import canonical_bytes
from qidguard.evidence.dsse import PAYLOAD_TYPE, seal
from qidguard.evidence.manifest import Manifest, ManifestColumn, ManifestFile
from qidguard.evidence.statement import statement_bytes
from qidguard.releasing.decision import Decision
from qidguard.releasing.destination import ATTESTATION, MANIFEST
from qidguard.releasing.job import Job
from qidguard.releasing.record import information_loss
from qidguard.report.document import document

if TYPE_CHECKING:
    from qidguard.ledger import Entry

_OF_THRESHOLD = ("metric", "combination", "bound", "limit", "value", "unit", "is_met", "is_warning")


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The digests of what was written beside the data."""

    files: tuple[ManifestFile, ...]
    manifest_sha256: str
    attestation_sha256: str


def write_evidence(
    job: Job, folder: Path, decision: Decision, types: Mapping[str, str], audited: "Entry"
) -> Evidence:
    """Write the manifest and the attestation beside the data files and return the digests.

    ``types`` are the published columns with their types, in order.
    """
    files = tuple(_file(path) for path in sorted(folder.iterdir()))
    policy = {"name": job.policy.name, "sha256": job.policy.digest, "preset": job.policy.preset}
    approvals = tuple(approval.document() for approval in decision.approvals)
    manifest = Manifest(
        data_set=job.data_set,
        release_id=job.release_id,
        released_at=job.day,
        files=files,
        columns=tuple(ManifestColumn(name=name, type=kind) for name, kind in types.items()),
        records=decision.report.records,
        outcome=decision.outcome.value,
        policy=policy,
        exceptions=approvals,
        is_signed=job.key is not None,
        key_id=None if job.key is None else job.key.public.id,
    ).to_bytes()
    (folder / MANIFEST).write_bytes(manifest)
    manifest_sha256 = sha256(manifest).hexdigest()
    subjects = {file.name: file.sha256 for file in files} | {MANIFEST: manifest_sha256}
    statement = statement_bytes(subjects, _predicate(job, decision, policy, approvals, audited))
    attestation = seal(statement, PAYLOAD_TYPE, job.key)
    (folder / ATTESTATION).write_bytes(attestation)
    return Evidence(
        files=files,
        manifest_sha256=manifest_sha256,
        attestation_sha256=sha256(attestation).hexdigest(),
    )


def record_bytes(record: dict[str, Any]) -> bytes:
    """Return an internal record as the bytes that the ledger keeps."""
    return canonical_bytes(record)


def _predicate(
    job: Job,
    decision: Decision,
    policy: dict[str, Any],
    approvals: tuple[dict[str, Any], ...],
    audited: "Entry",
) -> dict[str, Any]:
    thresholds = document(decision.report)["thresholds"]
    return {
        "release_id": job.release_id,
        "data_set": job.data_set,
        "released_at": job.day,
        "policy": policy,
        "versions": dict(sorted(decision.report.versions.items())),
        "transformations": _transformations(job, decision),
        "information_loss": information_loss(decision),
        "verdict": {
            "outcome": decision.outcome.value,
            "thresholds": [{name: threshold[name] for name in _OF_THRESHOLD} for threshold in thresholds],
        },
        "approvals": list(approvals),
        "attestations": [
            {"statement": a.statement, "by": a.by, "on": a.on.isoformat()} for a in job.policy.attestations
        ],
        "ledger": {"sequence": audited.sequence, "hash": audited.hash},
        "record_sha256": audited.payload["record"],
    }


def _transformations(job: Job, decision: Decision) -> list[dict[str, Any]]:
    done: list[dict[str, Any]] = []
    if decision.selection is not None and decision.selection.dropped:
        done.append(
            {"technique": "columns removed", "columns": len(decision.selection.dropped), "records": 0}
        )
    if decision.receipt is not None:
        gone = decision.receipt.records_before - decision.receipt.records_after
        columns = len(decision.receipt.columns_changed)
        done.append({"technique": decision.receipt.anonymiser, "columns": columns, "records": gone})
    if not job.policy.release.keep_order:
        technique = "record order shuffled"
        done.append({"technique": technique, "columns": 0, "records": decision.report.records})
    return done


def _file(path: Path) -> ManifestFile:
    from hashlib import file_digest

    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return ManifestFile(name=path.name, bytes=path.stat().st_size, sha256=digest)

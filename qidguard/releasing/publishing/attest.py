"""The public evidence: a manifest and a signed statement, without seeds, classes, counts or rare values."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.evidence.dsse import PAYLOAD_TYPE, seal
from qidguard.evidence.fields import ATTESTATION, MANIFEST, ApprovalTold, PolicyTold
from qidguard.evidence.manifest import FORMAT, Manifest, ManifestColumn, ManifestFile
from qidguard.evidence.privacy import public_privacy
from qidguard.evidence.public import band, least_count, told_figure
from qidguard.evidence.statement import statement_bytes
from qidguard.releasing.context import ReleaseContext
from qidguard.releasing.deciding.decide import Decided
from qidguard.releasing.publishing.files import Files
from qidguard.releasing.publishing.record import information_loss
from qidguard.rendering.document import noised_document

if TYPE_CHECKING:
    from qidguard.core.verdict import ThresholdResult
    from qidguard.ledger import TypedEntry
    from qidguard.ledger.payloads import Audited


@dataclass(frozen=True, kw_only=True)
class EvidenceDigests:
    """The digests of what was written beside the data."""

    files: tuple[ManifestFile, ...]
    manifest_sha256: str
    attestation_sha256: str


def write_evidence(
    context: ReleaseContext,
    folder: Path,
    decided: Decided,
    written: Files,
    audited: "TypedEntry[Audited]",
) -> EvidenceDigests:
    """Write the manifest and the attestation beside the data files and return the digests."""
    files = tuple(_file(folder / name) for name in written.names)
    policy = PolicyTold(name=context.policy.name, sha256=context.policy.digest, preset=context.policy.preset)
    approvals = tuple(approval.told() for approval in decided.approvals)
    manifest = Manifest(
        format=FORMAT,
        data_set=context.data_set,
        release_id=context.release_id,
        released_at=context.day,
        files=files,
        columns=tuple(ManifestColumn(name=name, type=kind) for name, kind in written.types.items()),
        records=decided.report.records,
        outcome=decided.outcome.value,
        policy=policy,
        exceptions=approvals,
        is_signed=context.key is not None,
        key_id=None if context.key is None else context.key.public.id,
    ).to_bytes()
    (folder / MANIFEST).write_bytes(manifest)
    manifest_sha256 = sha256(manifest).hexdigest()
    subjects = {file.name: file.sha256 for file in files} | {MANIFEST: manifest_sha256}
    statement = statement_bytes(subjects, _predicate(context, decided, written, policy, approvals, audited))
    attestation = seal(statement, PAYLOAD_TYPE, context.key)
    (folder / ATTESTATION).write_bytes(attestation)
    return EvidenceDigests(
        files=files,
        manifest_sha256=manifest_sha256,
        attestation_sha256=sha256(attestation).hexdigest(),
    )


def _predicate(
    context: ReleaseContext,
    decided: Decided,
    written: Files,
    policy: PolicyTold,
    approvals: tuple[ApprovalTold, ...],
    audited: "TypedEntry[Audited]",
) -> dict[str, Any]:
    verdict = decided.report.verdict
    thresholds = () if verdict is None else verdict.thresholds
    least, loss = least_count(thresholds), information_loss(decided)
    suppressed = loss["records_suppressed"]
    published = () if decided.selection is None else decided.selection.published
    return {
        "release_id": context.release_id,
        "data_set": context.data_set,
        "released_at": context.day,
        "policy": policy.model_dump(),
        "versions": dict(sorted(decided.report.versions.items())),
        "least_count": least,
        "transformations": _transformations(context, decided, written, least),
        "information_loss": {
            "records_suppressed": None if suppressed is None else band(int(suppressed), least),
            "columns_dropped": loss["columns_dropped"],
            "columns_published": loss["columns_published"],
        },
        "verdict": {
            "outcome": decided.outcome.value,
            "thresholds": [_threshold(threshold, published, least) for threshold in thresholds],
        },
        "accepted": [one.model_dump(mode="json") for one in context.policy.accepted],
        "outside_qids": _outside_qids(decided, least),
        "undone": _undone(decided),
        "privacy": _privacy(decided, published),
        "noised": [
            {"combination": one.combination, "sentence": one.sentence} for one in decided.report.noised
        ],
        "new_table": _new_table(decided),
        "approvals": [approval.model_dump() for approval in approvals],
        "attestations": [one.model_dump(mode="json") for one in context.policy.attestations],
        "ledger": {"hash": audited.hash},
        "record_sha256": audited.payload.record,
    }


def _privacy(decided: Decided, published: Sequence[str]) -> dict[str, Any] | None:
    guarantee = None if decided.receipt is None else decided.receipt.privacy
    told = decided.report.new_table
    if told is not None:  # the counts are what noise was drawn for
        published = [name for name in published if name != told.counts]
    return None if guarantee is None else public_privacy(guarantee, published)


def _new_table(decided: Decided) -> dict[str, Any] | None:
    """Return what a new table is and what its thresholds mean; how many of its records came back is no one's.

    That rests on the source, so it stands in the record alone.
    """
    told = decided.report.new_table
    if told is None:
        return None
    return {"kind": told.kind.value, "counts": told.counts, "sentence": told.sentence}


def _undone(decided: Decided) -> list[dict[str, Any]]:
    """Return which columns undo which generalization, and whether the limits hold with it read back."""
    report = decided.report
    held = {read.is_accepted: read.is_met for read in report.read_backs}
    return [
        {
            "columns": list(undone.columns),
            "tells": undone.qid,
            "is_met": held.get(undone.accepted is not None, False),
            "is_accepted": undone.accepted is not None,
        }
        for undone in report.undone
        if undone.is_undone
    ]


def _outside_qids(decided: Decided, least: int) -> dict[str, Any] | None:
    """Return by how many published columns outside the QIDs how many persons are unique, as a band."""
    outside = decided.report.outside
    if outside is None or not outside.told_apart:
        return None
    [told] = outside.told_apart
    return {"columns": len(told.columns), "persons_unique": band(told.found.alone, least)}


def _threshold(result: "ThresholdResult", published: Sequence[str], least: int) -> dict[str, Any]:
    limit, noised = result.limit, result.measurement.noised
    return {
        "metric": result.measurement.metric,
        "combination": limit.combination,
        "bound": limit.bound.value,
        "limit": limit.value,
        "value": told_figure(result, published, least),
        "unit": result.measurement.unit,
        "is_met": result.is_met,
        "is_warning": not limit.is_blocking,
        "noised": None if noised is None else noised_document(noised),
    }


def _transformations(
    context: ReleaseContext, decided: Decided, written: Files, least: int
) -> list[dict[str, Any]]:
    done: list[tuple[str, int, int]] = []
    if decided.selection is not None and decided.selection.dropped:
        done.append(("columns removed", len(decided.selection.dropped), 0))
    if decided.receipt is not None:
        receipt = decided.receipt
        if receipt.new_table is None:
            done.append((receipt.anonymizer, len(receipt.columns_changed), receipt.records_suppressed or 0))
        else:
            made = f"{receipt.new_table.title} by {receipt.anonymizer}"
            done.append((made, len(receipt.columns_made), 0))
    if written.tables:
        done.append(("keys replaced by pseudonyms of this release", _keys(context), 0))
    if written.moved:
        done.append(("dates moved by the same days for each person", written.moved, 0))
    if not context.policy.release.keep_order:
        done.append(("record order shuffled", 0, 0))
    return [
        {"technique": technique, "columns": columns, "records": band(records, least)}
        for technique, columns, records in done
    ]


def _keys(context: ReleaseContext) -> int:
    """Return how many columns hold keys; that of the persons is among them."""
    tables = context.policy.tables.values()
    return 1 + sum(len({*table.references, *((table.key,) if table.key else ())}) for table in tables)


def _file(path: Path) -> ManifestFile:
    from hashlib import file_digest

    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return ManifestFile(name=path.name, bytes=path.stat().st_size, sha256=digest)

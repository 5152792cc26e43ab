"""The promise of a release in the ledger: from then on it counts, whatever happens."""

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from qidguard.core.errors import UserError
from qidguard.ledger import TypedEntry, new_entry, read
from qidguard.ledger.payloads import PromisedFile, Releasing
from qidguard.releasing.deciding.exception import approvals_of
from qidguard.releasing.history.counted_releases import is_overtaken, ledger_releases
from qidguard.releasing.history.past import follows, history_key_id, normalized_as, read_past
from qidguard.releasing.publishing.attest import EvidenceDigests
from qidguard.releasing.publishing.destination import Staging

if TYPE_CHECKING:
    from qidguard.engines.base import KeyedClasses
    from qidguard.ledger import Reader
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.deciding.decide import Decided


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
    persons: "KeyedClasses"
    classes: bytes
    columns: bytes
    qids: dict[str, list[str]]


def promise(
    context: "ReleaseContext",
    decided: "Decided",
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

"""What a ledger says of a release that lies in a folder."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidguard.evidence.verify import Verification
    from qidguard.ledger import Entry

_KINDS = ("audited", "releasing", "abandoned", "withdrawn", "revoked")


@dataclass(frozen=True, kw_only=True)
class Said:
    """What the ledger has against a release, and what should be known of it, one sentence each."""

    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def said_by_ledger(url: str, verification: "Verification") -> Said:
    """Return what in the ledger does not match a release; where its chain is broken, that alone."""
    if verification.manifest is None or verification.statement is None:
        return Said()  # there is a fault already, and nothing to look for
    from qidguard.ledger import open_ledger

    # no anchors of this machine: the signed release is one, and to verify leaves nothing behind
    with open_ledger(url, must_exist=True) as ledger:
        if faults := tuple(ledger.check()):
            return Said(faults=faults)
        entries = list(ledger.entries(data_set=verification.manifest.data_set, kinds=_KINDS))
    return Said(
        faults=tuple(_entry_faults(entries, verification)), notes=tuple(_revoked(entries, verification))
    )


def _entry_faults(entries: "list[Entry]", verification: "Verification") -> Iterator[str]:
    manifest, statement = verification.manifest, verification.statement
    assert manifest is not None  # noqa: S101 - asked for only where there are both
    assert statement is not None  # noqa: S101 - the same
    anchor = statement["predicate"]["ledger"]
    if anchor is None:
        yield "attestation.json names no entry of a ledger."
    elif not any(
        # the first form of statements also named the entry's place
        e.hash == anchor["hash"] and e.sequence == anchor.get("sequence", e.sequence)
        for e in entries
    ):
        yield (
            f"The ledger has no entry of {manifest.data_set} with the hash that attestation.json names "
            f"({anchor['hash'][:12]})."
        )
    yield from _promise_faults(entries, verification, manifest.release_id)
    yield from _withdrawals(entries, manifest.release_id)


def _withdrawals(entries: "list[Entry]", release_id: str) -> Iterator[str]:
    from qidguard.ledger import read
    from qidguard.ledger.payloads import Withdrawn

    for entry in (entry for entry in entries if entry.kind == "withdrawn"):
        withdrawn = read(entry, Withdrawn).payload
        if withdrawn.release_id == release_id:
            yield (
                f"The ledger says that release {release_id} was withdrawn on {entry.at:%Y-%m-%d}: "
                f"{withdrawn.reason}"
            )


def _revoked(entries: "list[Entry]", verification: "Verification") -> Iterator[str]:
    """Yield which exceptions that let it through were taken back since."""
    from qidguard.ledger import read
    from qidguard.ledger.payloads import Revoked

    manifest = verification.manifest
    named = {exception["id"] for exception in manifest.exceptions} if manifest is not None else set()
    for entry in (entry for entry in entries if entry.kind == "revoked"):
        revoked = read(entry, Revoked).payload
        if revoked.exception_id in named:
            yield f"Exception {revoked.exception_id} was revoked on {entry.at:%Y-%m-%d}: {revoked.reason}"


def _promise_faults(entries: "list[Entry]", verification: "Verification", release_id: str) -> Iterator[str]:
    """Yield where no release of this name was promised, or all were abandoned, or other files were meant."""
    from qidguard.ledger import read
    from qidguard.ledger.payloads import Abandoned, Releasing

    abandoned = {read(entry, Abandoned).payload.audit_id for entry in entries if entry.kind == "abandoned"}
    promises = (read(entry, Releasing).payload for entry in entries if entry.kind == "releasing")
    promised = [promise for promise in promises if promise.release_id == release_id]
    kept = [promise for promise in promised if promise.audit_id not in abandoned]
    if not kept:
        yield (
            f"The ledger says that release {release_id} was never published."
            if promised
            else f"The ledger knows no release {release_id}."
        )
        return
    last = kept[-1]
    found = {
        "manifest.json": (last.manifest_sha256, verification.manifest_sha256),
        "attestation.json": (last.attestation_sha256, verification.attestation_sha256),
    }
    # a release is promised once more only after it was abandoned, so the last promise is the one that holds
    for name, (said, sha256) in found.items():
        if said != sha256:
            yield (
                f"SHA-256 of {name} is not what the ledger says "
                f"(expected {said[:12]}, found {str(sha256)[:12]})."
            )

"""Whether the ledger says the same of a release as the release does of itself."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidguard.evidence.verification import Verification
    from qidguard.ledger import Entry, Ledger

_KINDS = ("audited", "releasing", "abandoned")


def ledger_faults(url: str, verification: "Verification") -> tuple[str, ...]:
    """Return what in the ledger does not match a release.

    Args:
        url: The ledger's URL; it must exist.
        verification: What was found in the release's folder.

    Returns:
        One sentence each; where the chain itself is broken, what is broken and nothing else.

    Units:
        None.

    Raises:
        UserError: when there is no such ledger.
        LedgerError: when it cannot be opened or read.

    Example:
        >>> from qidguard.evidence.verification import Verification
        >>> ledger_faults("sqlite:///ledger.db", Verification(label="x", faults=("It is no release.",)))
        ()
    """
    if verification.manifest is None or verification.statement is None:
        return ()  # there is a fault already, and nothing to look for
    from qidguard.ledger import open_ledger

    # no anchors of this machine: the signed release is one, and to verify leaves nothing behind
    with open_ledger(url, must_exist=True) as ledger:
        return tuple(ledger.check()) or tuple(_faults(ledger, verification))


def _faults(ledger: "Ledger", verification: "Verification") -> Iterator[str]:
    manifest, statement = verification.manifest, verification.statement
    assert manifest is not None  # noqa: S101 - asked for only where there are both
    assert statement is not None  # noqa: S101 - the same
    entries = list(ledger.entries(data_set=manifest.data_set, kinds=_KINDS))
    anchor = statement["predicate"]["ledger"]
    if anchor is None:
        yield "attestation.json names no entry of a ledger."
    elif not any((e.sequence, e.hash) == (anchor["sequence"], anchor["hash"]) for e in entries):
        yield (
            f"The ledger has no entry {anchor['sequence']:,} of {manifest.data_set} with the hash that "
            f"attestation.json names ({anchor['hash'][:12]})."
        )
    yield from _promise_faults(entries, verification, manifest.release_id)


def _promise_faults(entries: "list[Entry]", verification: "Verification", release_id: str) -> Iterator[str]:
    """Yield where no release of this name was promised, or all were abandoned, or other files were meant."""
    abandoned = {entry.payload.get("audit_id") for entry in entries if entry.kind == "abandoned"}
    promised = [e for e in entries if e.kind == "releasing" and e.payload.get("release_id") == release_id]
    kept = [entry for entry in promised if entry.payload.get("audit_id") not in abandoned]
    if not kept:
        yield (
            f"The ledger says that release {release_id} was never published."
            if promised
            else f"The ledger knows no release {release_id}."
        )
        return
    found = {
        "manifest.json": ("manifest_sha256", verification.manifest_sha256),
        "attestation.json": ("attestation_sha256", verification.attestation_sha256),
    }
    # a release is promised once more only after it was abandoned, so the last promise is the one that holds
    for name, (field, sha256) in found.items():
        said = str(kept[-1].payload.get(field))
        if said != sha256:
            yield (
                f"SHA-256 of {name} is not what the ledger says "
                f"(expected {said[:12]}, found {str(sha256)[:12]})."
            )

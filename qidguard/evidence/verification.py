"""What came of checking a release."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidguard.evidence.manifest import Manifest

if TYPE_CHECKING:
    from qidguard.evidence.ed25519 import PublicKey


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What came of checking a release: it is verified where no fault was found.

    Args:
        label: The folder's address as it may be shown.
        faults: What does not match, one sentence each; names in them are as they were found.
        notes: What a reader should know although nothing is wrong, one sentence each.
        manifest: The manifest; None where it cannot be read.
        statement: The attestation's statement; None where it cannot be read or its signature is not right.
        signed_by: The key whose signature is right; None where there is none.
        manifest_sha256: SHA-256 of the manifest as found, hex; None where there is none.
        attestation_sha256: The same of the attestation.
    """

    label: str
    faults: tuple[str, ...]
    notes: tuple[str, ...] = ()
    manifest: Manifest | None = None
    statement: dict[str, Any] | None = None
    signed_by: "PublicKey | None" = None
    manifest_sha256: str | None = None
    attestation_sha256: str | None = None

    @property
    def is_verified(self) -> bool:
        """Whether everything was there, could be read, and matches."""
        return not self.faults and self.manifest is not None and self.statement is not None

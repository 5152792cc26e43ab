"""What came of verifying a release, as a value that every door can show."""

import json
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from qidguard.evidence.manifest import Manifest

if TYPE_CHECKING:
    import pandas as pd

    from qidguard.evidence.ed25519 import PublicKey

FORMAT = "qidguard-verification/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""


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

    def __bool__(self) -> bool:
        """Return whether it is verified."""
        return self.is_verified

    @property
    def is_verified(self) -> bool:
        """Whether everything was there, could be read, and matches."""
        return not self.faults and self.manifest is not None and self.statement is not None

    def to_frame(self) -> "pd.DataFrame":
        """Return the faults as a table.

        Returns:
            One row a fault, with its sentence; none where it is verified.

        Example:
            >>> Verification(label="r1", faults=("It is no release.",)).to_frame().values.tolist()
            [['It is no release.']]
        """
        import pandas as pd

        return pd.DataFrame({"fault": list(self.faults)}, dtype=object)

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON knows.

        Example:
            >>> Verification(label="r1", faults=("It is no release.",)).to_dict()["is_verified"]
            False
        """
        manifest = self.manifest
        return {
            "format": FORMAT,
            "label": self.label,
            "is_verified": self.is_verified,
            "faults": list(self.faults),
            "notes": list(self.notes),
            "data_set": None if manifest is None else manifest.data_set,
            "release_id": None if manifest is None else manifest.release_id,
            "signed_by": None if self.signed_by is None else self.signed_by.id,
            "manifest_sha256": self.manifest_sha256,
            "attestation_sha256": self.attestation_sha256,
        }

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON text, with a line feed at its end.

        Example:
            >>> Verification(label="r1", faults=()).to_json().splitlines()[1]
            '  "format": "qidguard-verification/1",'
        """
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def __str__(self) -> str:
        first = "VERIFIED" if self.is_verified else "NOT VERIFIED"
        return "\n".join([f"{first}  {self.label}", *(f"  {one}" for one in (*self.faults, *self.notes))])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

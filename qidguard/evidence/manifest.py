"""The manifest of a release: its files, its columns, and on which grounds it was let through."""

from typing import Final, Literal, Self

from pydantic import model_validator

from qidguard.evidence.canonical import EvidenceFault
from qidguard.evidence.fields import (
    ATTESTATION,
    MANIFEST,
    AnyText,
    ApprovalTold,
    Count,
    Digest,
    EvidencePart,
    FileName,
    Instant,
    Outcome,
    PolicyTold,
    Text,
    Truth,
    agree_on_exceptions,
)

FORMAT: Final = "qidguard-release/1"


class ManifestFile(EvidencePart):
    """One data file of a release.

    Args:
        name: Its name in the release's folder.
        bytes: Its size in bytes, ≥ 0.
        sha256: Its SHA-256, 64 lower-case hexadecimal digits.
    """

    name: FileName
    bytes: Count
    sha256: Digest


class ManifestColumn(EvidencePart):
    """One column of the released table.

    Args:
        name: The column's own name.
        type: What it holds, as the engine says it.
    """

    name: AnyText
    type: Text


class Manifest(EvidencePart):
    """What a release consists of; a folder without one is no release.

    Args:
        format: Name and version of its form.
        data_set: The data set that it is a release of.
        release_id: The release's own id.
        released_at: When, UTC, ISO 8601.
        files: The data files; at least one.
        columns: The columns of the released table, in order.
        records: Number of records, ≥ 0.
        outcome: ``passed`` or ``passed_by_exception``.
        policy: What it was judged by.
        exceptions: The signed exceptions that let it through.
        is_signed: Whether somebody signs for it.
        key_id: The id of the key that signs; None for a release that nobody signs.
    """

    format: Literal["qidguard-release/1"]
    data_set: Text
    release_id: Text
    released_at: Instant
    files: tuple[ManifestFile, ...]
    columns: tuple[ManifestColumn, ...]
    records: Count
    outcome: Outcome
    policy: PolicyTold
    exceptions: tuple[ApprovalTold, ...]
    is_signed: Truth
    key_id: Digest | None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        agree_on_exceptions(self.outcome, len(self.exceptions))
        if self.is_signed != (self.key_id is not None):
            raise EvidenceFault("is_signed and key_id contradict each other")
        if not self.files:
            raise EvidenceFault("files is empty")
        # two names that differ in case only are one file on some file systems
        names = [file.name.casefold() for file in self.files]
        if len(set(names)) < len(names) or {MANIFEST, ATTESTATION} & set(names):
            raise EvidenceFault("files has one name twice, or a name of the evidence itself")
        return self

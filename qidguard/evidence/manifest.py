"""The manifest of a release: its files, its columns, and on which grounds it was let through."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from qidguard.evidence.canonical import EvidenceFault, canonical_bytes, read_canonical
from qidguard.evidence.shape import (
    APPROVAL,
    ATTESTATION,
    MANIFEST,
    OUTCOME,
    POLICY,
    agree_on_exceptions,
    any_text,
    boolean,
    count,
    digest,
    file_name,
    instant,
    list_of,
    one_of,
    optional,
    record,
    text,
)

FORMAT = "qidguard-release/1"

_MANIFEST = record(
    format=one_of(FORMAT),
    data_set=text,
    release_id=text,
    released_at=instant,
    files=list_of(record(name=file_name, bytes=count, sha256=digest)),
    columns=list_of(record(name=any_text, type=text)),
    records=count,
    outcome=OUTCOME,
    policy=POLICY,
    exceptions=list_of(APPROVAL),
    is_signed=boolean,
    key_id=optional(digest),
)


@dataclass(frozen=True, kw_only=True)
class ManifestFile:
    """One data file of a release.

    Args:
        name: Its name in the release's folder.
        bytes: Its size in bytes, ≥ 0.
        sha256: Its SHA-256, 64 lower-case hexadecimal digits.
    """

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class ManifestColumn:
    """One column of the released table.

    Args:
        name: The column's own name.
        type: What it holds, as the engine says it.
    """

    name: str
    type: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a release consists of; a folder without one is no release.

    Args:
        data_set: The data set that it is a release of.
        release_id: The release's own id.
        released_at: When, UTC, ISO 8601.
        files: The data files; at least one.
        columns: The columns of the released table, in order.
        records: Number of records, ≥ 0.
        outcome: ``passed`` or ``passed_by_exception``.
        policy: What it was judged by: name, sha256 (hex) and preset (or None).
        exceptions: The signed exceptions that let it through: id, by, key_id, reason, expires and thresholds.
        is_signed: Whether somebody signs for it.
        key_id: The id of the key that signs; None for a release that nobody signs.
    """

    data_set: str
    release_id: str
    released_at: str
    files: tuple[ManifestFile, ...]
    columns: tuple[ManifestColumn, ...]
    records: int
    outcome: str
    policy: Mapping[str, Any]
    exceptions: tuple[Mapping[str, Any], ...]
    is_signed: bool
    key_id: str | None

    def __post_init__(self) -> None:
        document = read_canonical(self.to_bytes())
        _check(document)
        # what is kept is a copy that nobody else holds
        object.__setattr__(self, "policy", MappingProxyType(document["policy"]))
        object.__setattr__(self, "exceptions", tuple(MappingProxyType(e) for e in document["exceptions"]))

    def to_bytes(self) -> bytes:
        """Return the file ``manifest.json``."""
        return canonical_bytes(
            {
                "format": FORMAT,
                "data_set": self.data_set,
                "release_id": self.release_id,
                "released_at": self.released_at,
                "files": [{"name": f.name, "bytes": f.bytes, "sha256": f.sha256} for f in self.files],
                "columns": [{"name": column.name, "type": column.type} for column in self.columns],
                "records": self.records,
                "outcome": self.outcome,
                "policy": self.policy,
                "exceptions": self.exceptions,
                "is_signed": self.is_signed,
                "key_id": self.key_id,
            }
        )


def read_manifest(content: bytes) -> Manifest:
    r"""Return the manifest in a file, every field checked."""
    document = read_canonical(content)
    _check(document)
    fields = {name: value for name, value in document.items() if name != "format"}
    return Manifest(
        **fields
        | {
            "files": tuple(ManifestFile(**file) for file in document["files"]),
            "columns": tuple(ManifestColumn(**column) for column in document["columns"]),
            "exceptions": tuple(document["exceptions"]),
        }
    )


def _check(document: Any) -> None:
    _MANIFEST("", document)
    agree_on_exceptions(document["outcome"], len(document["exceptions"]))
    if document["is_signed"] != (document["key_id"] is not None):
        raise EvidenceFault("is_signed and key_id contradict each other")
    if not document["files"]:
        raise EvidenceFault("files is empty")
    # two names that differ in case only are one file on some file systems
    names = [file["name"].casefold() for file in document["files"]]
    if len(set(names)) < len(names) or {MANIFEST, ATTESTATION} & set(names):
        raise EvidenceFault("files has one name twice, or a name of the evidence itself")

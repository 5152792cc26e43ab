"""Small releases on any file system, made of the evidence's own parts, for tests of verification."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import fsspec

from example_release import manifest, predicate
from qidguard.evidence.dsse import PAYLOAD_TYPE, seal
from qidguard.evidence.ed25519 import SigningKey
from qidguard.evidence.manifest import Manifest, ManifestFile
from qidguard.evidence.statement import statement_bytes

FILES = {"patients.csv": b"sex,age\nf,30\nf,30\nm,41\nm,41\n"}
POLICY = (
    b"qidguard: 1\nname: clinic\nroles: {quasi_identifiers: [age]}\n"
    b"thresholds: [{metric: k_anonymity, at_least: 2}]\n"
)

EXCEPTION = {
    "id": "exception-1",
    "by": "A. Roe",
    "key_id": "d" * 64,
    "reason": "It is needed.",
    "expires": "2026-12-31",
    "thresholds": ["k_anonymity ≥ 5 (accepted: 3)"],
}

SHARED = ("data_set", "release_id", "released_at", "policy")


def new_key() -> SigningKey:
    """Return a fresh key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return SigningKey(Ed25519PrivateKey.generate())


def contents(
    key: SigningKey | None,
    files: Mapping[str, bytes] = FILES,
    *,
    predicate_changes: Mapping[str, Any] | None = None,
    subject_changes: Mapping[str, str | None] | None = None,
    **changes: Any,
) -> dict[str, bytes]:
    """Return every file of a release: the data, the manifest and the attestation.

    Args:
        key: Who signs, or None.
        files: The data files.
        predicate_changes: Fields in which the attestation differs from the manifest.
        subject_changes: File name → another digest in the attestation, or None to leave it out.
        changes: Other fields of the manifest; those that both carry change in both.
    """
    policy = {"name": "clinic", "sha256": sha256(POLICY).hexdigest(), "preset": None}
    own: Manifest = manifest(
        **{
            "policy": policy,
            "files": tuple(
                ManifestFile(name=name, bytes=len(content), sha256=sha256(content).hexdigest())
                for name, content in files.items()
            ),
            "is_signed": key is not None,
            "key_id": None if key is None else key.public.id,
        }
        | changes
    )
    manifest_file = own.to_bytes()
    subjects: dict[str, str | None] = {file.name: file.sha256 for file in own.files}
    subjects["manifest.json"] = sha256(manifest_file).hexdigest()
    subjects |= subject_changes or {}
    written = own.model_dump(mode="json")
    said = {name: written[name] for name in SHARED}
    said["approvals"] = written["exceptions"]
    said["verdict"] = predicate()["verdict"] | {"outcome": own.outcome}
    statement = statement_bytes(
        {name: digest for name, digest in subjects.items() if digest is not None},
        predicate(**said | dict(predicate_changes or {})),
    )
    return {**files, "manifest.json": manifest_file, "attestation.json": seal(statement, PAYLOAD_TYPE, key)}


def write(address: str, files: Mapping[str, bytes]) -> str:
    """Write files into a folder at any address of fsspec, and return the address."""
    system, root = fsspec.core.url_to_fs(address)
    system.makedirs(root, exist_ok=True)
    for name, content in files.items():
        system.pipe_file(f"{root}/{name}", content)
    return address


def remove(address: str) -> None:
    """Remove a folder and all that is in it, if it is there."""
    system, root = fsspec.core.url_to_fs(address)
    if system.exists(root):
        system.rm(root, recursive=True)

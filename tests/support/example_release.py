"""A small release, for examples and tests: manifest, predicate, statement, and its folder."""

from hashlib import sha256
from typing import Any

from pydantic_core import to_jsonable_python

from qidguard.evidence.canonical import canonical_bytes
from qidguard.evidence.dsse import PAYLOAD_TYPE, seal
from qidguard.evidence.fields import ATTESTATION, MANIFEST
from qidguard.evidence.folder import ReleaseFolder, open_folder
from qidguard.evidence.manifest import FORMAT, Manifest, ManifestColumn, ManifestFile
from qidguard.evidence.statement import read_statement, statement_bytes

_POLICY_DIGEST = "a" * 64
_DATA = b"f,30\n"


def manifest(**changes: Any) -> Manifest:
    """Return the manifest of a release of one file with two columns."""
    fields: dict[str, Any] = {
        "data_set": "patients",
        "release_id": "20261121-000001",
        "released_at": "2026-11-21T10:00:00Z",
        "files": (ManifestFile(name="patients.csv", bytes=5, sha256=sha256(_DATA).hexdigest()),),
        "columns": (
            ManifestColumn(name="sex", type="text"),
            ManifestColumn(name="age", type="integer"),
        ),
        "records": 8,
        "outcome": "passed",
        "policy": {"name": "clinic", "sha256": _POLICY_DIGEST, "preset": None},
        "exceptions": (),
        "is_signed": False,
        "key_id": None,
    }
    return Manifest.of(to_jsonable_python({"format": FORMAT} | fields | changes))


def predicate(**changes: Any) -> dict[str, Any]:
    """Return the predicate of the same release."""
    fields: dict[str, Any] = {
        "release_id": "20261121-000001",
        "data_set": "patients",
        "released_at": "2026-11-21T10:00:00Z",
        "policy": {"name": "clinic", "sha256": _POLICY_DIGEST, "preset": None},
        "versions": {"qidguard": "0.1.0"},
        "least_count": 5,
        "transformations": [
            {"technique": "record order shuffled", "columns": 0, "records": {"from": 0, "to": 0}},
            {"technique": "suppression", "columns": 2, "records": {"from": 1, "to": 4}},
        ],
        "information_loss": {
            "records_suppressed": {"from": 1, "to": 4},
            "columns_dropped": 1,
            "columns_published": 2,
        },
        "verdict": {
            "outcome": "passed",
            "thresholds": [
                {
                    "metric": "k_anonymity",
                    "combination": "default",
                    "bound": "at_least",
                    "limit": 2,
                    "value": 5,
                    "unit": "records",
                    "is_met": True,
                    "is_warning": False,
                    "noised": None,
                }
            ],
        },
        "accepted": [],
        "outside_qids": {"columns": 3, "persons_unique": {"from": 5, "to": 9}},
        "undone": [],
        "privacy": None,
        "noised": [],
        "new_table": None,
        "approvals": [],
        "attestations": [{"statement": "No actual knowledge.", "by": "A. Roe", "on": "2026-05-01"}],
        "ledger": {"hash": "b" * 64},
        "record_sha256": "c" * 64,
    }
    return fields | changes


def first_predicate(**changes: Any) -> dict[str, Any]:
    """Return the predicate of the same release in its first form, with every figure."""
    fields: dict[str, Any] = {
        "release_id": "20261121-000001",
        "data_set": "patients",
        "released_at": "2026-11-21T10:00:00Z",
        "policy": {"name": "clinic", "sha256": _POLICY_DIGEST, "preset": None},
        "versions": {"qidguard": "0.1.0"},
        "transformations": [
            "The order of the records is shuffled.",
            {"technique": "suppression", "columns": 2, "records": 1},
        ],
        "information_loss": {"records_suppressed": 1, "share_suppressed": 0.125},
        "verdict": {
            "outcome": "passed",
            "thresholds": [
                {
                    "metric": "k_anonymity",
                    "combination": "default",
                    "bound": "at_least",
                    "limit": 2,
                    "value": 3,
                    "unit": "records",
                    "is_met": True,
                    "is_warning": False,
                }
            ],
        },
        "approvals": [],
        "attestations": [{"statement": "No actual knowledge.", "by": "A. Roe", "on": "2026-05-01"}],
        "ledger": {"sequence": 1, "hash": "b" * 64},
        "record_sha256": "c" * 64,
    }
    return fields | changes


def statement() -> dict[str, Any]:
    """Return the statement of the same release."""
    own = manifest()
    subjects = {file.name: file.sha256 for file in own.files} | {MANIFEST: sha256(own.to_bytes()).hexdigest()}
    return read_statement(statement_bytes(subjects, predicate()))


def address() -> str:
    """Return the address of the same release in the memory of this process, written anew, unsigned."""
    import fsspec

    url = "memory://qidguard-example/patients/20261121-000001"
    own = manifest()
    contents = {
        "patients.csv": _DATA,
        MANIFEST: own.to_bytes(),
        ATTESTATION: seal(canonical_bytes(statement()), PAYLOAD_TYPE, None),
    }
    system, root = fsspec.core.url_to_fs(url)
    for name, content in contents.items():
        system.pipe_file(f"{root}/{name}", content)
    return url


def folder() -> ReleaseFolder:
    """Return the folder at that address."""
    return open_folder(address())

"""Whether the parts of a release say the same: files, manifest, statement, policy, and what was expected."""

from collections.abc import Iterator, Mapping
from typing import Any

from qidguard.evidence.dsse import SHOWN_DIGITS
from qidguard.evidence.fault import EvidenceFault
from qidguard.evidence.folder import ReleaseFolder
from qidguard.evidence.manifest import Manifest
from qidguard.evidence.privacy import privacy_against_manifest
from qidguard.evidence.shape import ATTESTATION, MANIFEST
from qidguard.evidence.statement import subjects_of

_SAID_TWICE = ("data_set", "release_id", "released_at", "policy")


def files_against_manifest(folder: ReleaseFolder, manifest: Manifest) -> Iterator[str]:
    """Yield what is not as the manifest says: files missing, too many, of another size or content."""
    sizes = {file.name: file.bytes for file in manifest.files}
    digests = {file.name: file.sha256 for file in manifest.files}
    return _files_against(folder, digests, sizes, "the manifest")


def files_against_subjects(folder: ReleaseFolder, statement: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is not as the attestation says, for a release whose manifest cannot be read."""
    digests = {name: digest for name, digest in subjects_of(statement).items() if name != MANIFEST}
    return _files_against(folder, digests, {}, "the attestation")


def _files_against(
    folder: ReleaseFolder, digests: Mapping[str, str], sizes: Mapping[str, int], who: str
) -> Iterator[str]:
    there = set(folder.files)
    for name in sorted(there - digests.keys() - {MANIFEST, ATTESTATION}):
        yield f"{name} is not in {who}."
    for name in sorted(digests.keys() - there - folder.strays.keys()):
        yield f"{name} is missing."
    for name in sorted(there & digests.keys()):
        try:
            file = folder.file_digest(name)
        except EvidenceFault as fault:
            yield f"{name} {fault}."
            continue
        if file.bytes != sizes.get(name, file.bytes):
            yield f"{name} has {file.bytes:,} bytes, and {who} says {sizes[name]:,}."
        if file.sha256 != digests[name]:
            yield digest_sentence(name, who, digests[name], file.sha256)


def subjects_against_files(
    statement: Mapping[str, Any], manifest: Manifest | None, manifest_sha256: str
) -> Iterator[str]:
    """Yield where the files that the attestation names are not the manifest and the manifest's files."""
    subjects = subjects_of(statement)
    declared = subjects.pop(MANIFEST, None)
    if declared is None:
        yield f"{ATTESTATION} does not name {MANIFEST}."
    elif declared != manifest_sha256:
        yield digest_sentence(MANIFEST, "the attestation", declared, manifest_sha256)
    if manifest is None:
        return
    listed = {file.name: file.sha256 for file in manifest.files}
    for name in sorted(listed.keys() | subjects.keys()):
        if name not in subjects:
            yield f"{ATTESTATION} does not name {name}, and {MANIFEST} does."
        elif name not in listed:
            yield f"{ATTESTATION} names {name}, and {MANIFEST} does not."
        elif subjects[name] != listed[name]:
            yield f"{MANIFEST} and {ATTESTATION} say different SHA-256 of {name}."


def manifest_against_statement(manifest: Manifest, statement: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields of which the manifest and the attestation say different things."""
    predicate = statement["predicate"]
    pairs = {name: (getattr(manifest, name), predicate[name]) for name in _SAID_TWICE}
    pairs["outcome"] = (manifest.outcome, predicate["verdict"]["outcome"])
    pairs["exceptions"] = (list(manifest.exceptions), predicate["approvals"])
    for name, (theirs, ours) in pairs.items():
        if theirs != ours:
            yield f"{MANIFEST} and {ATTESTATION} disagree on {name}."
    yield from privacy_against_manifest(statement, manifest)


def policy_against(content: bytes, expected: str, who: str) -> Iterator[str]:
    """Yield that a policy's file is not the policy that the release was judged by.

    Example:
        >>> list(policy_against(b"", "a" * 64, "the manifest"))  # doctest: +ELLIPSIS
        ['SHA-256 of the policy file is not what the manifest says (expected aaaaaaaaaaaa, found e3b0c...).']
    """
    from qidguard.policy.origin import text_digest

    try:
        actual = text_digest(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        yield "The policy file is not UTF-8 text, so it is not the policy that the release was judged by."
        return
    if actual != expected:
        yield digest_sentence("the policy file", who, expected, actual)


def digest_sentence(what: str, who: str, expected: str, actual: str) -> str:
    """Return the sentence about a digest that is another one.

    Example:
        >>> digest_sentence("a.csv", "the manifest", "a" * 64, "b" * 64)
        'SHA-256 of a.csv is not what the manifest says (expected aaaaaaaaaaaa, found bbbbbbbbbbbb).'
    """
    return (
        f"SHA-256 of {what} is not what {who} says "
        f"(expected {expected[:SHOWN_DIGITS]}, found {actual[:SHOWN_DIGITS]})."
    )

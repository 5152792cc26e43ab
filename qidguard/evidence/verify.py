"""A release verified: every file against manifest and attestation, and the signature against trusted keys."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any

from qidguard.evidence.canonical import EvidenceFault
from qidguard.evidence.dsse import PAYLOAD_TYPE, SHOWN_DIGITS, key_id_of, signer_of, unseal
from qidguard.evidence.fields import ATTESTATION, MANIFEST
from qidguard.evidence.folder import ReleaseFolder, open_folder
from qidguard.evidence.manifest import Manifest
from qidguard.evidence.privacy import privacy_against_manifest, privacy_notes
from qidguard.evidence.statement import read_statement, subjects_of
from qidguard.evidence.withdrawal import withdrawal_sentence

if TYPE_CHECKING:
    import pandas as pd
    from securesystemslib.dsse import Envelope

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


_EXCHANGED = "and what it leads to can be exchanged without a trace"

__all__ = ["Verification", "verify_release"]


def verify_release(
    folder: str,
    *,
    keys: "Sequence[PublicKey]" = (),
    policy_bytes: bytes | None = None,
    is_unsigned_allowed: bool = False,
    data_set: str | None = None,
    release_id: str | None = None,
) -> Verification:
    """Return whether a folder holds a release as it was published, byte for byte, and whose word that is.

    Every file is read and compared; nothing is believed because of where it stands.
    """
    place = open_folder(folder)
    if MANIFEST not in {*place.files, *place.strays}:
        sentence = (
            f"{place.label} is no release (it has no manifest; a release that was cut off leaves none)."
        )
        return Verification(label=place.label, faults=(sentence,))
    check = _Check(place=place)
    check.faults += [f"{name} is {kind}; a release holds plain files." for name, kind in place.strays.items()]
    if place.is_link:
        check.faults.append(f"{place.label} is a link, {_EXCHANGED}; verify the folder itself.")
    check.read_manifest()
    check.read_attestation()
    if check.envelope is not None:
        check.judge_signature(keys, is_unsigned_allowed=is_unsigned_allowed)
    check.compare(policy_bytes)
    check.identify(data_set, release_id)
    if (notice := place.withdrawal()) is not None:
        check.faults.append(withdrawal_sentence(notice, keys, check.digests.get(MANIFEST)))
    return Verification(
        label=place.label,
        faults=tuple(dict.fromkeys(check.faults)),
        notes=tuple(check.notes),
        manifest=check.manifest,
        statement=check.statement,
        signed_by=check.signed_by,
        manifest_sha256=check.digests.get(MANIFEST),
        attestation_sha256=check.digests.get(ATTESTATION),
    )


@dataclass(kw_only=True)
class _Check:
    """A verification on its way; every step adds what it finds, and none stops the others."""

    place: ReleaseFolder
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    manifest: Manifest | None = None
    envelope: "Envelope | None" = None
    statement: dict[str, Any] | None = None
    signed_by: "PublicKey | None" = None

    def read_manifest(self) -> None:
        """Read the manifest as far as it can be read."""
        try:
            if (content := self._content(MANIFEST)) is not None:
                self.manifest = Manifest.read(content)
        except EvidenceFault as fault:
            self.faults.append(f"{MANIFEST} is not as it was written: {fault}.")

    def read_attestation(self) -> None:
        """Read the envelope and the statement in it."""
        try:
            if (content := self._content(ATTESTATION)) is not None:
                self.envelope = unseal(content, PAYLOAD_TYPE)
                self.statement = read_statement(self.envelope.payload)
        except EvidenceFault as fault:
            self.faults.append(f"{ATTESTATION} is not as it was written: {fault}.")

    def judge_signature(self, keys: "Sequence[PublicKey]", *, is_unsigned_allowed: bool) -> None:
        """Find out who vouches for the attestation, and whether the manifest says the same."""
        assert self.envelope is not None  # noqa: S101 - asked for only where there is one
        key_id = key_id_of(self.envelope)
        if key_id is None:
            sentence = (
                f"{ATTESTATION} is signed by nobody, "
                "so whoever changed a file could have changed the digests too."
            )
            (self.notes if is_unsigned_allowed else self.faults).append(sentence)
        else:
            fault: object = (
                f"is signed by {_signer(key_id)}, and there is no key to check that with; give"
                " that key its role with: qidguard keys trust FILE, or give the public key with --trust"
            )
            if keys:
                try:
                    self.signed_by = signer_of(self.envelope, keys)
                except EvidenceFault as error:
                    fault = error
            if self.signed_by is None:
                self.faults.append(f"{ATTESTATION} {fault}.")
                self.statement = None  # what nobody vouches for is no measure of the other files
        if self.manifest is not None and self.manifest.key_id != key_id:
            named = _signer(self.manifest.key_id)
            self.faults.append(
                f"{MANIFEST} says that {named} signed, and {ATTESTATION} names {_signer(key_id)}."
            )

    def compare(self, policy_bytes: bytes | None) -> None:
        """Hold files, manifest, statement and policy against each other.

        A manifest that is not the one attested is no measure of the other files; the statement is then.
        """
        if self.statement is not None:
            if MANIFEST in self.digests:
                self.faults += subjects_against_files(self.statement, self.manifest, self.digests[MANIFEST])
            if self.manifest is not None:
                self.faults += manifest_against_statement(self.manifest, self.statement)
            self.notes += privacy_notes(self.statement)
        sizes: dict[str, int] = {}
        if self.manifest is not None and self._is_manifest_attested():
            sizes = {file.name: file.bytes for file in self.manifest.files}
            digests = {file.name: file.sha256 for file in self.manifest.files}
            expected, who = self.manifest.policy.sha256, "the manifest"
        elif self.statement is not None:
            digests = subjects_of(self.statement)
            digests.pop(MANIFEST, None)
            expected, who = self.statement["predicate"]["policy"]["sha256"], "the attestation"
        else:
            return
        self.faults += files_against(self.place, digests, sizes, who)
        if policy_bytes is not None:
            self.faults += policy_against(policy_bytes, expected, who)

    def _is_manifest_attested(self) -> bool:
        """Whether the manifest is the one that the statement names, or no statement says otherwise."""
        declared = None if self.statement is None else subjects_of(self.statement).get(MANIFEST)
        return declared in {None, self.digests.get(MANIFEST)}

    def identify(self, data_set: str | None, release_id: str | None) -> None:
        """Say which release it is: a whole release put in another's place is as good as it was."""
        if self.manifest is None:
            return
        named = (self.manifest.data_set, self.manifest.release_id)
        for what, expected, name in zip(("data set", "release"), (data_set, release_id), named, strict=True):
            if expected not in {None, name}:
                self.faults.append(f"{MANIFEST} is of the {what} {name}, not of {expected}.")
        if self.place.is_below_link and self.place.path[-2:-1] == named[:1]:
            self.faults.append(f"The folder of {named[0]} is a link, {_EXCHANGED}; verify the folder itself.")
        if self._is_manifest_attested():
            self._compare_names(named, is_placed=data_set is not None, is_named=release_id is not None)
        self.notes += [
            f"It was let through by exception {e.id}, signed by {e.by} and valid until {e.expires}: "
            f"{e.reason} ({'; '.join(e.thresholds)})."
            for e in self.manifest.exceptions
        ]

    def _compare_names(self, signed: tuple[str, str], *, is_placed: bool, is_named: bool) -> None:
        """Hold the folder's names against those that are signed, where nobody says which are expected.

        What is moved out of its data set is doubted, and no more: a copy may lie anywhere.
        """
        above, own = ("", "", *self.place.path)[-2:]
        called = f"The folder is called {'/'.join(self.place.path[-2:])}, and the release in it is"
        sentence = f"{called} {'/'.join(signed)}"
        if own != signed[1] and not is_named:
            self.faults.append(
                f"{sentence}: it is an old one under a new name, or was swapped; where a copy is meant, name"
                " the release with --release (release_id)."
            )
        elif above != signed[0] and not is_placed:
            if self.place.is_beside(signed[0]):
                self.faults.append(f"{sentence}, and the folder of {signed[0]} is beside it: it was swapped.")
            else:
                self.notes.append(f"{sentence}.")

    def _content(self, name: str) -> bytes | None:
        if name in self.place.strays:
            return None  # said already, and a link is not followed
        if name not in self.place.files:
            self.faults.append(f"{name} is missing.")
            return None
        try:
            content = self.place.content(name)
        except EvidenceFault as fault:
            self.faults.append(f"{name} {fault}.")
            return None
        self.digests[name] = sha256(content).hexdigest()
        return content


def _signer(key_id: str | None) -> str:
    return "nobody" if key_id is None else f"key {key_id[:SHOWN_DIGITS]}…"


_SAID_TWICE = ("data_set", "release_id", "released_at", "policy")


def files_against(
    folder: ReleaseFolder, digests: Mapping[str, str], sizes: Mapping[str, int], who: str
) -> Iterator[str]:
    """Yield what is not as the manifest, or the attestation, says: files missing, too many or changed.

    An attestation says no sizes.
    """
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
    own = manifest.model_dump(mode="json")
    pairs = {name: (own[name], predicate[name]) for name in _SAID_TWICE}
    pairs["outcome"] = (own["outcome"], predicate["verdict"]["outcome"])
    pairs["exceptions"] = (own["exceptions"], predicate["approvals"])
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

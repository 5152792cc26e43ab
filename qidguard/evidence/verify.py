"""A release verified: every file against manifest and attestation, and the signature against trusted keys."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from qidguard.evidence.agreement import (
    files_against_manifest,
    files_against_subjects,
    manifest_against_statement,
    policy_against,
    subjects_against_files,
)
from qidguard.evidence.dsse import PAYLOAD_TYPE, SHOWN_DIGITS, Envelope, unseal
from qidguard.evidence.fault import EvidenceFault
from qidguard.evidence.folder import ReleaseFolder, open_folder
from qidguard.evidence.manifest import Manifest, read_manifest
from qidguard.evidence.privacy import new_table_note, noised_note, privacy_note
from qidguard.evidence.shape import ATTESTATION, MANIFEST
from qidguard.evidence.statement import read_statement, subjects_of
from qidguard.evidence.verification import Verification
from qidguard.evidence.withdrawal import withdrawal_sentence

if TYPE_CHECKING:
    from qidguard.evidence.ed25519 import PublicKey

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
    check.look_around()
    check.read_manifest()
    check.read_attestation()
    if check.envelope is not None:
        check.judge_signature(keys, is_unsigned_allowed=is_unsigned_allowed)
    check.compare(policy_bytes)
    check.identify(data_set, release_id)
    check.look_beside(keys)
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
    envelope: Envelope | None = None
    statement: dict[str, Any] | None = None
    signed_by: "PublicKey | None" = None

    def read_manifest(self) -> None:
        """Read the manifest as far as it can be read."""
        try:
            if (content := self._content(MANIFEST)) is not None:
                self.manifest = read_manifest(content)
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
        key_id = self.envelope.signatures[0].keyid if self.envelope.signatures else None
        if key_id is None:
            sentence = (
                f"{ATTESTATION} is signed by nobody, "
                "so whoever changed a file could have changed the digests too."
            )
            (self.notes if is_unsigned_allowed else self.faults).append(sentence)
        else:
            self._find_signer(key_id, keys)
        if self.manifest is not None and self.manifest.key_id != key_id:
            named = _signer(self.manifest.key_id)
            self.faults.append(
                f"{MANIFEST} says that {named} signed, and {ATTESTATION} names {_signer(key_id)}."
            )

    def _find_signer(self, key_id: str, keys: "Sequence[PublicKey]") -> None:
        assert self.envelope is not None  # noqa: S101 - as above
        fault: object = (
            f"is signed by {_signer(key_id)}, and there is no key to check that with; give"
            " that key its role with: qidguard keys trust FILE, or give the public key with --trust"
        )
        if keys:
            try:
                self.signed_by = self.envelope.signer(keys)
            except EvidenceFault as error:
                fault = error
        if self.signed_by is None:
            self.faults.append(f"{ATTESTATION} {fault}.")
            self.statement = None  # what nobody vouches for is no measure of the other files

    def compare(self, policy_bytes: bytes | None) -> None:
        """Hold files, manifest, statement and policy against each other.

        A manifest that is not the one attested is no measure of the other files; the statement is then.
        """
        if self.statement is not None and MANIFEST in self.digests:
            self.faults += subjects_against_files(self.statement, self.manifest, self.digests[MANIFEST])
        if self.statement is not None and self.manifest is not None:
            self.faults += manifest_against_statement(self.manifest, self.statement)
        if self.statement is not None:
            self.notes += privacy_note(self.statement)
            self.notes += noised_note(self.statement)
            self.notes += new_table_note(self.statement)
        if self.manifest is not None and self._is_manifest_attested():
            self.faults += files_against_manifest(self.place, self.manifest)
            expected, who = self.manifest.policy["sha256"], "the manifest"
        elif self.statement is not None:
            self.faults += files_against_subjects(self.place, self.statement)
            expected, who = self.statement["predicate"]["policy"]["sha256"], "the attestation"
        else:
            return
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
            f"It was let through by exception {e['id']}, signed by {e['by']} and valid until {e['expires']}: "
            f"{e['reason']} ({'; '.join(e['thresholds'])})."
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

    def look_around(self) -> None:
        """Say what stands in the release's place."""
        if self.place.is_link:
            self.faults.append(f"{self.place.label} is a link, {_EXCHANGED}; verify the folder itself.")

    def look_beside(self, keys: "Sequence[PublicKey]") -> None:
        """Say what a notice beside the release says, and whose word that is."""
        if (notice := self.place.withdrawal()) is not None:
            self.faults.append(withdrawal_sentence(notice, keys, self.digests.get(MANIFEST)))

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

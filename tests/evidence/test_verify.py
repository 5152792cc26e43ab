import json
import os
from hashlib import sha256
from pathlib import Path

import fsspec
import pytest

from qidguard.core.errors import UserError
from qidguard.evidence.canonical import canonical_bytes
from qidguard.evidence.verify import verify_release
from qidguard.evidence.withdrawal import FORMAT, Notice
from released import EXCEPTION, FILES, POLICY, contents, new_key, write


def remove(address: str, name: str) -> None:
    """Remove one file of a release."""
    system, root = fsspec.core.url_to_fs(address)
    system.rm_file(f"{root}/{name}")


WINDOWS = b"\xef\xbb\xbf" + POLICY.replace(b"\n", b"\r\n")


@pytest.mark.parametrize("content", [POLICY, WINDOWS], ids=["as it was", "Windows"])
def test_a_release_as_it_was_published_is_verified(release, key, content):
    """No fault, no note; line ends and a byte order mark of a policy count for nothing."""
    found = verify_release(release, keys=[new_key().public, key.public], policy_bytes=content)
    assert (found.faults, found.notes, found.is_verified, found.signed_by) == ((), (), True, key.public)
    assert found.manifest.release_id == "20261121-000001"
    assert found.statement["predicate"]["ledger"] == {"hash": "b" * 64}
    files = contents(key)
    assert found.manifest_sha256 == sha256(files["manifest.json"]).hexdigest()
    assert found.attestation_sha256 == sha256(files["attestation.json"]).hexdigest()


@pytest.mark.parametrize("content", [b"", POLICY + b" ", b"\xff"])
def test_another_policy_is_found(release, key, content):
    """One space more in the policy's file is another policy."""
    (fault,) = verify_release(release, keys=[key.public], policy_bytes=content).faults
    assert "olicy file" in fault


OTHER = b"SEX,age\nf,30\nf,30\nm,41\nm,41\n"
EXPECTED, FOUND = (sha256(content).hexdigest()[:12] for content in (FILES["patients.csv"], OTHER))


@pytest.mark.parametrize(("removed", "written", "faults"), [
    ([], {"patients.csv": OTHER},
     [f"SHA-256 of patients.csv is not what the manifest says (expected {EXPECTED}, found {FOUND})."]),
    ([], {"patients.csv": FILES["patients.csv"] + b"\n"},
     ["patients.csv has 29 bytes, and the manifest says 28.", "SHA-256 of patients.csv is not"]),
    (["patients.csv"], {"notes.txt": b"hello"},
     ["notes.txt is not in the manifest.", "patients.csv is missing."]),
    ([], contents(None), ["attestation.json is signed by nobody"]),
    ([], {"manifest.json": b"{}\n", "patients.csv": b""}, [
        "manifest.json is not as it was written: format is missing.",
        "SHA-256 of manifest.json is not what the attestation says (",
        "SHA-256 of patients.csv is not what the attestation says ("]),
    ([], {"more/x": b"1"}, ["more is a folder; a release holds plain files."]),
], ids=["content", "size", "names", "unsigned", "manifest", "folder"])  # fmt: skip
def test_whatever_changed_in_the_folder_is_named(release, key, removed, written, faults):
    """Which file, twelve digits of what was expected and found; data are checked by a broken manifest too."""
    for name in removed:
        remove(release, name)
    for name, content in written.items():
        folder, _, file = f"{release}/{name}".rpartition("/")
        write(folder, {file: content})
    found = verify_release(release, keys=[key.public]).faults
    assert [words[: len(begins)] for words, begins in zip(found, faults, strict=True)] == faults


def test_two_data_files_that_changed_places_are_both_named(place, key):
    """Each has the other's content."""
    files = {"a.csv": b"x\n1\n", "b.csv": b"x\n2\n"}
    write(place, contents(key, files))
    write(place, {"a.csv": files["b.csv"], "b.csv": files["a.csv"]})
    faults = verify_release(place, keys=[key.public]).faults
    assert [fault.split()[2] for fault in faults] == ["a.csv", "b.csv"]


def test_a_folder_without_a_manifest_is_no_release(release, key):
    """The manifest is written last, so a release that was cut off has none."""
    remove(release, "manifest.json")
    (fault,) = verify_release(release, keys=[key.public]).faults
    assert fault.endswith("is no release (it has no manifest; a release that was cut off leaves none).")


def test_unsigned_is_allowed_where_that_is_asked_for(place):
    """Whoever changes a file can change its digests too, which is said; a missing statement is a fault."""
    write(place, contents(None))
    (fault,) = verify_release(place, keys=[new_key().public]).faults
    assert fault.startswith("attestation.json is signed by nobody")
    found = verify_release(place, is_unsigned_allowed=True)
    assert (found.faults, found.notes, found.signed_by, found.is_verified) == ((), (fault,), None, True)
    remove(place, "attestation.json")
    found = verify_release(place, is_unsigned_allowed=True)
    assert (found.faults, found.is_verified) == (("attestation.json is missing.",), False)


def test_a_signature_that_no_key_checks_is_a_fault(release, key):
    """Also where unsigned ones are allowed; the key is named, whether none or another was given."""
    for is_allowed in (False, True):
        (fault,) = verify_release(release, is_unsigned_allowed=is_allowed).faults
        assert "its role with: qidguard keys trust FILE, or" in fault
        assert fault.endswith("give the public key with --trust.")
        assert key.public.id[:12] in fault
    found = verify_release(release, keys=[new_key().public])
    assert found.signed_by is None
    (fault,) = found.faults
    assert "not among the keys given" in fault


def test_a_signature_that_was_taken_off_or_added_is_found(release, key):
    """The manifest says that it is signed, also where unsigned is allowed; and one signature is the rule."""
    envelope = json.loads(contents(key)["attestation.json"])
    write(release, {"attestation.json": contents(None)["attestation.json"]})
    faults = verify_release(release, keys=[key.public], is_unsigned_allowed=True).faults
    assert f"manifest.json says that key {key.public.id[:12]}… signed" in " ".join(faults)
    envelope["signatures"] *= 2
    write(release, {"attestation.json": canonical_bytes(envelope)})
    found = verify_release(release, keys=[key.public]).faults
    assert found == (
        "attestation.json is not as it was written: it holds 2 signatures, and one is the rule.",
    )


def test_another_release_in_its_place_is_found_by_its_name(place, key):
    """A whole release of the same signer is as good as it was: only the name that is signed tells."""
    write(place, contents(new_key(), {"patients.csv": b"sex,age\nx,0\n"}))
    (fault,) = verify_release(place, keys=[key.public]).faults
    assert "not among the keys given" in fault
    write(place, contents(key, data_set="visits", release_id="20260101-000001"))
    (fault,) = verify_release(place, keys=[key.public]).faults
    assert fault.startswith(
        "The folder is called patients/20261121-000001, and the release in it is visits/20260101-000001: "
    )
    expected = verify_release(place, keys=[key.public], data_set="patients", release_id="20261121-000001")
    assert expected.faults == (
        "manifest.json is of the data set visits, not of patients.",
        "manifest.json is of the release 20260101-000001, not of 20261121-000001.",
    )
    named = verify_release(place, keys=[key.public], data_set="visits", release_id="20260101-000001")
    assert (named.faults, named.notes) == ((), ())


def test_two_folders_that_were_swapped_are_found(tmp_path, key):
    """Two releases of one data set; and releases of one name in two data sets."""
    for data_set in ("visits", "wards"):
        for release_id in ("r1", "r2"):
            write(
                str(tmp_path / data_set / release_id), contents(key, data_set=data_set, release_id=release_id)
            )

    def faults(name):
        return verify_release(str(tmp_path / name), keys=[key.public]).faults

    def swap(one, other):
        aside = tmp_path / "aside"
        (tmp_path / one).rename(aside)
        (tmp_path / other).rename(tmp_path / one)
        aside.rename(tmp_path / other)

    assert faults("visits/r1") == ()
    swap("visits/r1", "visits/r2")
    assert all("under a new name, or was swapped" in faults(f"visits/{name}")[0] for name in ("r1", "r2"))
    swap("visits/r1", "visits/r2")
    swap("visits/r1", "wards/r1")
    assert all("is beside it: it was swapped" in faults(f"{name}/r1")[0] for name in ("visits", "wards"))


def test_a_copy_elsewhere_is_verified_with_a_note(tmp_path, key):
    """The release's own folder, put where no other release is."""
    write(str(tmp_path / "elsewhere" / "r1"), contents(key, data_set="visits", release_id="r1"))
    found = verify_release(str(tmp_path / "elsewhere" / "r1"), keys=[key.public])
    assert found.is_verified
    assert found.notes == ("The folder is called elsewhere/r1, and the release in it is visits/r1.",)


def test_a_link_in_the_place_of_the_folder_is_a_fault(tmp_path, key):
    """By its own name, with everything in it as it was signed."""
    write(str(tmp_path / "kept" / "r1"), contents(key, data_set="visits", release_id="r1"))
    (tmp_path / "visits").mkdir()
    (tmp_path / "visits" / "r1").symlink_to(tmp_path / "kept" / "r1")
    found = verify_release(str(tmp_path / "visits" / "r1"), keys=[key.public])
    assert any("is a link" in fault for fault in found.faults)


STRANGER = new_key()


NOTICE = {
    "format": FORMAT,
    "data_set": "visits",
    "release_id": "r1",
    "withdrawn_at": "2026-11-22T00:00:00Z",
    "reason": "asked for",
}
OF_ANOTHER = {"manifest_sha256": "a" * 64}


@pytest.mark.parametrize("scheme", ["", "memory://evidence-tests"])
@pytest.mark.parametrize(("signed_by", "changes", "words"), [
    ("key", {}, "signed by key {}…, says that release r1 of visits was withdrawn on 2026-11-22: asked for"),
    (None, {}, "release r1 of visits was withdrawn on 2026-11-22, and is signed by nobody, so anybody"),
    ("stranger", {}, "which is not among the keys given, so anybody may have put it there; ask whoever"),
    ("key", OF_ANOTHER, "says that another release was withdrawn (release r1 of"),
    ("key", OF_ANOTHER | {"release_id": "r0"}, "another release was withdrawn (release r0"),
])  # fmt: skip
def test_a_notice_beside_a_release_counts_by_who_signed_it(tmp_path, key, scheme, signed_by, changes, words):
    """It blocks either way, and the sentence says whether it can be relied on, and what to do."""
    folder = f"{scheme}{tmp_path}/visits/r1"
    files = contents(key, data_set="visits", release_id="r1")
    write(folder, files)
    assert verify_release(folder, keys=[key.public]).is_verified
    said = {"manifest_sha256": sha256(files["manifest.json"]).hexdigest()} | changes
    notice = Notice(**(NOTICE | said)).sealed({"key": key, "stranger": STRANGER, None: None}[signed_by])
    write(f"{scheme}{tmp_path}/visits", {"r1.withdrawn.json": notice})
    (fault,) = verify_release(folder, keys=[key.public]).faults
    assert words.format(key.public.id[:12]) in fault
    remove(f"{scheme}{tmp_path}/visits", "r1.withdrawn.json")


@pytest.mark.parametrize("notice", [b"", b"{}\n", b"\xff", b"[" * 70_000, "pipe", "folder", "link"])
def test_a_notice_that_cannot_be_read_is_a_doubt(tmp_path, key, notice):
    """Whatever it is: a pipe is not waited for, and what cannot be read is not verified."""
    folder = f"{tmp_path}/visits/r1"
    write(folder, contents(key, data_set="visits", release_id="r1"))
    place = tmp_path / "visits" / "r1.withdrawn.json"
    if isinstance(notice, bytes):
        place.write_bytes(notice)
    else:
        {"pipe": os.mkfifo, "folder": Path.mkdir, "link": lambda p: p.symlink_to("nowhere")}[notice](place)
    (fault,) = verify_release(folder, keys=[key.public]).faults
    assert fault.startswith("A notice of withdrawal stands beside it, and cannot be read: ")


def test_a_signed_notice_that_was_changed_is_a_doubt(tmp_path, key):
    """Another reason under the same signature."""
    folder = f"{tmp_path}/visits/r1"
    files = contents(key, data_set="visits", release_id="r1")
    write(folder, files)
    said = NOTICE | {"manifest_sha256": sha256(files["manifest.json"]).hexdigest()}
    true, false = (json.loads(Notice(**(said | {"reason": why})).sealed(key)) for why in ("no", "yes"))
    forged = canonical_bytes(true | {"payload": false["payload"]})
    write(f"{tmp_path}/visits", {"r1.withdrawn.json": forged})
    (fault,) = verify_release(folder, keys=[key.public]).faults
    assert "(the signature is wrong), so anybody" in fault


def test_an_attestation_of_another_release_is_found(place, key):
    """Signed by the right key, and about other bytes."""
    write(place, contents(key))
    other = contents(key, {"patients.csv": b"sex,age\nf,31\n"}, release_id="20260101-000001")
    write(place, {"attestation.json": other["attestation.json"]})
    faults = verify_release(place, keys=[key.public]).faults
    assert [fault.partition(" (")[0] for fault in faults] == [
        "SHA-256 of manifest.json is not what the attestation says",
        "manifest.json and attestation.json say different SHA-256 of patients.csv.",
        "manifest.json and attestation.json disagree on release_id.",
        "SHA-256 of patients.csv is not what the attestation says",
    ]


ANOTHER_POLICY = {"name": "clinic", "sha256": "e" * 64, "preset": None}
DISAGREE = "manifest.json and attestation.json disagree on"


@pytest.mark.parametrize(("said", "changes", "fault"), [
    ("predicate", {"data_set": "visits"}, f"{DISAGREE} data_set."),
    ("predicate", {"release_id": "x"}, f"{DISAGREE} release_id."),
    ("predicate", {"released_at": "2026-11-21T10:00:01Z"}, f"{DISAGREE} released_at."),
    ("predicate", {"policy": ANOTHER_POLICY}, f"{DISAGREE} policy."),
    ("subject", {"patients.csv": None},
     "attestation.json does not name patients.csv, and manifest.json does."),
    ("subject", {"other.csv": "f" * 64}, "attestation.json names other.csv, and manifest.json does not."),
    ("subject", {"patients.csv": "f" * 64},
     "manifest.json and attestation.json say different SHA-256 of patients.csv."),
    ("subject", {"manifest.json": None}, "attestation.json does not name manifest.json."),
])  # fmt: skip
def test_two_signed_accounts_that_contradict_each_other_are_a_fault(place, key, said, changes, fault):
    """Even if the signer wrote both: what they are about, no file more or less, and the same digests."""
    write(place, contents(key, **{f"{said}_changes": changes}))
    assert verify_release(place, keys=[key.public]).faults == (fault,)


def test_an_exception_is_noted_with_who_why_and_until_when(place, key):
    """Nobody reads VERIFIED without reading that thresholds were missed."""
    write(place, contents(key, outcome="passed_by_exception", exceptions=(EXCEPTION,)))
    found = verify_release(place, keys=[key.public])
    assert found.faults == ()
    (note,) = found.notes
    for words in ("exception-1", "A. Roe", "2026-12-31", "It is needed.", "k_anonymity ≥ 5"):
        assert words in note


@pytest.mark.parametrize("kind", ["link", "pipe"])
@pytest.mark.parametrize("name", ["patients.csv", "manifest.json", "attestation.json"])
def test_what_is_no_plain_file_is_a_fault(tmp_path, key, name, kind):
    """A link to the right bytes, which can change after anybody looked; a pipe, which is not waited for."""
    folder = tmp_path / "patients" / "20261121-000001"
    write(str(folder), contents(key))
    (folder / name).rename(tmp_path / "elsewhere")
    if kind == "link":
        (folder / name).symlink_to(tmp_path / "elsewhere")
    else:
        os.mkfifo(folder / name)
    faults = verify_release(str(folder), keys=[key.public]).faults
    said = {"link": "is a link", "pipe": "is no plain file"}[kind]
    assert faults[0] == f"{name} {said}; a release holds plain files."


@pytest.mark.parametrize("name", ["a::b", "a#b?c", "100%20", "[x]*", "file"])
def test_a_path_is_taken_as_it_is(tmp_path, key, name):
    """What has a meaning in a URL has none in a path; file:// and a path are one."""
    folder = tmp_path / name / "patients" / "20261121-000001"
    folder.mkdir(parents=True)
    for file, content in contents(key).items():
        (folder / file).write_bytes(content)
    address = f"{folder.as_uri()}/" if name == "file" else str(folder)
    assert verify_release(address, keys=[key.public]).faults == ()


@pytest.mark.parametrize("address", [
    "", "no-such-folder", "memory://nothing/here", "nonsense://x", "a\0b", "{release}/manifest.json",
])  # fmt: skip
def test_what_is_no_folder_is_the_callers_mistake(release, address):
    """One sentence, no verification; neither the manifest nor the data is a release by itself."""
    said = "is a file" if "{" in address else None
    with pytest.raises(UserError, match=said):
        verify_release(address.format(release=release))


class _Refusing(fsspec.AbstractFileSystem):
    """A store that refuses, with a secret in its error."""

    protocol = "refusing"

    def ls(self, path, detail=True, **kwargs):  # noqa: FBT002 - the signature of fsspec
        raise PermissionError("token=hunter2")


def test_a_folder_that_cannot_be_listed_is_an_error_without_secrets():
    """Neither the address's password nor the store's own words are repeated."""
    fsspec.register_implementation("refusing", _Refusing, clobber=True)
    with pytest.raises(UserError) as error:
        verify_release("refusing://user:hunter2@host/x?sig=hunter2")
    assert "cannot be listed (PermissionError)" in str(error.value)
    assert "hunter2" not in str(error.value)


def test_a_file_that_cannot_be_read_is_a_fault(tmp_path, key, monkeypatch):
    """A disk that fails under one file leaves the others checked."""
    from fsspec.implementations.local import LocalFileSystem

    write(str(tmp_path), contents(key))
    opened = LocalFileSystem.open

    def fail(self, path, *rest, **options):
        if path.endswith("patients.csv"):
            raise OSError("hunter2")
        return opened(self, path, *rest, **options)

    monkeypatch.setattr(LocalFileSystem, "open", fail)
    found = verify_release(str(tmp_path), keys=[key.public], release_id="20261121-000001")
    assert found.faults == ("patients.csv cannot be read (OSError).",)


def test_evidence_without_end_is_not_read_to_its_end(release, key, monkeypatch):
    """A manifest of gigabytes must not fill the memory."""
    monkeypatch.setattr("qidguard.evidence.folder.LARGEST_BYTES", 1000)
    write(release, {"manifest.json": b" " * 1001})
    assert verify_release(release, keys=[key.public]).faults[0] == (
        "manifest.json is larger than evidence may be (1,000 bytes)."
    )

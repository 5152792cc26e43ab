import os
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from qidguard.core.errors import UserError
from qidguard.evidence.dsse import seal, signer_of, unseal
from qidguard.evidence.key_roles import KeyRole, declare_role, roles_in, trusted_keys
from qidguard.evidence.keys import key_file_of, load_private_key, load_public_key, new_key_pair

PKCS8 = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8)
SPKI = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def private_file(path: Path, content: bytes) -> Path:
    """Write a file for its owner alone."""
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def mode(path: Path) -> int:
    """Return the rights of a file."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_a_pair_has_its_rights_whatever_the_umask(tmp_path, umask):
    """The private half is its owner's, the public one all's, which checks what the other one signs."""
    folder = tmp_path / "keys"
    folder.mkdir() if umask == 0o277 else None
    old = os.umask(umask)
    try:
        key = new_key_pair(folder, "signing")
    finally:
        os.umask(old)
    private, public = folder / "signing.key", folder / "signing.pub"
    assert {path: mode(path) for path in folder.iterdir()} == {private: 0o600, public: 0o644}
    assert umask == 0o277 or mode(folder) == 0o700
    assert public.read_text(encoding="ascii") == key.text + "\n"
    signing = load_private_key(private)
    assert signing.public == load_public_key(public) == load_public_key(str(public)) == key
    assert load_public_key(key.text) == key
    assert signer_of(unseal(seal(b"x", "text/plain", signing), "text/plain"), [key]) == key


def test_a_private_file_is_never_open_to_others_not_even_for_a_moment(tmp_path, monkeypatch):
    """It is made with its rights, and not made first and closed afterward."""
    seen = []
    opened = os.open

    def spy(path, flags, mode=0o777, **rest):
        seen.append((str(path), flags, mode))
        return opened(path, flags, mode, **rest)

    monkeypatch.setattr(os, "open", spy)
    new_key_pair(tmp_path, "signing")
    (made,) = [(flags, mode) for path, flags, mode in seen if path.endswith("signing.key")]
    assert made[0] & os.O_EXCL
    assert made[0] & os.O_CREAT
    assert made[1] == 0o600


@pytest.mark.parametrize("taken", ["signing.key", "signing.pub"])
@pytest.mark.parametrize("kind", ["file", "link", "dangling", "folder"])
def test_nothing_is_ever_overwritten(tmp_path, taken, kind):
    """Neither half, whatever stands there, and no half of a pair is left behind."""
    folder = tmp_path / "keys"
    folder.mkdir()
    (tmp_path / "elsewhere").write_text("old", encoding="ascii")
    path = folder / taken
    if kind == "file":
        path.write_text("old", encoding="ascii")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / ("elsewhere" if kind == "link" else "nowhere"))
    with pytest.raises(UserError, match="never overwritten"):
        new_key_pair(folder, "signing")
    assert [p.name for p in folder.iterdir()] == [taken]
    assert (tmp_path / "elsewhere").read_text(encoding="ascii") == "old"
    assert not (tmp_path / "nowhere").exists()


def test_a_full_disk_leaves_no_half_of_a_pair(tmp_path, monkeypatch):
    """If the public half cannot be written the private one goes too."""
    calls = []

    def fail(handle):
        calls.append(handle)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(UserError, match="No space left"):
        new_key_pair(tmp_path, "signing")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "-x", "a/b", "a\\b", "a\nb", "a\0b"])
def test_a_name_is_a_plain_name(tmp_path, name):
    """No key is made outside the folder that was named."""
    with pytest.raises(UserError, match="plain file name"):
        new_key_pair(tmp_path / "keys", name)
    assert not (tmp_path / "keys").exists()


def test_a_passphrase_encrypts(tmp_path):
    """Without it, with another one, or with one too many, the key stays shut; an empty one is none."""
    key = new_key_pair(tmp_path, "signing", "correct horse")
    new_key_pair(tmp_path, "open")
    assert b"ENCRYPTED PRIVATE KEY" in (tmp_path / "signing.key").read_bytes()
    assert load_private_key(tmp_path / "signing.key", "correct horse").public == key
    for name, passphrase, said in (
        ("signing", None, "is encrypted; give its passphrase"),
        ("signing", "battery staple", "cannot be decrypted with this passphrase"),
        ("open", "correct horse", "is not encrypted"),
        ("open", "", "protects nothing"),
    ):
        with pytest.raises(UserError, match=said) as error:
            load_private_key(tmp_path / f"{name}.key", passphrase)
        assert "battery" not in str(error.value)
    with pytest.raises(UserError, match="protects nothing"):
        new_key_pair(tmp_path / "none", "signing", "")
    assert not list(tmp_path.glob("none/*"))


@pytest.mark.parametrize("rights", [0o640, 0o604, 0o620, 0o602, 0o601, 0o644, 0o777])
def test_a_key_that_others_can_reach_is_not_used(tmp_path, rights):
    """The sentence says what to run."""
    new_key_pair(tmp_path, "signing")
    path = tmp_path / "signing.key"
    path.chmod(rights)
    with pytest.raises(UserError, match=f"chmod 600 {path}"):
        load_private_key(path)
    path.chmod(0o400)
    load_private_key(path)


def test_what_is_no_key_is_refused_without_a_word_of_it(tmp_path):
    """Other kinds of keys, damaged ones, other files, none at all."""
    secret = b"Zanzibar-7f"
    good = ed25519.Ed25519PrivateKey.generate().private_bytes(*PKCS8, serialization.NoEncryption())
    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(*PKCS8, serialization.NoEncryption())
    cases = {
        secret: "holds no private key",
        b"": "holds no private key",
        good[: len(good) // 2] + secret: "holds no private key",
        good.replace(b"\nM", b"\nN"): "holds no private key",
        other: "is not Ed25519",
        b"ENCRYPTED " + secret: "is encrypted",
        b"x" * 70_000: "larger than a key",
    }
    for content, words in cases.items():
        with pytest.raises(UserError, match=words) as error:
            load_private_key(private_file(tmp_path / "some.key", content))
        assert secret.decode() not in str(error.value)
        assert error.value.__cause__ is None
        assert error.value.__suppress_context__ or error.value.__context__ is None
    with pytest.raises(UserError, match="cannot be read"):
        load_private_key(tmp_path / "none.key")
    with pytest.raises(UserError, match="cannot be read"):
        load_private_key(tmp_path)
    os.mkfifo(tmp_path / "pipe.key", 0o600)
    with pytest.raises(UserError, match="no plain file"):
        load_private_key(tmp_path / "pipe.key")


def test_public_keys_in_other_files(tmp_path):
    """PEM is read as well; private keys, other kinds and other texts are not."""
    private = ed25519.Ed25519PrivateKey.generate()
    pem = tmp_path / "key.pem"
    pem.write_bytes(private.public_key().public_bytes(*SPKI))
    key = load_public_key(pem)
    assert key.raw == private.public_key().public_bytes_raw()
    cases = {
        private.private_bytes(*PKCS8, serialization.NoEncryption()): "private key",
        ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(*SPKI): "not Ed25519",
        b"hello": "holds no public key",
        b"ed25519:abc\n": "holds no public key",
        key.text.encode() + b"\n" + key.text.encode() + b"\n": "holds no public key",
        b"": "holds no public key",
    }
    for content, words in cases.items():
        pem.write_bytes(content)
        with pytest.raises(UserError, match=words):
            load_public_key(pem)
    for wrong in ("ed25519:abc", "no-such.pub", str(tmp_path), "", "a\0b"):
        with pytest.raises(UserError):
            load_public_key(wrong)


def test_a_key_is_trusted_by_its_role_and_not_by_where_its_file_lies(tmp_path):
    """A .pub file alone is trusted for nothing; the list beside it says what a key may sign, one each."""
    folder = tmp_path / "keys"
    assert trusted_keys(folder) == ()
    first, second, third = (new_key_pair(folder, name) for name in "abc")
    assert trusted_keys(folder) == ()
    declare_role(folder, first, KeyRole.RELEASE, "a")
    declare_role(folder, second, KeyRole.APPROVER, "b of the\nboard")
    declare_role(folder, first, KeyRole.RELEASE, "again")
    assert roles_in(folder) == {first: KeyRole.RELEASE, second: KeyRole.APPROVER}
    assert trusted_keys(folder) == (first,)
    with pytest.raises(UserError, match="a key has one role"):
        declare_role(folder, second, KeyRole.RELEASE, "b")
    assert key_file_of(folder, third.id) == folder / "c.pub"


def test_a_list_of_keys_that_others_can_write_or_that_is_damaged_is_trusted_by_nobody(tmp_path):
    """Rights for others end it; so does a line that is no role and key, and a key with two roles."""
    folder = tmp_path / "keys"
    key = new_key_pair(folder, "a")
    declare_role(folder, key, KeyRole.RELEASE, "a")
    path = folder / "roles.txt"
    for place in (folder, path):
        before = mode(place)
        place.chmod(before | 0o020)
        with pytest.raises(UserError, match="chmod go-w"):
            trusted_keys(folder)
        place.chmod(before)
    whole = path.read_text()
    for wrong, words in (
        ("owner x", "line 2"),
        (f"approver {key.text} a", "two roles"),
        ("release", "line 2"),
    ):
        path.write_text(f"{whole}{wrong}\n")
        with pytest.raises(UserError, match=words):
            trusted_keys(folder)
    path.write_text(f"# mine\n\n{whole}")
    assert trusted_keys(folder) == (key,)

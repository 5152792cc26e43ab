"""Key files: a pair is made once and never overwritten, and read only when it is safe to."""

from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from qidguard.core.errors import UserError
from qidguard.core.system import why
from qidguard.evidence.ed25519 import PREFIX, PublicKey, SigningKey, parse_public_key
from qidguard.evidence.private_file import make_folder, read_file, write_new

__all__ = [
    "PublicKey",
    "SigningKey",
    "key_file_of",
    "load_private_key",
    "load_public_key",
    "new_key_pair",
    "parse_public_key",
]

PRIVATE_SUFFIX = ".key"
PUBLIC_SUFFIX = ".pub"


def new_key_pair(folder: Path, name: str, passphrase: str | None = None) -> PublicKey:
    """Make a key pair: ``<name>.key`` for its owner alone, and ``<name>.pub`` for everyone."""
    if not name or name.startswith((".", "-")) or not name.isprintable() or set(name) & set("/\\"):
        raise UserError(f"a key's name is a plain file name, not {name!r}; name it by letters and digits")
    private_path, public_path = folder / (name + PRIVATE_SUFFIX), folder / (name + PUBLIC_SUFFIX)
    encryption = _encryption(passphrase)
    make_folder(folder)
    key = Ed25519PrivateKey.generate()
    signing_key = SigningKey(key)
    content = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
    if public_path.is_symlink() or public_path.exists():
        raise _taken(public_path)
    _write(private_path, content, mode=0o600)
    try:
        _write(public_path, f"{signing_key.public.text}\n".encode("ascii"), mode=0o644)
    except BaseException:
        private_path.unlink(missing_ok=True)  # ours, made a moment ago; half a pair is none
        raise
    return signing_key.public


def load_private_key(path: Path, passphrase: str | None = None) -> SigningKey:
    """Return the signing key in a PEM file."""
    name = repr(str(path))
    content = read_file(path, "key file", is_secret=True)
    is_encrypted = b"ENCRYPTED" in content
    _encryption(passphrase)
    if is_encrypted and passphrase is None:
        raise UserError(f"the key file {name} is encrypted; give its passphrase in QIDGUARD_KEY_PASSPHRASE")
    if passphrase is not None and not is_encrypted:
        raise UserError(
            f"a passphrase is given, and the key file {name} is not encrypted; check that it is the right one"
        )
    try:
        key = serialization.load_pem_private_key(
            content, None if passphrase is None else passphrase.encode("utf-8")
        )
    except (ValueError, TypeError, UnsupportedAlgorithm):
        wrong = (
            "cannot be decrypted with this passphrase; give the right one in QIDGUARD_KEY_PASSPHRASE"
            if is_encrypted
            else "holds no private key; make one with: qidguard keys new"
        )
        raise UserError(f"the key file {name} {wrong}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UserError(
            f"the key file {name} holds a key that is not Ed25519; make one with: qidguard keys new"
        )
    return SigningKey(key)


def load_public_key(path_or_text: Path | str) -> PublicKey:
    """Return a public key from its text form, or from a file that holds that or a PEM public key."""
    if isinstance(path_or_text, str) and path_or_text.startswith(PREFIX):
        return parse_public_key(path_or_text)
    name = repr(str(path_or_text))
    content = read_file(Path(path_or_text), "public key", is_secret=False)
    if b"PRIVATE KEY" in content:
        raise UserError(f"the file {name} holds a private key, which nobody else needs; give the .pub file")
    try:
        if content.startswith(PREFIX.encode()):
            return parse_public_key(content.decode("ascii").rstrip("\r\n"))
        key = serialization.load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm, UserError):
        raise UserError(
            f"the file {name} holds no public key; give a .pub file of: qidguard keys new"
        ) from None
    if not isinstance(key, Ed25519PublicKey):
        raise UserError(f"the file {name} holds a public key that is not Ed25519; give one that is")
    return PublicKey(raw=key.public_bytes_raw())


def key_file_of(folder: Path, key_id: str) -> Path | None:
    """Return the public key's file in a folder, by its id; None where there is none that can be read."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == PUBLIC_SUFFIX)
    except OSError:
        return None
    for path in paths:
        with suppress(UserError):
            if load_public_key(path).id == key_id:
                return path
    return None


def _encryption(passphrase: str | None) -> serialization.KeySerializationEncryption:
    if passphrase is None:
        return serialization.NoEncryption()
    if not passphrase:
        raise UserError("an empty passphrase protects nothing; unset QIDGUARD_KEY_PASSPHRASE or fill it")
    return serialization.BestAvailableEncryption(passphrase.encode("utf-8"))


def _write(path: Path, content: bytes, *, mode: int) -> None:
    try:
        write_new(path, content, mode=mode)
    except FileExistsError:
        raise _taken(path) from None
    except OSError as error:
        raise UserError(
            f"the key file {str(path)!r} cannot be written ({why(error)}); name another folder"
        ) from None


def _taken(path: Path) -> UserError:
    return UserError(f"{str(path)!r} exists, and a key is never overwritten; give another --name or --folder")

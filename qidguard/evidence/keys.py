"""Key files: a pair is made once and never overwritten, and read only when it is safe to."""

import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from qidguard.core.errors import UserError
from qidguard.evidence.ed25519 import PREFIX, PublicKey, SigningKey, parse_public_key
from qidguard.evidence.private_file import make_folder, read_file, reason, write_new

__all__ = [
    "PublicKey",
    "SigningKey",
    "load_private_key",
    "load_public_key",
    "new_key_pair",
    "parse_public_key",
    "trusted_keys",
]

PRIVATE_SUFFIX = ".key"
PUBLIC_SUFFIX = ".pub"


def new_key_pair(folder: Path, name: str, passphrase: str | None = None) -> PublicKey:
    """Make a key pair: ``<name>.key`` for its owner alone, and ``<name>.pub`` for everyone.

    Args:
        folder: Where; made for its owner alone if it does not exist.
        name: The files' name without suffix.
        passphrase: Encrypts the private key; None leaves it to the file's rights.

    Returns:
        The public key.

    Units:
        None.

    Raises:
        UserError: when either file exists, the name is no plain name, the passphrase is empty, or the folder
            cannot be written to.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     key = new_key_pair(Path(folder), "signing")
        ...     load_public_key(Path(folder, "signing.pub")) == key
        True
    """
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
    """Return the signing key in a PEM file.

    Args:
        path: A PKCS #8 PEM file, mode 0600 or less.
        passphrase: What encrypts it; None for a file that is not encrypted.

    Returns:
        The key.

    Units:
        None.

    Raises:
        UserError: when others can read the file, it holds no Ed25519 key, or the passphrase is not its own.

    Example:
        >>> load_private_key(Path("no-such.key"))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        qidguard.core.errors.UserError: the key file 'no-such.key' cannot be read (No such file...
    """
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
    """Return a public key from its text form, or from a file that holds that or a PEM public key.

    Args:
        path_or_text: ``ed25519:…``, or the path of a ``.pub`` or PEM file.

    Returns:
        The key.

    Units:
        None.

    Raises:
        UserError: when the text has another form, or the file cannot be read or holds no Ed25519 public key.

    Example:
        >>> load_public_key("ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=").id[:12]
        '21fe31dfa154'
    """
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


def trusted_keys(folder: Path) -> tuple[PublicKey, ...]:
    """Return every public key in a folder, which nobody else may be able to add to.

    Args:
        folder: The keys folder; it need not exist.

    Returns:
        The keys of its ``.pub`` files, by file name.

    Units:
        None.

    Raises:
        UserError: when others can write the folder or a key in it, or one of its ``.pub`` files holds no key.

    Example:
        >>> trusted_keys(Path("no-such-folder"))
        ()
    """
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == PUBLIC_SUFFIX)
        open_to_others = [path for path in (folder, *paths) if path.stat().st_mode & 0o022]
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UserError(
            f"the keys folder {str(folder)!r} cannot be looked into ({reason(error)}); check its rights"
        ) from None
    if open_to_others and os.name == "posix":
        raise UserError(
            f"others can write {str(open_to_others[0])!r}, so its keys are not trusted; "
            f"run: chmod go-w {open_to_others[0]}"
        )
    return tuple(load_public_key(path) for path in paths)


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
            f"the key file {str(path)!r} cannot be written ({reason(error)}); name another folder"
        ) from None


def _taken(path: Path) -> UserError:
    return UserError(f"{str(path)!r} exists, and a key is never overwritten; give another --name or --folder")

"""Where a task finds ledger and keys; keys given as text are private files for as long as they are used."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from qidguard.core.errors import UserError
from qidguard.core.files import PrivateFolder
from qidguard.evidence.home import KEY_BYTES, Home
from qidguard.evidence.keys import load_private_key
from qidguard.evidence.private_file import make_folder, write_new
from qidguard_provider.hooks.access import Access, is_pem, pem_lines

if TYPE_CHECKING:
    from qidguard.ledger.anchors import Anchors
    from qidguard.releasing.context import RunOptions


@dataclass(frozen=True, kw_only=True)
class KeyFiles:
    """Where things are while a task runs; None leaves a part to the environment.

    Args:
        home: The home folder.
        key: The signing key's file.
        ledger: The ledger's URL.
        passphrase: Opens the signing key.
    """

    home: str | None
    key: str | None
    ledger: str | None = field(repr=False)
    passphrase: str | None = field(repr=False)

    def resolved_home(self) -> Home:
        """Return the home folder, that of the environment where none is given."""
        return Home.at(self.home)

    def resolved_key(self) -> Path | None:
        """Return the signing key's file, else the home folder's; None where there is none."""
        return self.resolved_home().default_signing_key() if self.key is None else Path(self.key)


@contextmanager
def key_files(access: Access) -> Iterator[KeyFiles]:
    """Yield home folder, key file and the rest; what was given as text is in a private folder meanwhile."""
    passphrase = access.passphrase
    if passphrase is None and access.signing_key is None:
        passphrase = os.environ.get("QIDGUARD_KEY_PASSPHRASE")
    given = KeyFiles(home=access.home, key=access.signing_key, ledger=access.ledger, passphrase=passphrase)
    is_text = access.signing_key is not None and is_pem(access.signing_key)
    if not is_text and access.history_key is None:
        yield given
        return
    folder = PrivateFolder()
    try:
        if is_text:
            given = replace(given, key=_written_key(access.signing_key or "", folder.path))
        if access.history_key is not None:
            write_new(folder.path / "history.key", _history_key(access))
            given = replace(given, home=str(folder.path))
            if given.key is not None:
                _trust(given.key, given.passphrase, folder.path)
        with _kept_anchors(access, folder.path):
            yield given
    finally:
        folder.remove()


@contextmanager
def run_options(access: Access, **given: Unpack["RunOptions"]) -> Iterator["RunOptions"]:
    """Yield what the host is told of a run: what is given, ledger and keys."""
    with key_files(access) as files:
        yield {
            **given,
            "ledger": files.ledger,
            "key": files.key,
            "passphrase": files.passphrase,
            "home": files.home,
        }


@contextmanager
def _kept_anchors(access: Access, folder: Path) -> Iterator[None]:
    """Let the home folder of a while know how far the ledger had come, and remember how far it came.

    Where the connection names no folder that remembers, the ledger is taken as it is, if it holds by itself.
    """
    if access.ledger is None:
        yield
        return
    from qidguard.ledger.anchors import Anchors, seen_empty
    from qidguard.ledger.location import database_at

    identity = database_at(access.ledger, lock_seconds=0).identity
    ours = Anchors(Home.at(str(folder)).anchors_file(), identity)
    if access.anchors is None:
        ours.remember(seen_empty())
        yield
        return
    kept = Anchors(Home.at(access.anchors).anchors_file(), identity)
    _remember(kept, ours)
    try:
        yield
    finally:
        _remember(ours, kept)


def _remember(seen: "Anchors", by: "Anchors") -> None:
    if (head := seen.seen()) is not None:
        by.remember(head)


def _written_key(text: str, folder: Path) -> str:
    make_folder(folder / "keys")
    file = folder / "keys" / "signing.key"
    write_new(file, "".join(f"{line}\n" for line in pem_lines(text)).encode())
    return str(file)


def _trust(key: str, passphrase: str | None, folder: Path) -> None:
    """Put the public key where a home folder has those that are trusted."""
    make_folder(folder / "keys")
    own = load_private_key(Path(key), passphrase).public
    write_new(folder / "keys" / "signing.pub", f"{own.text}\n".encode())


def _history_key(access: Access) -> bytes:
    try:
        key = bytes.fromhex(access.history_key or "")
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise UserError(
            f"The history_key of the connection {access.name!r} must be {2 * KEY_BYTES} hexadecimal digits;"
            " print them from a home folder with: xxd -p -c 64 history.key"
        )
    return key

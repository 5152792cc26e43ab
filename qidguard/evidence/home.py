"""The home folder: where keys, ledger and the secret of the histories are, unless named otherwise."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from qidguard.core.errors import UserError
from qidguard.core.files import new_draft, sweep_drafts, to_disk
from qidguard.core.system import expanded, why
from qidguard.evidence.private_file import make_folder, read_file

KEY_BYTES = 32


def read_or_make(path: Path) -> bytes:
    """Return the secret in a file, which is made if there is none; one that is damaged is never replaced.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     len(read_or_make(Path(folder, "history.key")))
        32
    """
    sweep_drafts(path)
    if not os.path.lexists(path):
        _make(path)
    key = read_file(path, "history key", is_secret=True)
    if len(key) != KEY_BYTES:
        raise UserError(
            f"the history key {str(path)!r} is damaged: it has {len(key):,} bytes, not {KEY_BYTES}; restore "
            "it from a backup, since earlier releases cannot be compared without it"
        )
    return key


def _make(path: Path) -> None:
    """Make the whole file aside and link it in, which fails where another process was first."""
    make_folder(path.parent)
    try:
        with new_draft(path) as lock:
            lock.path.write_bytes(secrets.token_bytes(KEY_BYTES))
            to_disk(lock.path)
            try:
                path.hardlink_to(lock.path)
            except FileExistsError:
                return
        to_disk(path.parent)  # a key that is gone after a loss of power would be made anew
    except OSError as error:
        raise UserError(
            f"the history key {str(path)!r} cannot be made ({why(error)}); "
            "set QIDGUARD_HOME to a folder on a disk of this machine"
        ) from None


@dataclass(frozen=True, kw_only=True)
class Home:
    """A home folder; nothing in it need exist before it is written.

    Args:
        folder: Its absolute path.
    """

    folder: Path

    @classmethod
    def at(cls, folder: str | None = None) -> Self:
        """Return the home folder that is named, else QIDGUARD_HOME, else the account's own.

        The account's own is ``qidguard`` in XDG_DATA_HOME, or in ~/.local/share.

        Example:
            >>> Home.at("/srv/qidguard").keys_folder.as_posix()
            '/srv/qidguard/keys'
        """
        try:
            if given := folder or os.environ.get("QIDGUARD_HOME"):
                return cls(folder=Path(given).expanduser().absolute())
            # the XDG Base Directory Specification has relative paths ignored
            data = Path(os.environ.get("XDG_DATA_HOME", ""))
            return cls(folder=(data if data.is_absolute() else Path.home() / ".local" / "share") / "qidguard")
        except RuntimeError:
            raise UserError("this account has no home directory; set QIDGUARD_HOME to a folder") from None

    @property
    def keys_folder(self) -> Path:
        """The folder of the keys, and of the list of their roles."""
        return self.folder / "keys"

    def anchors_file(self) -> Path:
        """Return the file in which heads of the ledger's chain are noted, beside the ledger.

        Example:
            >>> Home.at("/srv/qidguard").anchors_file().name
            'anchors.jsonl'
        """
        return self.folder / "anchors.jsonl"

    def default_signing_key(self) -> Path | None:
        """Return the file of the key that signs: QIDGUARD_KEY, else ``signing.key`` in the keys folder."""
        if given := os.environ.get("QIDGUARD_KEY"):
            return expanded(given)
        path = self.keys_folder / "signing.key"
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise UserError(
                f"the keys folder {str(path.parent)!r} cannot be looked into ({why(error)}); check its rights"
            ) from None
        return path

    def default_ledger(self) -> str:
        """Return the address of the ledger: QIDGUARD_LEDGER, else the SQLite file of the home folder.

        Example:
            >>> isinstance(Home.at("/srv/qidguard").default_ledger(), str)
            True
        """
        if given := os.environ.get("QIDGUARD_LEDGER"):
            return given
        path = (self.folder / "ledger.db").as_posix()
        if "?" in path:
            raise UserError(
                f"the home folder's path {path!r} holds a question mark, and a database address cannot; "
                "set QIDGUARD_LEDGER, or QIDGUARD_HOME to another folder"
            )
        return f"sqlite:///{path}"

    def history_key(self) -> bytes:
        """Return the secret under which the classes of releases are kept; it is made when first asked for.

        It is never replaced: under another key no new release can be compared with the earlier ones.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     Home.at(folder).history_key() == Home.at(folder).history_key()
            True
        """
        return read_or_make(self.folder / "history.key")

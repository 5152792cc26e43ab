"""The home folder: where the keys, the ledger and the secret of the histories are, unless told otherwise."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from qidguard.core.errors import UserError
from qidguard.evidence.history_key import read_or_make
from qidguard.evidence.private_file import reason


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

        Args:
            folder: A path; None names none.

        Returns:
            The home folder.

        Units:
            None.

        Raises:
            UserError: when the account has no home directory and nothing else is named.

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
        """The folder of the keys; every public key in it is trusted where no other is given."""
        return self.folder / "keys"

    def anchors_file(self) -> Path:
        """Return the file in which heads of the ledger's chain are noted, beside the ledger.

        Returns:
            Its path.

        Units:
            None.

        Raises:
            Nothing.

        Example:
            >>> Home.at("/srv/qidguard").anchors_file().name
            'anchors.jsonl'
        """
        return self.folder / "anchors.jsonl"

    def default_signing_key(self) -> Path | None:
        """Return the file of the key that signs: QIDGUARD_KEY, else ``signing.key`` in the keys folder.

        Returns:
            Its path; None where neither is there. A file that QIDGUARD_KEY names need not exist, so that a
            wrong name is found when the key is loaded, and is not taken for no key.

        Units:
            None.

        Raises:
            UserError: when the keys folder cannot be looked into.

        Example:
            >>> path = Home.at("/srv/qidguard").default_signing_key()
        """
        if given := os.environ.get("QIDGUARD_KEY"):
            return Path(given).expanduser()
        path = self.keys_folder / "signing.key"
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise UserError(
                f"the keys folder {str(path.parent)!r} cannot be looked into ({reason(error)}); "
                "check its rights"
            ) from None
        return path

    def default_ledger(self) -> str:
        """Return the address of the ledger: QIDGUARD_LEDGER, else the SQLite file of the home folder.

        Returns:
            A database URL.

        Units:
            None.

        Raises:
            UserError: when the folder's path cannot stand in a database URL.

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

        Returns:
            32 random bytes; every process gets the same ones.

        Units:
            Bytes.

        Raises:
            UserError: when the file is damaged, others can read it, or it cannot be made.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     Home.at(folder).history_key() == Home.at(folder).history_key()
            True
        """
        return read_or_make(self.folder / "history.key")

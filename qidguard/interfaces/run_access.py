"""Ledger and keys of a run where a store of secrets gives them, such as a connection of a schedule.

Keys given as text are private files for as long as they are used.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Unpack
from urllib.parse import unquote, unquote_plus

from qidguard.core.errors import UserError
from qidguard.core.files import PrivateFolder
from qidguard.evidence.home import KEY_BYTES, Home
from qidguard.evidence.key_roles import trusted_keys
from qidguard.evidence.keys import PublicKey, SigningKey, load_private_key, parse_public_key
from qidguard.evidence.private_file import make_folder, write_new
from qidguard.interfaces.advice_output import is_switched_on
from qidguard.interfaces.home_ledger import PASSPHRASE, home_ledger
from qidguard.interfaces.verifying import trusted, verified
from qidguard.ledger import open_ledger
from qidguard.ledger.anchors import Anchors, seen_empty
from qidguard.ledger.databases.sqlite import SqliteDatabase
from qidguard.ledger.location import database_at
from qidguard.releasing.history.published import Published, published

if TYPE_CHECKING:
    from qidguard.evidence.verify import Verification
    from qidguard.policy import Policy
    from qidguard.releasing.context import RunOptions

_BEGIN, _END, _DASHES = "-----BEGIN ", "-----END ", "-----"
_USER_PASSWORD = re.compile(r"://[^:/]*:([^@]*)@")
_PATIENCE_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class RunAccess:
    """Where the ledger is and what signs; None leaves a part to the environment.

    Args:
        label: What gives it, for sentences, such as ``connection 'gate'``.
        ledger: The ledger's URL.
        home: The home folder.
        signing_key: The key that signs, as PEM text or as the path of its file.
        history_key: The key of the histories, 64 hexadecimal digits.
        anchors: Beside a history key, the folder that remembers how far the ledger had come.
        passphrase: Opens the signing key.
    """

    label: str
    ledger: str | None = field(default=None, repr=False)
    home: str | None = None
    signing_key: str | None = field(default=None, repr=False)
    history_key: str | None = field(default=None, repr=False)
    anchors: str | None = None
    passphrase: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        places = {"home": self.home, "signing_key": self.signing_key, "anchors": self.anchors}
        wrong = [part for part, text in places.items() if text and not _is_pem(text) and _is_relative(text)]
        if self.ledger is not None and _is_relative_ledger(self.ledger):
            wrong.append("ledger")
        if wrong:
            raise UserError(
                f"The {wrong[0]} of the {self.label} must be an absolute path: a relative one would depend on"
                " where the worker runs."
            )
        if self.history_key is None:
            if self.anchors is not None:
                raise UserError(
                    f"The {self.label} gives anchors and no history_key, and a home folder keeps its own"
                    " anchors; leave anchors out."
                )
            return
        if self.home is not None:
            raise UserError(
                f"The {self.label} gives both home and history_key, and a home folder has its own history"
                " key; leave one of them out."
            )
        if self.ledger is None:
            raise UserError(
                f"The {self.label} gives a history_key and no ledger, so every worker would keep a ledger of"
                " its own; give the ledger's address as well."
            )

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every text that must not be logged."""
        secrets = [self.history_key, self.passphrase]
        if self.signing_key is not None and _is_pem(self.signing_key):
            secrets += [self.signing_key, *pem_lines(self.signing_key)[1:-1]]
        if self.ledger is not None and (passwords := _passwords(self.ledger)):
            secrets += [self.ledger, *passwords]
        return tuple(text for text in secrets if text)

    @contextmanager
    def options(self, **given: Unpack["RunOptions"]) -> Iterator["RunOptions"]:
        """Yield what a run is told of ledger and keys, beside what is given; keys are files meanwhile.

        Advice is asked for in vain where the environment switches it off at every door.

        Example:
            >>> with RunAccess(label="example", home="/srv/gate").options(seed=1) as options:
            ...     options["home"], options["seed"]
            ('/srv/gate', 1)
        """
        passphrase = self.passphrase
        if passphrase is None and self.signing_key is None:
            passphrase = os.environ.get(PASSPHRASE)
        told: RunOptions = {
            **given,
            "ledger": self.ledger,
            "key": self.signing_key,
            "passphrase": passphrase,
            "home": self.home,
        }
        if "has_advice" in told:
            told["has_advice"] = told["has_advice"] and is_switched_on()
        is_text = self.signing_key is not None and _is_pem(self.signing_key)
        if not is_text and self.history_key is None:
            yield told
            return
        folder = PrivateFolder()
        try:
            if is_text:
                told["key"] = _written_key(self.signing_key or "", folder.path)
            if self.history_key is not None:
                write_new(folder.path / "history.key", self._history_key())
                told["home"] = str(folder.path)
                if told["key"] is not None:
                    _trust(told["key"], passphrase, folder.path)
            with self._kept_anchors(folder.path):
                yield told
        finally:
            folder.remove()

    def ledger_address(self) -> str:
        """Return where the ledger is, that of the home folder where none is given.

        Example:
            >>> RunAccess(label="example", ledger="/srv/ledger.db").ledger_address()
            '/srv/ledger.db'
        """
        return self.ledger or Home.at(self.home).default_ledger()

    def signer(self) -> SigningKey:
        """Return the key that signs.

        Raises:
            UserError: When there is none, or it cannot be opened.

        Example:
            >>> import tempfile
            >>> from qidguard.evidence.keys import new_key_pair
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     own = new_key_pair(Path(folder), "own")
            ...     RunAccess(label="example", signing_key=f"{folder}/own.key").signer().public == own
            True
        """
        with self.options() as told:
            key = _signer(told)
        if key is None:
            raise UserError(f"The {self.label} has no signing key; write one into its extra as signing_key.")
        return key

    def check_approver(self, policy: "Policy | None") -> None:
        """Raise UserError where the key that signs is none of the policy's approvers, where it names any.

        Example:
            >>> import tempfile
            >>> from qidguard.evidence.keys import new_key_pair
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     _ = new_key_pair(Path(folder), "own")
            ...     RunAccess(label="example", signing_key=f"{folder}/own.key").check_approver(None)
        """
        key = self.signer().public
        approvers = () if policy is None else policy.exceptions.approvers
        if approvers and key.id not in {parse_public_key(approver.key).id for approver in approvers}:
            raise UserError(
                f"The key {key.id[:12]}… of the {self.label} is none of the policy's exceptions.approvers;"
                " give it the key of one of them."
            )

    def trusted_keys(self) -> tuple[PublicKey, ...]:
        """Return the public keys that are trusted: its own, and those of role release in its home folder.

        Example:
            >>> RunAccess(label="example", home="/no/such/home").trusted_keys()
            ()
        """
        own = () if self.signing_key is None else (self.signer().public,)
        with self.options() as told:
            return (*own, *trusted_keys(Home.at(told["home"]).keys_folder))

    def verify(
        self,
        folder: str,
        policy: str | None = None,
        *,
        key: str | None = None,
        data_set: str | None = None,
        release_id: str | None = None,
        is_unsigned_allowed: bool = False,
    ) -> "Verification":
        """Check a release as ``qidguard.verify`` does; where no key is named, its own and its home's count.

        Args:
            folder: The folder of the release: a path, or a URL that fsspec opens.
            policy: The file of the policy that it should have been judged by; None compares none.
            key: A public key that is trusted, its file, text or id; None takes the policy's signers, else
                ``trusted_keys``.
            data_set: The data set that it should be a release of; None takes any.
            release_id: The release that it should be; None takes any that was signed.
            is_unsigned_allowed: Whether a release that nobody signed is only noted.

        Returns:
            What was found.

        Raises:
            UserError: When there is no such folder, key or policy.

        Example:
            >>> RunAccess(label="example", home="/no/such/home").verify("/no/such/release")
            Traceback (most recent call last):
            ...
            qidguard.core.errors.UserError: there is no folder '/no/such/release'; check the address
        """
        return verified(
            folder,
            policy,
            trusted(() if key is None else (key,), policy, self.trusted_keys),
            data_set=data_set,
            release_id=release_id,
            is_unsigned_allowed=is_unsigned_allowed,
        )

    def published(self) -> tuple[Published, ...]:
        """Return what the ledger says is out there; where there is no ledger, that is a mistake.

        Example:
            >>> import tempfile
            >>> from qidguard.ledger import open_ledger
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     open_ledger(f"{folder}/ledger.db").close()
            ...     RunAccess(label="example", home=folder).published()
            ()
        """
        with self.options() as told, home_ledger(told["ledger"], home=told["home"]) as ledger:
            return published(ledger)

    def tried(self) -> str:
        """Open the ledger and load the key, and say what was found; nothing is made.

        Example:
            >>> RunAccess(label="example", home="/no/such/home").tried()
            'There is no ledger yet, and the first task makes it; nothing signs.'
        """
        with self.options() as told:
            home, key = Home.at(told["home"]), _signer(told)
            signing = "nothing signs" if key is None else f"key {key.public.id[:12]} signs"
            url = told["ledger"] or home.default_ledger()
            if not database_at(url, lock_seconds=_PATIENCE_SECONDS).is_there():
                return f"There is no ledger yet, and the first task makes it; {signing}."
            with open_ledger(
                url, anchors=home.anchors_file(), must_exist=True, lock_seconds=_PATIENCE_SECONDS
            ) as ledger:
                return f"The ledger has {ledger.head()[0]:,} entries; {signing}."

    def _history_key(self) -> bytes:
        try:
            key = bytes.fromhex(self.history_key or "")
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise UserError(
                f"The history_key of the {self.label} must be {2 * KEY_BYTES} hexadecimal digits; print them"
                " from a home folder with: xxd -p -c 64 history.key"
            )
        return key

    @contextmanager
    def _kept_anchors(self, folder: Path) -> Iterator[None]:
        """Let the home folder of a while know how far the ledger had come, and remember how far it came.

        Where no folder is named that remembers, the ledger is taken as it is, if it holds by itself.
        """
        if self.ledger is None:
            yield
            return
        identity = database_at(self.ledger, lock_seconds=0).identity
        ours = Anchors(Home.at(str(folder)).anchors_file(), identity)
        if self.anchors is None:
            ours.remember(seen_empty())
            yield
            return
        kept = Anchors(Home.at(self.anchors).anchors_file(), identity)
        _remember(kept, ours)
        try:
            yield
        finally:
            _remember(ours, kept)


def _signer(told: "RunOptions") -> SigningKey | None:
    file = Home.at(told["home"]).default_signing_key() if told["key"] is None else Path(told["key"])
    return None if file is None else load_private_key(file, told["passphrase"])


def _is_pem(text: str) -> bool:
    """Whether a text is a key itself, and not the path of one."""
    return _BEGIN in text


def pem_lines(text: str) -> list[str]:
    r"""Return the lines of a key; line ends that became spaces, or ``\n`` in letters, are line ends again."""
    plain = text.replace("\\n", "\n")
    kind, _, rest = plain.partition(_BEGIN)[2].partition(_DASHES)
    body = rest.partition(_END)[0]
    return [f"{_BEGIN}{kind}{_DASHES}", *body.split(), f"{_END}{kind}{_DASHES}"]


def _is_relative(text: str) -> bool:
    return not Path(text).expanduser().is_absolute()


def _is_relative_ledger(url: str) -> bool:
    """Whether it is a relative file, however it is spelled; what is no ledger is said when it opens."""
    try:
        database = database_at(url, lock_seconds=_PATIENCE_SECONDS)
    except UserError:
        return "://" not in url and not Path(url).is_absolute()
    return isinstance(database, SqliteDatabase) and not Path(database.shown).is_absolute()


def _passwords(url: str) -> list[str]:
    """Return the passwords in a ledger's URL, before the host or in the query, as written and as meant."""
    head, _, query = url.rpartition("?") if "?" in url.rpartition("@")[2] else (url, "", "")
    passwords = [match[1] for match in _USER_PASSWORD.finditer(head)]
    parts = [part.partition("=") for part in query.split("&")]
    passwords += [value for name, _, value in parts if "pass" in unquote_plus(name).lower()]
    return [spelled for text in passwords if text for spelled in (text, unquote(text), unquote_plus(text))]


def _remember(seen: Anchors, by: Anchors) -> None:
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

"""What a release was asked for, and the names of what comes of it."""

import getpass
import platform
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import PurePath, PurePosixPath
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import urlsplit

from qidguard.auditing.remedy import Remedy
from qidguard.core.errors import InternalError, PolicyError, UserError
from qidguard.core.naming import folded
from qidguard.core.progress import Progress
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.ledger.payloads import PolicyUsed
from qidguard.releasing.publishing.destination import Destination
from qidguard.releasing.publishing.files import drawing_seed
from qidguard.trials.context import TrialContext

if TYPE_CHECKING:
    from qidguard.evidence.keys import SigningKey
    from qidguard.host import Host
    from qidguard.ledger import Ledger
    from qidguard.policy import Policy

UNKNOWN_DIGEST = "none"
"""The digest of a source that can be read only once."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


class RunOptions(TypedDict, total=False):
    """What a run with a ledger may be told beside what it works on; see ``qidguard.release``."""

    ledger: str | None
    key: str | None
    passphrase: str | None
    home: str | None
    read: ReadOptions | None
    settings: EngineSettings | None
    host: "Host | None"
    seed: int | None
    progress: Progress
    origin: Mapping[str, str]
    has_advice: bool
    now: datetime | None


class ReleaseOptions(RunOptions, total=False):
    """The same with names."""

    data_set: str | None
    release_id: str | None


@dataclass(frozen=True, kw_only=True)
class ReleaseContext(TrialContext):
    """What a release was asked for: everything that is decided before the table is read.

    Args:
        data_set: The name under which releases of this table are kept.
        release_id: The release's own name.
        audit_id: The name of the ledger's entry.
        run_id: The first of the audits' names, where a release is judged more than once.
        ledger: The open ledger.
        destination: Where it goes; None where the table is only judged.
        key: What signs it, or None.
        history_key: What classes are hashed with.
        remedy: The policy's anonymizer, or None.
        now: The moment against which dates are held.
        clock: Tells the moment that an entry of the ledger is made.
        origin: What started it, such as the run of a schedule.
        has_advice: Whether a blocked decision is recorded with what would make the table pass.
    """

    data_set: str
    release_id: str
    audit_id: str
    run_id: str
    ledger: "Ledger"
    destination: Destination | None
    key: "SigningKey | None" = field(repr=False)
    history_key: bytes = field(repr=False)
    remedy: Remedy | None
    now: datetime
    clock: Callable[[], datetime]
    origin: Mapping[str, str]
    has_advice: bool = False

    @property
    def place(self) -> Destination:
        """Where it is published; InternalError for a table that is only judged."""
        if self.destination is None:
            raise InternalError("a table that is only judged was to be published")
        return self.destination

    @property
    def drawing_seed(self) -> int:
        """The seed of what is drawn: that of the run with the history key, which nobody can guess."""
        return drawing_seed(self.seed, self.history_key)

    @property
    def options_digest(self) -> str:
        """What tells one way of reading the source from another."""
        return sha256(repr(self.read).encode()).hexdigest()

    @property
    def followed(self) -> tuple[str, ...]:
        """The columns by whose content a record is followed over time, where there is no entity."""
        roles = self.policy.roles
        qids = (q for c in self.policy.combinations for q in c.quasi_identifiers)
        return tuple(dict.fromkeys((*roles.qids, *qids, *roles.sensitive)))

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Say that a step begins, and that it is done where nothing ends it before."""
        self.progress.step(title, 0, 1)
        yield
        self.progress.step(title, 1, 1)

    @property
    def day(self) -> str:
        """The moment as ISO text in UTC, to the second."""
        return self.now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def data_set_name(source: Any, policy: "Policy", given: str | None) -> str:
    """Return the name of the data set: as given, else the policy's, else the file's own without suffixes."""
    written = policy.release.data_set
    if given is not None and written is not None and folded(given) != folded(written):
        raise UserError(
            f"The policy calls the data set {written!r}, so it cannot be released as {given!r}: its history,"
            " budget and exceptions stand under that name; leave the name out."
        )
    name = given if written is None else written
    if name is None:
        path = source if isinstance(source, str) else getattr(source, "__fspath__", lambda: "")()
        path = urlsplit(path).path if "://" in path else path
        name = PurePosixPath(str(path).replace("\\", "/")).name.partition(".")[0]
        if not _NAME.fullmatch(name):
            raise PolicyError(
                "the data set needs a name of letters, digits, '.', '_' and '-', and the source gives none;"
                " write it as release.data_set in the policy"
            )
    return checked_name(name, "data set")


def policy_data_set(policy: "Policy", file: str | PurePath) -> str:
    """Return the data set that a policy judges: the one that it names, else its table's, else its own name.

    Example:
        >>> from qidguard.policy import parse_policy
        >>> text = "{qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}}"
        >>> policy_data_set(parse_policy(text), "policies/ward.yaml")
        'ward'
    """
    try:
        return data_set_name(policy.source_path, policy, None)
    except PolicyError:
        return PurePath(file).stem


def checked_name(name: str, what: str) -> str:
    """Return a name that can be a folder's; UserError for any other."""
    if not _NAME.fullmatch(name):
        raise UserError(
            f"The {what} {name!r} must be of at most 100 letters, digits, '.', '_' and '-', not beginning"
            " with '.' or '-'; choose another name."
        )
    return name


def new_release_id(now: datetime) -> str:
    """Return a new release's name: the moment in UTC, so that names sort by time, and some random digits."""
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"


def new_audit_id(now: datetime) -> str:
    """Return the name of a new entry of the ledger."""
    return f"audit-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(6)}"


def policy_used(policy: "Policy") -> PolicyUsed:
    """Return a policy as the ledger names it."""
    return PolicyUsed(name=policy.name, sha256=policy.digest, preset=policy.preset)


def responsible(origin: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return who runs this, as the operating system knows them, and what started it."""
    user = ""
    with suppress(Exception):  # a process may have no user by name
        user = getpass.getuser()
    return {**(origin or {}), "user": user, "host": platform.node()}

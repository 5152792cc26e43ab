"""Anchors: the newest head of each ledger that this machine has seen, kept beside it on this machine.

Who owns a ledger's database can shorten it, or compute a whole new chain; the chain alone cannot tell. This
machine remembers how far the ledger had come, and finds both.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from qidguard.core.files import alone, write_whole
from qidguard.ledger.error import LedgerError, UnanchoredError
from qidguard.ledger.row import NO_HASH, digest_of, is_digest, time_text

ACCEPTING: Final = (
    "restore the file from a copy, or compare the ledger with a signed release and accept it in words with:"
    " qidguard history --accept WORDS"
)
"""What to do where a ledger has no sound anchor."""

WALK_EVERY: Final = timedelta(days=7)
"""How long rows that were walked once are known by the state of the database alone."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A head that this machine has seen.

    Args:
        sequence: The newest entry's sequence; 0 where the ledger was seen empty.
        hash: That entry's hash, hex; 64 zeros of an empty ledger.
        at: When it was seen, in UTC, ISO 8601.
        state: What the database was like then, as ``Database.state`` tells it; None where nothing is known.
        walked: When every row and attachment was last looked at, in UTC, ISO 8601; None for never.
    """

    sequence: int
    hash: str
    at: str
    state: str | None = None
    walked: str | None = None

    def carries(self, state: str | None, now: datetime) -> bool:
        """Whether a database in a state has nothing of old that could have been changed since it was seen."""
        if self.walked is None or self.state is None or self.state != state:
            return False
        return timedelta(0) <= now - datetime.fromisoformat(self.walked) < WALK_EVERY


def seen_empty() -> Seen:
    """Return what is remembered of a ledger of which no entry was seen yet."""
    return Seen(sequence=0, hash=NO_HASH, at=time_text(datetime.now(UTC)))


class Anchors:
    """A file that maps the digest of a ledger's address to the newest head seen; it is only ever replaced.

    Args:
        path: The file (0600); it is made, with its folder, when there is something to remember.
        identity: The ledger's address without user and password.
    """

    def __init__(self, path: Path, identity: str) -> None:
        self.path = path
        self.key = digest_of(identity.encode("utf-8", "surrogateescape"))

    def seen(self) -> Seen | None:
        """Return the newest head seen; None when this machine has seen nothing of the ledger.

        Raises:
            LedgerError: When the file cannot be read or is damaged.
        """
        return _seen(self._read().get(self.key), self.path)

    def remember(self, seen: Seen) -> None:
        """Keep a head unless one as new is kept already: an anchor never moves backwards.

        Raises:
            LedgerError: When the file cannot be read or written or is damaged; it is left as it is then.
        """
        with self._writing():
            kept = self._read()
            newest = _seen(kept.get(self.key), self.path)
            if newest is None or _is_more(seen, newest):
                self._replace({**kept, self.key: asdict(seen)})

    def begin(self, before: Seen) -> None:
        """Keep a first anchor before an entry is added: a process that dies behind it leaves no gap.

        Raises:
            LedgerError: When it cannot be kept: whatever came next would find a ledger without an anchor.
        """
        if self.seen() is None:
            self.remember(before)

    def accept(self, seen: Seen) -> None:
        """Keep a head in the place of whatever is kept; a damaged file is kept beside the new one.

        Raises:
            LedgerError: When the file cannot be written.
        """
        with self._writing():
            try:
                kept = self._read()
            except DamagedAnchorsError:
                kept = {}
                self.path.replace(f"{self.path}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
            self._replace({**kept, self.key: asdict(seen)})

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Keep other processes from writing in between."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with alone(Path(f"{self.path}.lock")):
                yield
        except OSError as error:
            raise LedgerError(
                f"the anchors file {str(self.path)!r} cannot be written ({error.strerror}); give access to it"
            ) from None

    def _read(self) -> dict[str, Any]:
        try:
            content = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise LedgerError(
                f"the anchors file {str(self.path)!r} cannot be read ({error.strerror}); give access to it"
            ) from None
        except (ValueError, RecursionError):
            raise _damaged(self.path) from None
        if not isinstance(content, dict):
            raise _damaged(self.path)
        return content

    def _replace(self, content: dict[str, Any]) -> None:
        text = json.dumps(content, indent=1, sort_keys=True)
        write_whole(self.path, text.encode("ascii"), mode=0o600, is_lasting=True)


def contradiction(seen: Seen, sequence: int, found: str | None, ledger: str) -> str | None:
    """Return what contradicts an anchor; None when the ledger continues what this machine has seen.

    Args:
        seen: The newest head that this machine has seen.
        sequence: That of the ledger's head.
        found: The hash that the ledger has at the seen sequence; None when it has no such entry.
        ledger: What a message calls the ledger.
    """
    if sequence < seen.sequence:
        how = (
            f"older than what this machine saw on {seen.at}: it ends at entry {sequence}, not {seen.sequence}"
        )
    elif seen.sequence and found != seen.hash:
        how = f"different from what this machine saw on {seen.at}: its entry {seen.sequence} is another"
    else:
        return None
    return (
        f"the ledger at {ledger} is {how}; restore it from a copy, or, where there is none, accept it in"
        " words with: qidguard history --accept WORDS"
    )


def _is_more(seen: Seen, kept: Seen) -> bool:
    """Whether a head says more than the one that is kept: a later one, or the same as it was seen since."""
    is_same = (seen.sequence, seen.hash) == (kept.sequence, kept.hash)
    return seen.sequence > kept.sequence or (is_same and seen.state is not None)


def _seen(record: object, path: Path) -> Seen | None:
    if record is None:
        return None
    if not isinstance(record, dict):
        raise _damaged(path)
    known = {name: value for name, value in record.items() if name != "places"}  # older versions wrote it
    if not {"sequence", "hash", "at"} <= set(known) <= {"sequence", "hash", "at", "state", "walked"}:
        raise _damaged(path)
    is_number = type(known["sequence"]) is int and known["sequence"] >= 0
    texts = [known["at"], *(known[name] for name in ("state", "walked") if known.get(name) is not None)]
    if not is_number or not is_digest(known["hash"]) or not all(isinstance(text, str) for text in texts):
        raise _damaged(path)
    if known.get("walked") is not None and not _is_moment(known["walked"]):
        raise _damaged(path)
    return Seen(**known)


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


class DamagedAnchorsError(UnanchoredError):
    """The file of anchors is there and cannot be read as one."""


def _damaged(path: Path) -> DamagedAnchorsError:
    return DamagedAnchorsError(
        f"the anchors file {str(path)!r} is damaged, so a shortened or rewritten ledger is not noticed;"
        f" {ACCEPTING}"
    )

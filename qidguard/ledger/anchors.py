"""Anchors: the newest head of each ledger that this machine has seen, kept beside it on this machine.

Who owns a ledger's database can shorten it, or compute a whole new chain; the chain alone cannot tell. This
machine remembers how far the ledger had come, and finds both.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qidguard.ledger.error import LedgerError
from qidguard.ledger.row import digest_of, is_digest, time_text

try:
    import fcntl
except ImportError:  # pragma: no cover - a system without POSIX locks
    fcntl = None  # type: ignore[assignment]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A head that this machine has seen.

    Args:
        sequence: The newest entry's sequence, ≥ 1.
        hash: That entry's hash, hex.
        at: When it was seen, in UTC, ISO 8601.
    """

    sequence: int
    hash: str
    at: str


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
        """Return the newest head seen; None when there is none.

        Raises:
            LedgerError: When the file cannot be read or is damaged.
        """
        return _seen(self._read().get(self.key), self.path)

    def remember(self, sequence: int, digest: str) -> None:
        """Keep a head unless one as new is kept already: an anchor never moves backwards.

        Raises:
            LedgerError: When the file cannot be read or written or is damaged; it is left as it is then.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._locked():
                kept = self._read()
                newest = _seen(kept.get(self.key), self.path)
                if newest is None or newest.sequence < sequence:
                    seen = Seen(sequence=sequence, hash=digest, at=time_text(datetime.now(UTC)))
                    self._replace({**kept, self.key: asdict(seen)})
        except OSError as error:
            raise LedgerError(
                f"the anchors file {str(self.path)!r} cannot be written ({error.strerror}); give access to it"
            ) from None

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes from writing in between; the lock dies with its process."""
        lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if fcntl is None:  # pragma: no cover - as above
                raise LedgerError("anchors need POSIX file locks, which this system lacks; leave them out")
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

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
        handle, draft = tempfile.mkstemp(prefix=f".{self.path.name}.", dir=self.path.parent)  # 0600
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                json.dump(content, file, indent=1, sort_keys=True)
                file.flush()
                os.fsync(file.fileno())
            Path(draft).replace(self.path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise


def _seen(record: object, path: Path) -> Seen | None:
    if record is None:
        return None
    if not isinstance(record, dict) or set(record) != {"sequence", "hash", "at"}:
        raise _damaged(path)
    is_number = type(record["sequence"]) is int and record["sequence"] > 0
    if not is_number or not is_digest(record["hash"]) or not isinstance(record["at"], str):
        raise _damaged(path)
    return Seen(**record)


def _damaged(path: Path) -> LedgerError:
    return LedgerError(
        f"the anchors file {str(path)!r} is damaged, so a shortened or rewritten ledger is not noticed; find"
        " out why, then delete it"
    )

"""What a page shows of the ledger: every data set on a line, and one audit with all that came of it.

Pages show and decide nothing, so entries are held against their own hashes alone.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from qidguard.core.address import shown_address
from qidguard.ledger import open_ledger, read_any
from qidguard.ledger.error import NoLedgerError
from qidguard.ledger.listed import IsolatedTold, ListedThreshold
from qidguard.ledger.payloads import (
    Abandoned,
    Audited,
    Checked,
    ExceptionMade,
    Failed,
    PolicyUsed,
    Released,
    Revoked,
    Withdrawn,
)
from qidguard.releasing.history.overview import (
    KINDS,
    DataSetOverview,
    Judgment,
    Overviews,
    judgment_of,
    overview,
    settled,
)

if TYPE_CHECKING:
    from qidguard.ledger import Entry, Reader, TypedEntry

_VERDICTS: Final = ("audited", "checked", "failed")
_ENDS: Final = ("releasing", "released", "abandoned", "withdrawn")
_LOCK_SECONDS: Final = 5.0
"""How long a page waits for a ledger that somebody else has locked."""

_NONE_YET: Final = "there is no ledger at"
"""How the sentence begins that says so; of other faults of a ledger a page tells."""


@dataclass(frozen=True, kw_only=True)
class RecordedException:
    """An exception that let an audit pass, or was made for it; ``state`` is valid, expired or revoked."""

    by: str
    reason: str
    covers: tuple[str, ...]
    expires: date
    is_used: bool
    state: str


@dataclass(frozen=True, kw_only=True)
class RecordedColumn:
    """A column of an audit: ``distinct`` counts its values, ``technique`` says how it is published."""

    name: str
    role: str
    decided_by: str
    distinct: int | None
    technique: str


@dataclass(frozen=True, kw_only=True)
class RecordedAudit:
    """One audit as the ledger tells it, without anything that is not to be shown.

    The attached record holds more, such as the seed of the record order; only what is named here is read.

    Args:
        line: Its data set.
        judgment: The verdict, as later entries leave it.
        policy: The policy that it was judged by; None where there was none.
        source: What was judged, without secrets.
        records: Number of its records; None where it is not known.
        entities: Number of its entities.
        address: Where the release is, without secrets; empty where none is out.
        by: Who ran it, and what started it.
        versions: Distribution → its version.
        reasons: What blocks beyond thresholds, and how a run ended before its end.
        figures: The judged thresholds; None where the entry keeps none.
        is_failure: Whether the run ended before its verdict.
        exceptions: The exceptions for it.
        advice: Lines on what would make it pass.
        isolated: Whom releases isolate, by QID combination.
        columns: The columns.
        classes: The equivalence classes of each QID combination, as an audit's document lists them.
    """

    line: DataSetOverview
    judgment: Judgment
    policy: PolicyUsed | None
    source: str
    records: int | None
    entities: int | None
    address: str
    by: Mapping[str, str]
    versions: Mapping[str, str]
    reasons: tuple[str, ...]
    figures: tuple[ListedThreshold, ...] | None
    is_failure: bool
    exceptions: tuple[RecordedException, ...]
    advice: tuple[str, ...]
    isolated: tuple[IsolatedTold, ...]
    columns: tuple[RecordedColumn, ...]
    classes: tuple[Mapping[str, Any], ...]


class LedgerView:
    """What has been read of the ledger; several requests may use it at once.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     LedgerView().overview(f"{folder}/ledger.db", date(2026, 11, 21))
        ()
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._overviews = Overviews()
        self._newest: tuple[int, str] = (0, "")

    def overview(self, address: str, today: date) -> tuple[DataSetOverview, ...]:
        """Return every data set of the ledger; only entries that are new since the last time are read.

        Args:
            address: Where the ledger is; none was ever made there for the empty answer.
            today: The day against which exceptions are held, UTC.

        Returns:
            The data sets by name, figures in their metric's unit.

        Raises:
            LedgerError: When the ledger cannot be read.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     LedgerView().overview(f"{folder}/ledger.db", date(2026, 11, 21))
            ()
        """
        with self._lock, _opened(address) as ledger:
            if ledger is None:
                return ()
            new = self._since_newest(ledger)
            if new is None:
                self._overviews, self._newest = Overviews(), (0, "")
                new = ledger.entries(kinds=KINDS)
            for entry in new:
                self._overviews.add(entry)
                self._newest = (entry.sequence, entry.hash)
            return self._overviews.on(today)

    def audit(self, address: str, audit_id: str, today: date) -> RecordedAudit | None:
        """Return one audit; None where the ledger has none of this name.

        Args:
            address: Where the ledger is.
            audit_id: The audit's name.
            today: The day against which exceptions are held, UTC.

        Returns:
            The audit, figures in their metric's unit.

        Raises:
            LedgerError: When the ledger cannot be read.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     LedgerView().audit(f"{folder}/ledger.db", "audit-1", date(2026, 11, 21)) is None
            True
        """
        with _opened(address) as ledger:
            return None if ledger is None else _audit(ledger, audit_id, today)

    def _since_newest(self, ledger: "Reader") -> "Iterator[Entry] | None":
        """Return the entries after the newest that was read; None where that is no longer in the ledger."""
        if not self._newest[0]:
            return None
        entries: list[Entry] = []
        for entry in ledger.entries(kinds=KINDS, newest_first=True):
            if entry.sequence <= self._newest[0]:
                return reversed(entries) if (entry.sequence, entry.hash) == self._newest else None
            entries.append(entry)
        return None


@contextmanager
def _opened(address: str) -> "Iterator[Reader | None]":
    """Yield a reader of the ledger, or None where none was ever made."""
    try:
        ledger = open_ledger(address, must_exist=True, lock_seconds=_LOCK_SECONDS)
    except NoLedgerError as error:
        if not str(error).startswith(_NONE_YET):
            raise
        yield None
        return
    with ledger:
        yield ledger.unverified


def _audit(ledger: "Reader", audit_id: str, today: date) -> RecordedAudit | None:
    named = (ledger.entry(name) for name in (audit_id, f"failed-{audit_id}"))
    entry = next((found for found in named if found is not None and found.kind in _VERDICTS), None)
    if entry is None:
        return None
    entries = list(ledger.entries(data_set=entry.data_set, kinds=KINDS))
    judgment = judgment_of(entry)
    for other in entries:
        judgment = settled(judgment, other) if other.kind in _ENDS else judgment
    (line,) = overview(entries, today=today)
    payload, others = read_any(entry).payload, [read_any(other) for other in entries]
    if not isinstance(payload, Audited | Checked | Failed):
        return None
    verdict = None if isinstance(payload, Failed) else payload
    record = _record(ledger, verdict)
    advice = None if verdict is None else verdict.advice
    return RecordedAudit(
        line=line,
        judgment=judgment,
        policy=payload.policy,
        source=shown_address(payload.source),
        records=None if verdict is None else verdict.records,
        entities=None if verdict is None else verdict.entities,
        address=_address(payload.audit_id, others),
        by=payload.by,
        versions={} if verdict is None else verdict.versions or {},
        reasons=_reasons(payload, others),
        figures=None if verdict is None else verdict.figures,
        is_failure=verdict is None,
        exceptions=_exceptions(payload, others, today),
        advice=() if advice is None else tuple(advice["lines"]),
        isolated=() if verdict is None else verdict.isolated or (),
        columns=_columns(record),
        classes=tuple((record.get("risk_after") or {}).get("classes") or ()),
    )


def _address(audit_id: str, others: "list[TypedEntry[Any]]") -> str:
    """Return where the release of an audit is; empty where it is not out."""
    ends = [e.payload for e in others if isinstance(e.payload, Released | Withdrawn)]
    mine = [end for end in ends if end.audit_id == audit_id]
    is_withdrawn = any(isinstance(end, Withdrawn) for end in mine)
    return "" if is_withdrawn or not mine else shown_address(mine[-1].address)


def _reasons(payload: Audited | Checked | Failed, others: "list[TypedEntry[Any]]") -> tuple[str, ...]:
    if isinstance(payload, Failed):
        return (payload.error,)
    later = (e.payload for e in others if isinstance(e.payload, Failed | Abandoned))
    ended = [end for end in later if end.audit_id == payload.audit_id]
    return (*payload.blocks, *(end.error if isinstance(end, Failed) else end.reason for end in ended))


def _exceptions(
    payload: Audited | Checked | Failed, others: "list[TypedEntry[Any]]", today: date
) -> tuple[RecordedException, ...]:
    """Return the exceptions that let this audit pass, and those that were made for it."""
    used = set() if isinstance(payload, Failed) else {exception.id for exception in payload.exceptions}
    revoked = {e.payload.exception_id for e in others if isinstance(e.payload, Revoked)}
    made = [e.payload for e in others if isinstance(e.payload, ExceptionMade)]
    return tuple(
        RecordedException(
            by=exception.by,
            reason=exception.reason,
            covers=exception.thresholds,
            expires=exception.expires,
            is_used=exception.id in used,
            state=_state(exception, revoked, today),
        )
        for exception in made
        if exception.id in used or exception.audit_id == payload.audit_id
    )


def _state(exception: ExceptionMade, revoked: set[str], today: date) -> str:
    if exception.id in revoked:
        return "revoked"
    return "expired" if exception.expires < today else "valid"


_OLD_WORDS: Final = {"published as it is": "unchanged"}
"""What records of before said of a column, of one that was blocked too."""


def _record(ledger: "Reader", verdict: Audited | Checked | None) -> dict[str, Any]:
    digest = None if verdict is None else verdict.record
    record: dict[str, Any] = {} if digest is None else json.loads(ledger.attachment(digest))
    return record


def _columns(record: Mapping[str, Any]) -> tuple[RecordedColumn, ...]:
    published = {column["name"]: column.get("technique", "") for column in record.get("columns") or ()}
    return tuple(
        RecordedColumn(
            name=column["name"],
            role=column["role"],
            decided_by=column.get("decided_by", ""),
            distinct=column.get("distinct"),
            technique=_OLD_WORDS.get(told := published.get(column["name"], ""), told),
        )
        for column in (record.get("risk_after") or {}).get("columns") or ()
    )

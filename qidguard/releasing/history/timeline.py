"""The history of data sets as a list of events, one for each audit and each decision of a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import ExitCode
from qidguard.ledger import read_any
from qidguard.ledger.payloads import (
    Abandoned,
    Accepted,
    Audited,
    Checked,
    ExceptionMade,
    Failed,
    Payload,
    RecordedVerdict,
    Released,
    Releasing,
    Revoked,
    Spent,
    Withdrawn,
)

if TYPE_CHECKING:
    from qidguard.ledger import Entry

_FAILED = {int(ExitCode.BLOCKED): "blocked"}
"""What a run that ended before a verdict is called: one over its privacy budget was blocked."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """One line of the history.

    Args:
        at: The moment, UTC.
        data_set: The data set.
        what: ``published``, ``published by exception``, ``not published``, ``blocked``, ``failed``,
            ``cut off``, ``unfinished``, ``audit passed``, ``audit blocked``, ``exception``,
            ``revoked``, ``withdrawn`` or ``spent``.
        id: The id to ask ``qidguard show`` for.
        detail: The release, the reason or the sum, in one line.
        advice: What would make a blocked table pass, in one sentence; empty where nothing was recorded of it.
    """

    at: str
    data_set: str
    what: str
    id: str
    detail: str
    advice: str = ""


def events(entries: Sequence["Entry"]) -> list[Event]:
    """Return the events that entries tell, in their order.

    Args:
        entries: Entries of the ledger in the order of their sequence.

    Returns:
        One event for each audit, failure, exception, revocation and spending.

    Units:
        Moments in UTC.

    Raises:
        LedgerError: When an entry is not as one of its kind is.

    Example:
        >>> events([])
        []
    """
    read_entries = [read_any(entry) for entry in entries]
    ends: dict[str, dict[type, Any]] = {}
    for entry in read_entries:
        if isinstance(entry.payload, Releasing | Released | Abandoned):
            ends.setdefault(entry.payload.audit_id, {})[type(entry.payload)] = entry.payload
    lines = []
    for entry in read_entries:
        words = _words(entry.payload, ends.get(entry.id, {}))
        if words is not None:
            moment = entry.at.strftime("%Y-%m-%d %H:%M:%S")
            advice = entry.payload.advice if isinstance(entry.payload, RecordedVerdict) else None
            lines.append(
                Event(
                    at=moment,
                    data_set=entry.data_set,
                    what=words[0],
                    id=entry.id,
                    detail=words[1],
                    advice="" if advice is None else advice["sentence"],
                )
            )
    return lines


def _words(payload: Payload, ends: Mapping[type, Any]) -> tuple[str, str] | None:
    """Return what an entry is called and its detail; None where it is part of another event."""
    words: tuple[str, str] | None = None
    match payload:
        case Audited():
            words = _audited(payload, ends)
        case Checked():
            words = _checked(payload)
        case Failed():
            words = _FAILED.get(payload.exit_code, "failed"), payload.error
        case ExceptionMade():
            covers = "; ".join(payload.thresholds)
            words = "exception", f"by {payload.by} until {payload.expires}, covers {covers}: {payload.reason}"
        case Revoked():
            words = "revoked", f"{payload.exception_id}: {payload.reason}"
        case Withdrawn():
            words = "withdrawn", f"{payload.release_id}: {payload.reason}"
        case Accepted():
            words = "ledger accepted", f"at entry {payload.sequence:,}, {_seen(payload)}: {payload.reason}"
        case Spent():
            words = "spent", _spent(payload)
    return words


def _seen(payload: Accepted) -> str:
    seen = payload.seen_sequence
    return "of which nothing was seen" if seen is None else f"of which entry {seen:,} was seen"


def _audited(payload: Audited, ends: Mapping[type, Any]) -> tuple[str, str]:
    if payload.outcome == "blocked":
        return "blocked", _first(payload)
    if Released in ends:
        if payload.outcome == "passed_by_exception":
            names = ", ".join(exception.id for exception in payload.exceptions)
            return "published by exception", f"{payload.release_id} ({names})"
        return "published", payload.release_id
    if Abandoned in ends:
        return "cut off", f"{payload.release_id}: {ends[Abandoned].reason}"
    if Releasing in ends:
        return "unfinished", f"{payload.release_id}: the next run will confirm or abandon it"
    return "not published", f"{payload.release_id}: it passed, and was not published"


def _checked(payload: Checked) -> tuple[str, str]:
    of = f"{payload.release_id}: " if payload.release_id else ""
    if payload.outcome == "passed":
        return "audit passed", f"{of}{len(payload.figures or ())} thresholds hold"
    return "audit blocked", f"{of}{_first(payload)}"


def _first(payload: RecordedVerdict) -> str:
    reasons = [*payload.blocks, *payload.missed]
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return f"{reasons[0] if reasons else 'no threshold'}{more}"


def _spent(payload: Spent) -> str:
    of = f" of {payload.population}" if payload.population else ""
    rho = f", ρ = {payload.rho}" if payload.rho != "0" else ""
    return f"ε = {payload.epsilon}, δ = {payload.delta}{rho}{of} by {payload.anonymizer}"

"""What the page of one audit shows: verdict, thresholds, reasons, columns, exceptions; never a value."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final

from qidguard.core.address import shown_address
from qidguard.ledger import read_any
from qidguard.ledger.listed import IsolatedCounts, IsolatedTold
from qidguard.ledger.payloads import (
    Abandoned,
    Audited,
    Checked,
    ExceptionMade,
    Failed,
    Released,
    Revoked,
    Withdrawn,
)
from qidguard.releasing.history.judgment import judgment_of, settled
from qidguard.releasing.history.overview import KINDS, LONGEST_TREND, overview
from qidguard.rendering.printable import listed, visible
from qidguard.rendering.threshold import noised_of, noised_words
from qidguard_provider.plugins.pages.drawing import Bar, bar, look, trend
from qidguard_provider.plugins.pages.words import asked, measured

if TYPE_CHECKING:
    from qidguard.ledger import Entry, Reader, TypedEntry

_VERDICTS: Final = ("audited", "checked", "failed")
_ENDS: Final = ("releasing", "released", "abandoned", "withdrawn")
_MOST_COLUMNS: Final = 500

VerdictOrFailure = Audited | Checked | Failed


@dataclass(frozen=True, kw_only=True)
class PageThreshold:
    """One threshold of the audit, with the words of its figure and the bar that draws it."""

    item: Mapping[str, Any]
    look: str
    over: str
    value: str
    asked: str
    bar: Bar | None


def audit_page(
    ledger: "Reader | None", audit_id: str, *, readable: Callable[[], set[str]], now: datetime
) -> dict[str, Any] | None:
    """Return what the template of an audit is given.

    Only fields that are named here are shown: the record holds more, such as the seed of the record order.

    Example:
        >>> audit_page(None, "audit-1", readable=set, now=datetime.now()) is None
        True
    """
    entry = _entry_of(ledger, audit_id)
    if ledger is None or entry is None:
        return None
    others = list(ledger.entries(data_set=entry.data_set, kinds=KINDS))
    judgment = judgment_of(entry)
    for other in others:
        judgment = settled(judgment, other) if other.kind in _ENDS else judgment
    (line,) = overview(others, today=now.date())
    payload = read_any(entry).payload
    typed = [read_any(other) for other in others]
    figures = None if isinstance(payload, Failed) else payload.figures
    reasons = _reasons(payload, typed)
    return {
        "line": line,
        "judgment": judgment,
        "look": look(judgment.status),
        "trend": trend(line.trend, LONGEST_TREND),
        "verdicts": [(j, look(j.status)) for j in reversed(line.trend)],
        "facts": _facts(payload, typed, readable),
        "reasons": reasons if reasons != [judgment.sentence] else [],
        "thresholds": [_threshold(item) for item in figures or ()],
        "is_failure": entry.kind == "failed",
        "has_figures": figures is not None,
        "exceptions": _exceptions(payload, typed, now),
        "advice": _advice(payload),
        "isolated": () if isinstance(payload, Failed) else payload.isolated or (),
        "isolated_rows": _isolated_rows,
        "now": now,
        **_recorded(ledger, payload),
    }


def _entry_of(ledger: "Reader | None", audit_id: str) -> "Entry | None":
    if ledger is None:
        return None
    entries = (ledger.entry(name) for name in (audit_id, f"failed-{audit_id}"))
    return next((entry for entry in entries if entry is not None and entry.kind in _VERDICTS), None)


def _facts(
    payload: VerdictOrFailure, others: "list[TypedEntry[Any]]", readable: Callable[[], set[str]]
) -> list[tuple[str, str]]:
    """Return what is known of the run, as pairs of a name and words."""
    policy = payload.policy
    rule = "" if policy is None else f"{policy.name} (SHA-256 {str(policy.sha256)[:12]}…)"
    verdict = None if isinstance(payload, Failed) else payload
    ends = [e.payload for e in others if isinstance(e.payload, Released | Withdrawn)]
    mine = [end for end in ends if end.audit_id == payload.audit_id]
    is_withdrawn = any(isinstance(end, Withdrawn) for end in mine)
    address = "" if is_withdrawn or not mine else mine[-1].address
    versions = {} if verdict is None else verdict.versions or {}
    pairs = [
        ("Policy", rule),
        ("Preset", "" if policy is None else policy.preset),
        ("Source", shown_address(payload.source)),
        ("Records", _number(None if verdict is None else verdict.records)),
        ("Entities", _number(None if verdict is None else verdict.entities)),
        ("Release", payload.release_id),
        ("Published at", shown_address(address)),
        ("Started by", _started_by(payload.by, readable)),
        ("Audit", payload.audit_id),
        ("Versions", ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))),
    ]
    return [(name, str(words)) for name, words in pairs if words]


def _number(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _started_by(by: Mapping[str, Any], readable: Callable[[], set[str]]) -> str:
    who = f"{by.get('user') or 'somebody'} on {by.get('host') or 'some machine'}"
    if by.get("door") != "airflow":
        return f"{who}, by {by['door']}" if by.get("door") else who
    if by.get("dag_id") not in readable():
        return "a DAG of this Airflow that you may not read, or that is gone"
    task, run = by.get("task_id", ""), by.get("run_id", "")
    return f"DAG {by['dag_id']}, task {task}, run {run} ({who})"


def _reasons(payload: VerdictOrFailure, others: "list[TypedEntry[Any]]") -> list[str]:
    """Return why it is not good: what blocks beyond thresholds, and how a run ended before its end."""
    if isinstance(payload, Failed):
        return [payload.error]
    later = (e.payload for e in others if isinstance(e.payload, Failed | Abandoned))
    ended = [end for end in later if end.audit_id == payload.audit_id]
    return [*payload.blocks, *(end.error if isinstance(end, Failed) else end.reason for end in ended)]


def _advice(payload: VerdictOrFailure) -> str:
    """Return what would make it pass as lines of text; empty where nothing was recorded of it."""
    told = None if isinstance(payload, Failed) else payload.advice
    if told is None:
        return ""
    title, *lines = told["lines"] or [""]
    return "\n".join(map(visible, lines or [title]))


def _isolated_rows(told: IsolatedTold) -> list[tuple[str, IsolatedCounts]]:
    """Return whom releases isolate as rows: all together, each release, and what no single one tells."""
    rows = [
        *((by["release_id"], by["isolated"]) for by in reversed(told["by_release"])),
        ("only all together", told["together"]),
        ("earlier releases by themselves", told["already"]),
    ]
    return [("all releases", told["isolated"]), *(row for row in rows if row[1]["persons"])]


def _threshold(item: Mapping[str, Any]) -> PageThreshold:
    looks = "good" if item["is_met"] else "open" if item["is_warning"] else "blocked"
    return PageThreshold(
        item=item,
        look=looks,
        over=listed(item["qids"]) + noised_words(noised_of(item.get("noised"))),
        value=measured(item),
        asked=asked(item),
        bar=bar(item),
    )


def _exceptions(
    payload: VerdictOrFailure, others: "list[TypedEntry[Any]]", now: datetime
) -> list[dict[str, Any]]:
    """Return the exceptions that let this audit pass, and those that were made for it."""
    used = set() if isinstance(payload, Failed) else {exception.id for exception in payload.exceptions}
    revoked = {e.payload.exception_id for e in others if isinstance(e.payload, Revoked)}
    made = [e.payload for e in others if isinstance(e.payload, ExceptionMade)]
    return [
        {
            "by": exception.by,
            "reason": exception.reason,
            "covers": exception.thresholds,
            "expires": exception.expires.isoformat(),
            "is_used": exception.id in used,
            "state": _state(exception, revoked, now.date()),
        }
        for exception in made
        if exception.id in used or exception.audit_id == payload.audit_id
    ]


def _state(exception: ExceptionMade, revoked: set[str], today: date) -> str:
    if exception.id in revoked:
        return "revoked"
    return "expired" if exception.expires < today else "valid"


_OLD_WORDS = {"published as it is": "unchanged"}
"""What records of before said of a column, of one that was blocked too."""


def _recorded(ledger: "Reader", payload: VerdictOrFailure) -> dict[str, Any]:
    """Return the columns and classes that the attached record lists; none where there is no record."""
    digest = None if isinstance(payload, Failed) else payload.record
    record: Any = {} if digest is None else json.loads(ledger.attachment(digest))
    report = record.get("risk_after") or {}
    published = {
        column["name"]: _OLD_WORDS.get(column.get("technique", ""), column.get("technique", ""))
        for column in record.get("columns") or ()
    }
    columns = [
        {
            "name": column["name"],
            "role": column["role"],
            "decided_by": column.get("decided_by", ""),
            "distinct": column.get("distinct"),
            "technique": published.get(column["name"], ""),
        }
        for column in report.get("columns") or ()
    ]
    return {
        "columns": columns[:_MOST_COLUMNS],
        "columns_left": max(0, len(columns) - _MOST_COLUMNS),
        "has_techniques": any(column["technique"] for column in columns),
        "classes": report.get("classes") or [],
    }

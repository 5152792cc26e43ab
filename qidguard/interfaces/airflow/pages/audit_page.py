"""What the page of one audit shows: verdict, thresholds, reasons, columns, exceptions; never a value."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from qidguard.core.address import shown_address
from qidguard.interfaces.airflow.pages.drawing import Bar, bar, look, trend
from qidguard.interfaces.airflow.pages.words import asked, measured
from qidguard.releasing.judgement import judgement_of, settled
from qidguard.releasing.overview import KINDS, LONGEST_TREND, overview
from qidguard.report.printable import listed

if TYPE_CHECKING:
    from qidguard.ledger import Entry, Ledger

_VERDICTS: Final = ("audited", "checked", "failed")
_ENDS: Final = ("releasing", "released", "abandoned", "withdrawn")
_MOST_COLUMNS: Final = 500


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """One threshold of the audit, with the words of its figure and the bar that draws it."""

    item: Mapping[str, Any]
    look: str
    over: str
    value: str
    asked: str
    bar: Bar | None


def audit_page(
    ledger: "Ledger | None", audit_id: str, *, readable: Callable[[], set[str]], now: datetime
) -> dict[str, Any] | None:
    """Return what the template of an audit is given.

    Only fields that are named here are shown: the record holds more, such as the seed of the record order.

    Args:
        ledger: The ledger; None where there is none.
        audit_id: The audit.
        readable: Gives the ids of the DAGs that the user may read.
        now: The present, UTC.

    Returns:
        The names of the template; None where the ledger has no such audit.

    Units:
        Moments in UTC; figures in their metric's unit.

    Raises:
        LedgerError: When the ledger cannot be read.
        KeyError: When an entry lacks what its kind always says.

    Example:
        >>> audit_page(None, "audit-1", readable=set, now=datetime.now()) is None
        True
    """
    entry = _entry_of(ledger, audit_id)
    if ledger is None or entry is None:
        return None
    others = list(ledger.entries(data_set=entry.data_set, kinds=KINDS))
    judgement = judgement_of(entry)
    for other in others:
        judgement = settled(judgement, other) if other.kind in _ENDS else judgement
    (line,) = overview(others, today=now.date())
    said: Any = entry.payload
    reasons = _reasons(said, others)
    return {
        "line": line,
        "judgement": judgement,
        "look": look(judgement.standing),
        "trend": trend(line.trend, LONGEST_TREND),
        "verdicts": [(j, look(j.standing)) for j in reversed(line.trend)],
        "facts": _facts(said, others, readable),
        "reasons": reasons if reasons != [judgement.sentence] else [],
        "thresholds": [_threshold(item) for item in said.get("figures") or ()],
        "is_failure": entry.kind == "failed",
        "has_figures": "figures" in said,
        "exceptions": _exceptions(said, others, now),
        "now": now,
        **_recorded(ledger, said),
    }


def _entry_of(ledger: "Ledger | None", audit_id: str) -> "Entry | None":
    if ledger is None:
        return None
    found = (ledger.entry(name) for name in (audit_id, f"failed-{audit_id}"))
    return next((entry for entry in found if entry is not None and entry.kind in _VERDICTS), None)


def _facts(
    said: Mapping[str, Any], others: "list[Entry]", readable: Callable[[], set[str]]
) -> list[tuple[str, str]]:
    """Return what is known of the run, as pairs of a name and words."""
    policy = said["policy"]
    rule = "" if policy is None else f"{policy['name']} (SHA-256 {str(policy['sha256'])[:12]}…)"
    preset = "" if policy is None else policy["preset"]
    ends = {e.kind: e for e in others if e.kind in _ENDS and e.payload["audit_id"] == said["audit_id"]}
    is_there = "released" in ends and "withdrawn" not in ends
    address = ends["released"].payload["address"] if is_there else ""
    number = "{:,}".format
    pairs = [
        ("Policy", rule),
        ("Preset", preset),
        ("Source", shown_address(str(said["source"]))),
        ("Records", "" if said.get("records") is None else number(said["records"])),
        ("Entities", "" if said.get("entities") is None else number(said["entities"])),
        ("Release", said["release_id"]),
        ("Published at", shown_address(str(address))),
        ("Started by", _started_by(said["by"], readable)),
        ("Audit", said["audit_id"]),
        ("Versions", ", ".join(f"{name} {v}" for name, v in sorted(said.get("versions", {}).items()))),
    ]
    return [(name, str(words)) for name, words in pairs if words]


def _started_by(by: Mapping[str, Any], readable: Callable[[], set[str]]) -> str:
    who = f"{by.get('user') or 'somebody'} on {by.get('host') or 'some machine'}"
    if by.get("door") != "airflow":
        return f"{who}, by {by['door']}" if by.get("door") else who
    if by.get("dag_id") not in readable():
        return "a DAG of this Airflow that you may not read, or that is gone"
    task, run = by.get("task_id", ""), by.get("run_id", "")
    return f"DAG {by['dag_id']}, task {task}, run {run} ({who})"


def _reasons(said: Mapping[str, Any], others: "list[Entry]") -> list[str]:
    """Return why it is not good: what blocks beyond thresholds, and how a run ended before its end."""
    own = [str(said["error"])] if "error" in said else [str(sentence) for sentence in said["blocks"]]
    later = (e for e in others if e.kind in {"failed", "abandoned"} and "error" not in said)
    ended = [e for e in later if e.payload["audit_id"] == said["audit_id"]]
    return [*own, *(str(e.payload.get("error") or e.payload.get("reason")) for e in ended)]


def _threshold(item: Mapping[str, Any]) -> Threshold:
    looks = "good" if item["is_met"] else "open" if item["is_warning"] else "blocked"
    return Threshold(
        item=item,
        look=looks,
        over=listed(item["qids"]),
        value=measured(item),
        asked=asked(item),
        bar=bar(item),
    )


def _exceptions(said: Mapping[str, Any], others: "list[Entry]", now: datetime) -> list[dict[str, Any]]:
    """Return the exceptions that let this audit pass, and those that were made for it."""
    used = {exception["id"] for exception in said.get("exceptions") or ()}
    revoked = {str(e.payload["exception_id"]) for e in others if e.kind == "revoked"}
    made = [
        e
        for e in others
        if e.kind == "exception" and (e.id in used or e.payload["audit_id"] == said["audit_id"])
    ]
    return [
        {
            "by": e.payload["by"],
            "reason": e.payload["reason"],
            "covers": e.payload["thresholds"],
            "expires": e.payload["expires"],
            "is_used": e.id in used,
            "state": "revoked"
            if e.id in revoked
            else "expired"
            if str(e.payload["expires"]) < now.date().isoformat()
            else "valid",
        }
        for e in made
    ]


def _recorded(ledger: "Ledger", said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns and classes that the attached record lists; none where there is no record."""
    record: Any = json.loads(ledger.attachment(str(said["record"]))) if said.get("record") else {}
    report = record.get("risk_after") or {}
    published = {column["name"]: column.get("technique", "") for column in record.get("columns") or ()}
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

"""What the page of one audit shows: verdict, thresholds, reasons, columns, exceptions; never a value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from qidguard.sdk import LONGEST_TREND, threshold_words, visible
from qidguard_provider.plugins.pages.drawing import Bar, bar, look, trend

if TYPE_CHECKING:
    from qidguard.sdk import RecordedAudit

_MOST_COLUMNS: Final = 500


@dataclass(frozen=True, kw_only=True)
class PageThreshold:
    """One threshold of the audit, with the words of its figure and the bar that draws it."""

    item: Mapping[str, Any]
    look: str
    over: str
    value: str
    asked: str
    bar: Bar | None


def audit_page(audit: "RecordedAudit", *, readable: Callable[[], set[str]], now: datetime) -> dict[str, Any]:
    """Return what the template of an audit is given."""
    judgment = audit.judgment
    reasons = list(audit.reasons)
    title, *lines = audit.advice or ("",)
    return {
        "line": audit.line,
        "judgment": judgment,
        "look": look(judgment.status),
        "trend": trend(audit.line.trend, LONGEST_TREND),
        "verdicts": [(j, look(j.status)) for j in reversed(audit.line.trend)],
        "facts": _facts(audit, readable),
        "reasons": reasons if reasons != [judgment.sentence] else [],
        "thresholds": [_threshold(item) for item in audit.figures or ()],
        "is_failure": audit.is_failure,
        "has_figures": audit.figures is not None,
        "exceptions": audit.exceptions,
        "advice": "\n".join(map(visible, lines or [title])),
        "isolated": audit.isolated,
        "isolated_rows": _isolated_rows,
        "columns": audit.columns[:_MOST_COLUMNS],
        "columns_left": max(0, len(audit.columns) - _MOST_COLUMNS),
        "has_techniques": any(column.technique for column in audit.columns),
        "classes": audit.classes,
        "now": now,
    }


def _facts(audit: "RecordedAudit", readable: Callable[[], set[str]]) -> list[tuple[str, str]]:
    """Return what is known of the run, as pairs of a name and words."""
    policy = audit.policy
    pairs = [
        ("Policy", "" if policy is None else f"{policy.name} (SHA-256 {str(policy.sha256)[:12]}…)"),
        ("Preset", "" if policy is None else policy.preset),
        ("Source", audit.source),
        ("Records", _number(audit.records)),
        ("Entities", _number(audit.entities)),
        ("Release", audit.judgment.release_id),
        ("Published at", audit.address),
        ("Started by", _started_by(audit.by, readable)),
        ("Audit", audit.judgment.audit_id),
        ("Versions", ", ".join(f"{name} {version}" for name, version in sorted(audit.versions.items()))),
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


def _isolated_rows(told: Mapping[str, Any]) -> list[tuple[str, Mapping[str, int]]]:
    """Return whom releases isolate as rows: all together, each release, and what no single one tells."""
    rows = [
        *((by["release_id"], by["isolated"]) for by in reversed(told["by_release"])),
        ("only all together", told["together"]),
        ("earlier releases by themselves", told["already"]),
    ]
    return [("all releases", told["isolated"]), *(row for row in rows if row[1]["persons"])]


def _threshold(item: Mapping[str, Any]) -> PageThreshold:
    words = threshold_words(item)
    return PageThreshold(
        item=item,
        look="good" if item["is_met"] else "open" if item["is_warning"] else "blocked",
        over=words.over,
        value=words.measured,
        asked=words.asked,
        bar=bar(item),
    )

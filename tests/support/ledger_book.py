"""Entries of a ledger that can be read by eye."""

from dataclasses import fields
from datetime import UTC, date, datetime, timedelta

from qidguard.ledger import Entry
from qidguard.ledger.payloads import PAYLOADS
from qidguard.releasing.history.overview import overview

TODAY = date(2026, 11, 21)
START = datetime(2026, 11, 1, tzinfo=UTC)
AIRFLOW = {"door": "airflow", "dag_id": "nightly", "user": "u", "host": "h"}


WHO = {"user": "u", "host": "h"}
USUAL = {
    "audit_id": "a0",
    "release_id": "r1",
    "address": "/published/r1",
    "is_recovered": False,
    "reason": "a reason",
    "error": "It broke.",
    "exception_id": "e1",
    "source": "visits.csv",
    "exit_code": 3,
    "policy": {"name": "clinic", "sha256": "0" * 64, "preset": None},
    "by": WHO,
    "recorded_by": WHO,
    "key_id": "0" * 64,
    "expires": "2026-12-01",
    "thresholds": ["k_anonymity ≥ 5 (accepted: 3)"],
    "envelope": "{}",
    "anonymizer": "noise",
    "population": None,
    "epsilon": "1",
    "delta": "0",
    "rho": "0",
    "budget_epsilon": "1",
    "budget_delta": "0",
    "destination": "/published",
    "token": "t",
    "place": "p",
    "files": [],
    "outcome": "passed",
    "exceptions": [],
    "history_key": "0" * 16,
    "follows": [],
    "qids": {},
    "records": 10,
    "entities": None,
    "missed": [],
    "blocks": [],
    "figures": [],
    "versions": {},
    "record": "0" * 64,
}
"""What entries say where a test says nothing; digests are added below."""

for digest in ("manifest", "attestation", "policy", "source", "options"):
    USUAL[f"{digest}_sha256"] = "0" * 64
for digest in ("classes", "columns", "hash", "seen_hash"):
    USUAL[digest] = "0" * 64
USUAL |= {"sequence": 7, "seen_sequence": 7}


def excepted(exception_id):
    """Return an exception as it stands in a verdict."""
    names = ("key_id", "reason", "expires", "thresholds")
    return {"id": exception_id, "by": "A. Roe", **{name: USUAL[name] for name in names}}


def said(kind, **changes):
    """Return a whole payload of a kind; changes to fields that the kind lacks are left out."""
    names = {field.name for field in fields(PAYLOADS[kind])}
    usual = USUAL | ({"by": "A. Roe"} if kind == "exception" else {})
    return {name: value for name, value in (usual | changes).items() if name in names}


class Book:
    """Entries as a ledger would give them, one an hour."""

    def __init__(self):
        self.entries = []

    def add(self, kind, entry_id, data_set="visits", **payload):
        """Add an entry."""
        number = len(self.entries) + 1
        payload = said(kind, id=entry_id, **payload)
        self.entries.append(
            Entry(
                sequence=number,
                id=entry_id,
                kind=kind,
                data_set=data_set,
                at=START + timedelta(hours=number),
                payload=payload,
                attachments=(),
                previous_hash="",
                hash="",
            )
        )
        return self

    def verdict(self, kind, audit_id, outcome="passed", data_set="visits", **changes):
        """Add a verdict."""
        fields = {
            "audit_id": audit_id,
            "release_id": "r1" if kind == "audited" else None,
            "outcome": outcome,
            "exit_code": int(outcome == "blocked"),
            "exceptions": [excepted("exception-1")] if outcome == "passed_by_exception" else [],
        }
        return self.add(kind, audit_id, data_set, **fields | changes)

    def failure(self, audit_id, error, exit_code=3):
        """Add a run that ended before its verdict."""
        told = {"audit_id": audit_id, "release_id": "r", "error": error, "exit_code": exit_code}
        return self.add("failed", f"failed-{audit_id}", **told, source="x.csv")

    def release(self, kind, audit_id, **more):
        """Add what came of a release."""
        return self.add(kind, f"{kind}-{audit_id}", audit_id=audit_id, release_id="r1", **more)

    def overview(self, today=TODAY):
        """Return the overview."""
        return overview(self.entries, today=today)

    def only(self, today=TODAY):
        """Return the only line of the overview."""
        (line,) = self.overview(today)
        return line


def figure(metric, value, limit, bound="at_least", *, is_met=True, is_warning=False):
    """Return a judged threshold as a document lists it."""
    return {
        "metric": metric,
        "title": metric.replace("_", " "),
        "sensitive": None,
        "value": value,
        "unit": "records",
        "bound": bound,
        "limit": limit,
        "is_met": is_met,
        "is_warning": is_warning,
        "sentence": f"{metric} is {value}.",
    }

"""Entries of a ledger that can be read by eye."""

from datetime import UTC, date, datetime, timedelta

from qidguard.ledger import Entry
from qidguard.releasing.overview import overview

TODAY = date(2026, 11, 21)
START = datetime(2026, 11, 1, tzinfo=UTC)
AIRFLOW = {"door": "airflow", "dag_id": "nightly", "user": "u", "host": "h"}


class Book:
    """Entries as a ledger would give them, one an hour."""

    def __init__(self):
        self.entries = []

    def add(self, kind, entry_id, data_set="visits", **payload):
        """Add an entry."""
        number = len(self.entries) + 1
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
            "release_id": None,
            "outcome": outcome,
            "blocks": [],
            "missed": [],
            "figures": [],
            "policy": {"name": "clinic", "sha256": "0" * 64, "preset": None},
            "by": {"user": "u", "host": "h"},
        }
        if outcome == "passed_by_exception":
            fields["exceptions"] = [{"id": "exception-1"}]
        return self.add(kind, audit_id, data_set, **fields | changes)

    def failure(self, audit_id, error, exit_code=3):
        """Add a run that ended before its verdict."""
        policy_said = {"name": "clinic", "sha256": "0" * 64, "preset": None}
        by = {"user": "u", "host": "h"}
        said = {"audit_id": audit_id, "release_id": "r", "error": error, "exit_code": exit_code}
        return self.add("failed", f"failed-{audit_id}", **said, policy=policy_said, by=by)

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

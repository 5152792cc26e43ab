"""Record that a person let a blocked release through."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.interfaces.airflow.operators.gate import GateOperator

if TYPE_CHECKING:
    from airflow.sdk import Context

    from qidguard.interfaces.airflow.judged import Judged
    from qidguard.ledger import Entry, Ledger

APPROVER_CONNECTION = "qidguard_approver"
"""The connection whose signing key is an approver's, unless another is named."""

USUAL_DAYS = 30
"""For how many days an exception holds where nothing is said; less where the policy allows less."""

_METRIC = re.compile(r"[A-Za-z_]\w*")


class QidguardExceptionOperator(GateOperator):
    """Records an exception for a blocked release, signed by one of the policy's approvers; it expires.

    It stands between the task that asks a person and the task that releases again. A retry finds the
    exception that it made before.

    Args:
        audit_id: The blocked release's audit (templated), such as ``release.output["audit_id"]``.
        reason: Why it is let through (templated); it stands in manifest and history.
        responder: Who approved in Airflow (templated): a name, or what the approval task leaves.
        covers: Names of the metrics let through (templated), as a list or as text; None takes all that the
            audit missed.
        days: For how many days from today it holds (templated), ``longest_days`` of the policy at most; None
            takes 30, or ``longest_days`` where that is less.
        approver_conn_id: The connection with the approver's signing key (templated).
        qidguard_conn_id: The connection with the ledger (templated).
        kwargs: What every operator takes.

    Example:
        >>> operator = QidguardExceptionOperator(task_id="let", audit_id="audit-1", reason="pilot")
        >>> operator.approver_conn_id
        'qidguard_approver'
    """

    template_fields: Sequence[str] = (
        "audit_id",
        "reason",
        "responder",
        "covers",
        "days",
        "approver_conn_id",
        *GateOperator.template_fields,
    )

    def __init__(
        self,
        *,
        audit_id: Any,
        reason: Any,
        responder: Any = None,
        covers: Any = None,
        days: Any = None,
        approver_conn_id: str = APPROVER_CONNECTION,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.audit_id = audit_id
        self.reason = reason
        self.responder = responder
        self.covers = covers
        self.days = days
        self.approver_conn_id = approver_conn_id

    def judge(self, context: "Context") -> "Judged":
        """Return what was let through."""
        from qidguard.interfaces.airflow.hook import QidguardHook
        from qidguard.interfaces.airflow.judged import BY_EXCEPTION, Judged
        from qidguard.releasing.approve import Consent, make_exception
        from qidguard.releasing.prepare import opened_ledger

        now, audit_id = datetime.now(UTC), str(self.audit_id)
        with self.wishes(context) as wishes, opened_ledger(wishes, now) as ledger:
            entry = ledger.entry(audit_id)
            if entry is None:
                raise UserError(f"There is no audit {audit_id!r} in the ledger of {self.qidguard_conn_id!r}.")
            made = _earlier(ledger, entry, wishes.origin, now.date())
            if made is None:
                consent = Consent(
                    audit_id=audit_id,
                    covers=self._covers(entry),
                    reason=self._reason(context),
                    expires=now.date() + timedelta(days=self._days(ledger, entry)),
                )
                key = QidguardHook(self.approver_conn_id).signing_key()
                made = make_exception(ledger, consent, key, now, origin=wishes.origin).document()
        return Judged(
            data_set=entry.data_set,
            outcome=BY_EXCEPTION,
            policy=None,
            audit_id=audit_id,
            release_id=entry.payload.get("release_id"),
            notes=tuple(f"{made['by']} let through until {made['expires']}: {t}" for t in made["thresholds"]),
        )

    def _reason(self, context: "Context") -> str:
        who, reason = _name(self.responder), str(self.reason or "").strip()
        if not reason:
            raise UserError("An exception needs a reason; give it with reason=.")
        run = f"{context['ti'].dag_id}, {context['ti'].run_id}"
        return f"{reason} (approved by {who} in Airflow: {run})" if who else f"{reason} (Airflow: {run})"

    def _covers(self, entry: "Entry") -> tuple[str, ...]:
        if self.covers is None:
            figures: Any = entry.payload.get("figures") or ()
            names = [str(f["metric"]) for f in figures if not f["is_met"] and not f["is_warning"]]
        else:
            given = self.covers if isinstance(self.covers, str) else " ".join(map(str, self.covers))
            names = _METRIC.findall(given)
        return tuple(dict.fromkeys(names))

    def _days(self, ledger: "Ledger", entry: "Entry") -> int:
        if self.days is None:
            record = json.loads(ledger.attachment(str(entry.payload["record"])))
            rules = record.get("policy", {}).get("document", {}).get("exceptions", {})
            return min(USUAL_DAYS, int(rules.get("longest_days", USUAL_DAYS)))
        try:
            days = int(str(self.days))
        except ValueError:
            days = 0
        if days < 1:
            raise UserError(f"days must be a whole number from 1 on, not {self.days!r}; correct it.")
        return days


def _earlier(
    ledger: "Ledger", audited: "Entry", origin: Mapping[str, str], today: date
) -> Mapping[str, Any] | None:
    """Return the exception that an earlier try of this task made, if it still holds."""
    entries = list(ledger.entries(data_set=audited.data_set, kinds={"exception", "revoked"}))
    revoked = {entry.payload.get("exception_id") for entry in entries if entry.kind == "revoked"}
    for entry in entries:
        said: Any = entry.payload
        if entry.kind != "exception" or entry.id in revoked or said.get("audit_id") != audited.id:
            continue
        by = said.get("recorded_by", {})
        is_mine = all(by.get(part) == origin[part] for part in origin if part != "try_number")
        if is_mine and date.fromisoformat(said["expires"]) >= today:
            return said  # type: ignore[no-any-return] # an exception's payload is a mapping
    return None


def _name(responder: Any) -> str:
    """Return who approved: a text, a user, or the user in what an approval task leaves."""
    if isinstance(responder, Mapping):
        user = responder.get("responded_by_user", responder)
        found = user if isinstance(user, str) else (user or {}).get("name") or (user or {}).get("id")
        return str(found or "").strip()
    return str(responder or "").strip()

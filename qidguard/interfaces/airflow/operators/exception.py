"""Record that a person let a blocked release through."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.interfaces.airflow.operators.answer import Answer
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
    exception that it made before; once that is revoked or has expired, this run makes no other for its audit.

    Args:
        audit_id: The audit that the person was asked about (templated): ``ask.output["audit_id"]`` of a
            ``QidguardApprovalOperator``. One that is newer than the answer is refused.
        answer: All that the approval task leaves (templated), as ``ask.output``. Its form's ``reason`` stands
            in manifest and history; its ``days`` count from the answer, ``longest_days`` of the policy at
            most, and without them it is 30, or ``longest_days`` where that is less.
        covers: Names of the metrics let through (templated), as a list or as text; None takes all that the
            audit missed.
        approver_conn_id: The connection with the approver's signing key (templated).
        qidguard_conn_id: The connection with the ledger (templated).
        kwargs: What every operator takes.

    Example:
        >>> operator = QidguardExceptionOperator(task_id="let", audit_id="audit-1", answer={})
        >>> operator.approver_conn_id
        'qidguard_approver'
    """

    template_fields: Sequence[str] = (
        "audit_id",
        "answer",
        "covers",
        "approver_conn_id",
        *GateOperator.template_fields,
    )

    def __init__(
        self,
        *,
        audit_id: Any,
        answer: Any,
        covers: Any = None,
        approver_conn_id: str = APPROVER_CONNECTION,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.audit_id = audit_id
        self.answer = answer
        self.covers = covers
        self.approver_conn_id = approver_conn_id

    def judge(self, context: "Context") -> "Judged":
        """Return what was let through."""
        from qidguard.interfaces.airflow.hook import QidguardHook
        from qidguard.interfaces.airflow.judged import BY_EXCEPTION, Judged
        from qidguard.releasing.approve import Consent, make_exception
        from qidguard.releasing.prepare import opened_ledger

        now, audit_id, answer = datetime.now(UTC), str(self.audit_id), Answer.of(self.answer)
        with self.wishes(context) as wishes, opened_ledger(wishes, now) as ledger:
            entry = ledger.entry(audit_id)
            if entry is None:
                raise UserError(f"There is no audit {audit_id!r} in the ledger of {self.qidguard_conn_id!r}.")
            if entry.at > answer.at:
                raise UserError(
                    f"Audit {audit_id!r} is newer than the answer, so nobody was asked about it; ask again."
                )
            made = _earlier(ledger, entry, wishes.origin, now.date())
            if made is None:
                consent = Consent(
                    audit_id=audit_id,
                    covers=self._covers(entry),
                    reason=_reason(answer, context),
                    expires=answer.at.date() + timedelta(days=answer.days or _usual_days(ledger, entry)),
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

    def _covers(self, entry: "Entry") -> tuple[str, ...]:
        if self.covers is None:
            figures: Any = entry.payload.get("figures") or ()
            names = [str(f["metric"]) for f in figures if not f["is_met"] and not f["is_warning"]]
        else:
            given = self.covers if isinstance(self.covers, str) else " ".join(map(str, self.covers))
            names = _METRIC.findall(given)
        return tuple(dict.fromkeys(names))


def _reason(answer: Answer, context: "Context") -> str:
    run = f"{context['ti'].dag_id}, {context['ti'].run_id}"
    return f"{answer.reason} (approved by {answer.who} in Airflow: {run})"


def _usual_days(ledger: "Ledger", entry: "Entry") -> int:
    record = json.loads(ledger.attachment(str(entry.payload["record"])))
    rules = record.get("policy", {}).get("document", {}).get("exceptions", {})
    return min(USUAL_DAYS, int(rules.get("longest_days", USUAL_DAYS)))


def _earlier(
    ledger: "Ledger", audited: "Entry", origin: Mapping[str, str], today: date
) -> Mapping[str, Any] | None:
    """Return the exception that an earlier try of this task made; one that is over is not made again."""
    entries = list(ledger.entries(data_set=audited.data_set, kinds={"exception", "revoked"}))
    revoked = {entry.payload.get("exception_id") for entry in entries if entry.kind == "revoked"}
    found: Mapping[str, Any] | None = None
    for entry in entries:
        said: Any = entry.payload
        if entry.kind != "exception" or said.get("audit_id") != audited.id:
            continue
        by = said.get("recorded_by", {})
        if not all(by.get(part) == origin[part] for part in origin if part != "try_number"):
            continue
        is_revoked = entry.id in revoked
        if is_revoked or date.fromisoformat(said["expires"]) < today:
            raise UserError(
                f"The exception {entry.id!r} that this answer made"
                f" {'was revoked' if is_revoked else 'has expired'}; ask again in a new run."
            )
        found = said
    return found

"""An exception for a blocked table: what a person answered, checked and recorded in the ledger."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from qidguard import UserError
from qidguard_provider.hooks.qidguard import DEFAULT_CONNECTION, QidguardHook
from qidguard_provider.operators.gate import GateOperator

if TYPE_CHECKING:
    from airflow.sdk import Context

    from qidguard_provider.verdicts import Judged


APPROVAL = ["Approve"]
"""The one answer that lets something through, as Airflow's approval task leaves it."""

LEAST_REASON = 10
"""How many characters a reason has at least; the form asks for as many."""

MOST_DAYS = 366
"""What outlives a year is no exception; no policy allows more either."""


@dataclass(frozen=True, kw_only=True)
class HumanApproval:
    """A person's approval.

    Args:
        who: The name, else the id, of the person who answered.
        at: When.
        reason: Why.
        days: For how many days, counted from the answer; None where nothing is said.
    """

    who: str
    at: datetime
    reason: str
    days: int | None

    @classmethod
    def of(cls, left: Any) -> Self:
        """Return the approval in what an approval task left.

        Example:
            >>> form = {"reason": "a pilot, agreed with the board", "days": 7}
            >>> left = {"chosen_options": ["Approve"], "params_input": form}
            >>> left |= {"responded_by_user": {"id": "7", "name": "Roe"}}
            >>> HumanApproval.of({**left, "responded_at": "2026-11-21T12:00:00+00:00"}).who
            'Roe'
        """
        if not isinstance(left, Mapping):
            raise UserError(
                "answer must be what the task that asks leaves, as a whole; write answer=ask.output and let"
                " a person answer."
            )
        if list(left.get("chosen_options") or ()) != APPROVAL:
            raise UserError("The answer is not an approval, so nothing is let through; ask again.")
        who = _name(left.get("responded_by_user"))
        if not who or left.get("timedout"):
            raise UserError("Nobody answered in time, and no default lets anything through; ask again.")
        form = left.get("params_input")
        fields = form if isinstance(form, Mapping) else {}
        return cls(
            who=who,
            at=_moment(left.get("responded_at")),
            reason=_reason(fields),
            days=_days(fields.get("days")),
        )


def _name(user: Any) -> str:
    given = [user.get("name"), user.get("id")] if isinstance(user, Mapping) else []
    return next((text for part in given if (text := str(part or "").strip())), "")


def _moment(at: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    except ValueError:
        moment = None
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        raise UserError(
            "The answer does not say when it was given (responded_at), so its days cannot be counted; hand it"
            " on as answer=ask.output."
        )
    return moment.astimezone(UTC)


def _reason(form: Mapping[Any, Any]) -> str:
    reason = form.get("reason")
    text = reason.strip() if isinstance(reason, str) else ""
    if len(text) < LEAST_REASON:
        raise UserError(
            f"An exception needs a reason of at least {LEAST_REASON} characters; ask again and write one."
        )
    return text


def _days(given: Any) -> int | None:
    if given is None:
        return None
    days = int(given) if re.fullmatch(r"[0-9]{1,3}", str(given)) else 0
    if not 1 <= days <= MOST_DAYS:
        raise UserError(
            f"days must be a whole number from 1 to {MOST_DAYS}, not {str(given)[:20]!r}; correct it."
        )
    return days


APPROVER_CONNECTION = "qidguard_approver"
"""The connection whose signing key is an approver's, unless another is named."""

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
        qidguard_conn_id: str = DEFAULT_CONNECTION,
        **kwargs: Any,
    ) -> None:
        super().__init__(qidguard_conn_id=qidguard_conn_id, **kwargs)
        self.audit_id = audit_id
        self.answer = answer
        self.covers = covers
        self.approver_conn_id = approver_conn_id

    def judge(self, context: "Context") -> "Judged":
        """Return what was let through."""
        from qidguard.sdk import AuditAnswer, approve_audit
        from qidguard_provider.verdicts import BY_EXCEPTION, Judged

        audit_id, human = str(self.audit_id), HumanApproval.of(self.answer)
        run = f"{context['ti'].dag_id}, {context['ti'].run_id}"
        answer = AuditAnswer(
            audit_id=audit_id,
            covers=self._covers(),
            reason=f"{human.reason} (approved by {human.who} in Airflow: {run})",
            at=human.at,
            days=human.days,
        )
        with self.options(context) as options:
            approver = QidguardHook(self.approver_conn_id)
            let = approve_audit(answer, lambda: approver.access().signer(), options, now=datetime.now(UTC))
        return Judged(
            data_set=let.data_set,
            outcome=BY_EXCEPTION,
            policy=None,
            audit_id=audit_id,
            release_id=let.release_id,
            notes=let.sentences,
        )

    def _covers(self) -> tuple[str, ...] | None:
        if self.covers is None:
            return None
        given = self.covers if isinstance(self.covers, str) else " ".join(map(str, self.covers))
        return tuple(_METRIC.findall(given))

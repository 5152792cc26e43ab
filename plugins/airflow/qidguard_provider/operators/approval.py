"""Ask a person about one audit, so that the answer holds for that audit and no other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airflow.providers.standard.operators.hitl import ApprovalOperator

from qidguard_provider.fault import refused

if TYPE_CHECKING:
    from airflow.sdk import Context


class QidguardApprovalOperator(ApprovalOperator):
    """Asks named persons about one audit, and leaves its id as the XCom ``audit_id``.

    The id is left before the task waits, beside what the person reads: whatever runs meanwhile does not
    change it. A rejection fails the task.

    Args:
        audit_id: The audit that the person is asked about (templated); it must stand in the body.
        subject: What is asked, in a line (templated).
        body: What the person reads before they answer (templated).
        assigned_users: Who may answer; it must name somebody.
        params: The fields of the form.
        fail_on_reject: Whether a rejection fails the task.
        kwargs: What else ``ApprovalOperator`` takes.
    """

    template_fields: Sequence[str] = (*ApprovalOperator.template_fields, "audit_id")

    def __init__(
        self,
        *,
        audit_id: Any,
        subject: str,
        body: str | None = None,
        assigned_users: Any = None,
        params: Any = None,
        fail_on_reject: bool = True,
        **kwargs: Any,
    ) -> None:
        kwargs |= {"subject": subject, "body": body, "assigned_users": assigned_users, "params": params}
        super().__init__(fail_on_reject=fail_on_reject, **kwargs)
        self.audit_id = audit_id

    def execute(self, context: "Context") -> Any:
        """Note which audit is asked about, and ask."""
        if not self.assigned_users:
            raise refused(
                f"Task {self.task_id!r} names nobody who may answer, and then anybody could; give it"
                " assigned_users."
            )
        audit_id = str(self.audit_id or "")
        if not audit_id or audit_id not in str(self.body):
            raise refused(
                f"The text of task {self.task_id!r} does not name the audit {audit_id!r} that it asks about;"
                " write its id into the body."
            )
        context["ti"].xcom_push(key="audit_id", value=audit_id)
        return super().execute(context)

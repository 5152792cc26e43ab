"""Judge what is already published by today's policy."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qidguard.interfaces.airflow.operators.gate import GateOperator
from qidguard.interfaces.airflow.place import address, resolved

if TYPE_CHECKING:
    from airflow.sdk import Context

    from qidguard.interfaces.airflow.verdicts import Judged


class QidguardReauditOperator(GateOperator):
    """Verifies a published release byte for byte and judges it by today's policy and history.

    Args:
        policy: Today's policy (templated); a relative path is looked up beside the file of the DAG.
        data_set: The data set (templated).
        release_id: The release (templated).
        qidguard_conn_id: The connection with ledger and keys (templated).
        fail_on_block: Whether the task fails where the release no longer passes.
        kwargs: What every operator takes.

    Example:
        >>> operator = QidguardReauditOperator(
        ...     task_id="again", policy="/srv/ward.yaml", data_set="ward", release_id="2026-11"
        ... )
        >>> operator.release_id
        '2026-11'
    """

    template_fields: Sequence[str] = ("policy", "release_id", *GateOperator.template_fields)

    def __init__(self, *, policy: Any, data_set: Any, release_id: Any, **kwargs: Any) -> None:
        super().__init__(data_set=data_set, **kwargs)
        self.policy = address(self.said("policy", policy), "policy")
        self.release_id = self.said("release_id", release_id)

    def judge(self, context: "Context") -> "Judged":
        """Return the verdict on the release."""
        from qidguard.interfaces.airflow.verdicts import of_check
        from qidguard.policy import load_policy
        from qidguard.releasing.reaudit.reaudit import reaudit

        path = resolved(context["dag"].folder, self.policy, "policy")
        with self.options(context) as options:
            recorded = reaudit(str(self.data_set), str(self.release_id), policy=load_policy(path), **options)
        return of_check(recorded, path, None if recorded.report is None else recorded.report.source)

"""Judge what is already published by today's policy."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qidguard_provider.operators.gate import handing_on, origin
from qidguard_provider.operators.work import WorkOperator
from qidguard_provider.place import address, resolved

if TYPE_CHECKING:
    from airflow.sdk import Context

    from qidguard_provider.work import TaskWork


class QidguardReauditOperator(WorkOperator):
    """Verifies a published release byte for byte and judges it by today's policy and history.

    Args:
        policy: Today's policy (templated); a relative path is looked up beside the file of the DAG.
        data_set: The data set (templated).
        release_id: The release (templated).
        qidguard_conn_id: The connection with ledger and keys (templated).
        fail_on_block: Whether the task fails where the release no longer passes.
        deferrable: Whether the work goes on outside of the worker slot (see ``WorkOperator``).
        kwargs: What every operator takes.

    Example:
        >>> operator = QidguardReauditOperator(
        ...     task_id="again", policy="/srv/ward.yaml", data_set="ward", release_id="2026-11"
        ... )
        >>> operator.release_id
        '2026-11'
    """

    template_fields: Sequence[str] = ("policy", "release_id", *WorkOperator.template_fields)

    @handing_on(WorkOperator)
    def __init__(self, *, policy: Any, data_set: Any, release_id: Any, **kwargs: Any) -> None:
        super().__init__(data_set=data_set, **kwargs)
        self.policy = address(self.said("policy", policy), "policy")
        self.release_id = self.said("release_id", release_id)

    def work(self, context: "Context") -> "TaskWork":
        """Return what is to be done."""
        from qidguard_provider.work import TaskWork

        path = resolved(context["dag"].folder, self.policy, "policy")
        return TaskWork(policy=path, origin=origin(context), **self.expected(context))

    def expected(self, context: "Context") -> dict[str, str]:
        """Return what an answer must be about."""
        del context
        return {"kind": "reaudit", "data_set": str(self.data_set), "release_id": str(self.release_id)}

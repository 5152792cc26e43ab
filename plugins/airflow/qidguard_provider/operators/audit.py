"""Judge a table by a policy, record the verdict, publish nothing."""

from typing import TYPE_CHECKING, Any

from qidguard_provider.operators.table import TableOperator

if TYPE_CHECKING:
    from airflow.sdk import Context


class QidguardAuditOperator(TableOperator):
    """Judges a table by a policy and records the verdict in the ledger; nothing is published.

    Args:
        policy: The policy's file (templated).
        source: The table's path or URL (templated); None takes the policy's ``source.path``.
        data_set: The data set's name (templated), where the policy's ``release.data_set`` gives none; without
            both it is the file's.
        qidguard_conn_id: The connection with ledger and keys (templated).
        fail_on_block: Whether the task fails where the table is blocked.
        deferrable: Whether the work goes on outside of the worker slot (see ``WorkOperator``).
        kwargs: What every operator takes.

    Example:
        >>> QidguardAuditOperator(task_id="audit", policy="/srv/ward.yaml", source="/srv/ward.csv").policy
        '/srv/ward.yaml'
    """

    def rest_of_work(self, context: "Context") -> dict[str, Any]:
        """Return the kind of the work."""
        del context
        return {"kind": "audit"}

"""Judge a table by a policy, record the verdict, publish nothing."""

from typing import TYPE_CHECKING

from qidguard.interfaces.airflow.operators.table import TableOperator

if TYPE_CHECKING:
    from airflow.sdk import Context

    from qidguard.interfaces.airflow.verdicts import Judged


class QidguardAuditOperator(TableOperator):
    """Judges a table by a policy and records the verdict in the ledger; nothing is published.

    Args:
        policy: The policy's file (templated).
        source: The table's path or URL (templated); None takes the policy's ``source.path``.
        data_set: The data set's name (templated); None takes the policy's or the file's.
        qidguard_conn_id: The connection with ledger and keys (templated).
        fail_on_block: Whether the task fails where the table is blocked.
        kwargs: What every operator takes.

    Example:
        >>> QidguardAuditOperator(task_id="audit", policy="/srv/ward.yaml", source="/srv/ward.csv").policy
        '/srv/ward.yaml'
    """

    def judge(self, context: "Context") -> "Judged":
        """Return the verdict on the table."""
        from qidguard.core.address import shown_address
        from qidguard.interfaces.airflow.verdicts import of_check
        from qidguard.releasing.deciding.check import check

        rules, path, source = self.table(context)
        with self.options(context) as options:
            return of_check(
                check(source, policy=rules, data_set=self.data_set or None, **options),
                path,
                shown_address(source),
            )

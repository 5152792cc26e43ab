"""Make a table meet its policy by the policy's remedy, without publishing it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qidguard_provider.operators.gate import handing_on
from qidguard_provider.operators.table import TableOperator
from qidguard_provider.place import destination, mask_address

if TYPE_CHECKING:
    from airflow.sdk import Context


class QidguardAnonymizeOperator(TableOperator):
    """Applies the policy's remedy and writes one intermediate file; nothing is published.

    Args:
        policy: The policy's file (templated), with a ``remedy``.
        to: The file to write, CSV or Parquet: an absolute path or a URL (templated).
        source: The table's path or URL (templated); None takes the policy's ``source.path``.
        data_set: The data set's name (templated), where the policy's ``release.data_set`` gives none; without
            both it is the file's.
        qidguard_conn_id: The connection with ledger and keys (templated).
        fail_on_block: Whether the task fails where the result is still blocked.
        deferrable: Whether the work goes on outside of the worker slot (see ``WorkOperator``).
        kwargs: What every operator takes.

    Example:
        >>> operator = QidguardAnonymizeOperator(
        ...     task_id="coarsen", policy="/srv/p.yaml", to="/srv/safe.parquet"
        ... )
        >>> operator.to
        '/srv/safe.parquet'
    """

    template_fields: Sequence[str] = (*TableOperator.template_fields, "to")

    @handing_on(TableOperator)
    def __init__(self, *, to: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.to = self.said("to", to)
        mask_address(self.to)

    def rest_of_work(self, context: "Context") -> dict[str, Any]:
        """Return the kind of the work, and where it goes."""
        del context
        return {"kind": "anonymize", "to": destination(self.to)}

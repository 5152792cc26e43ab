"""A task of the gate that judges a table by a policy."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qidguard_provider.operators.gate import UNSAID, handing_on, origin
from qidguard_provider.operators.work import WorkOperator
from qidguard_provider.place import address, is_left_out, resolved

if TYPE_CHECKING:
    from airflow.sdk import Context

    from qidguard_provider.work import TaskWork


class TableOperator(WorkOperator):
    """A task that judges a table.

    Args:
        policy: The policy's file (templated); a relative path is looked up beside the file of the DAG.
        source: The table's path or URL (templated), likewise; None, or a template that renders to nothing,
            takes the policy's ``source.path``. A table itself is refused: nothing but addresses pass between
            tasks.
        data_set: The data set's name (templated), where the policy's ``release.data_set`` gives none.
        qidguard_conn_id: The connection with ledger and keys (templated).
        fail_on_block: Whether the task fails where the table is blocked.
        deferrable: Whether the work goes on outside of the worker slot (see ``WorkOperator``).
        kwargs: What every operator takes.
    """

    template_fields: Sequence[str] = ("policy", "source", *WorkOperator.template_fields)

    @handing_on(WorkOperator)
    def __init__(self, *, policy: Any, source: Any = UNSAID, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.policy = address(self.said("policy", policy), "policy")
        source = self.said("source", source)
        self.source = None if is_left_out(source) else address(source, "source")

    def addresses(self, context: "Context") -> tuple[str, str | None]:
        """Return the policy's path and the table's address, as they are found from anywhere."""
        folder = context["dag"].folder
        path = resolved(folder, self.policy, "policy")
        return path, None if is_left_out(self.source) else resolved(folder, self.source, "source")

    def work(self, context: "Context") -> "TaskWork":
        """Return what is to be done."""
        from qidguard_provider.work import TaskWork

        path, source = self.addresses(context)
        return TaskWork(
            policy=path,
            source=source,
            data_set=self.data_set or None,
            origin=origin(context),
            **self.rest_of_work(context),
        )

    @abstractmethod
    def rest_of_work(self, context: "Context") -> dict[str, Any]:
        """Return the kind of the work, and what else it needs."""

    def expected(self, context: "Context") -> dict[str, Any]:
        """Return what an answer must be about; the host names a data set that is not given."""
        rest = self.rest_of_work(context)
        return {
            "kind": rest["kind"],
            "data_set": self.data_set or None,
            "release_id": rest.get("release_id"),
        }

"""What every task of the gate does: ask the host, say why it blocks, leave names and addresses behind."""

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseOperator, BaseXCom
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from qidguard.core.errors import UserError
from qidguard.interfaces.airflow.fault import Stopped, answered
from qidguard.interfaces.airflow.hook import DEFAULT_CONNECTION, QidguardHook
from qidguard.interfaces.airflow.links import QidguardReportLink
from qidguard.interfaces.airflow.log_progress import LogProgress
from qidguard.interfaces.airflow.place import is_left_out, mask_address, true_or_false

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from airflow.sdk import Context

    from qidguard.interfaces.airflow.judged import Judged
    from qidguard.releasing.prepare import Wishes


_ADDRESSES = ("policy", "source", "to", "address", "public_key")
_DEMANDED = (*_ADDRESSES, "data_set", "release_id")
"""Where another task is to say one of these and says nothing, no default takes its place."""


class GateOperator(BaseOperator):
    """A task that ends with a verdict.

    Args:
        data_set: The name under which the table is kept (templated); None takes the policy's or the file's.
        qidguard_conn_id: The connection with ledger and keys (templated).
        fail_on_block: Whether the task fails where the verdict is to block; else later tasks read it.
            A task with an outlet must fail: Airflow tells the consumers of an Asset of every success.
        kwargs: What every operator takes.
    """

    template_fields: Sequence[str] = ("data_set", "qidguard_conn_id")
    operator_extra_links = (QidguardReportLink(),)
    ui_color = "#dfeee6"

    judged: "Judged | None" = None
    """What this task found, once it has run; None before."""

    def __init__(
        self,
        *,
        data_set: Any = None,
        qidguard_conn_id: str = DEFAULT_CONNECTION,
        fail_on_block: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.data_set = data_set
        self.qidguard_conn_id = qidguard_conn_id
        self.fail_on_block = true_or_false(fail_on_block, "fail_on_block")
        self.multiple_outputs = True  # so that another task may take one part: release.output["address"]
        self._is_working = self._is_stopped = False
        self._began = 0.0
        self._unsaid: tuple[str, ...] = ()
        if self.outlets and not self.fail_on_block:
            raise UserError(
                f"Task {self.task_id!r} has an outlet, whose consumers run after every success of it, so it"
                " must fail when it blocks; leave fail_on_block=False or the outlet out."
            )

    @abstractmethod
    def judge(self, context: "Context") -> "Judged":
        """Do the work and return what was found."""

    def execute(self, context: "Context") -> dict[str, Any]:
        """Do the work; leave names, addresses and sentences, and fail where the verdict is to block.

        Args:
            context: What Airflow knows of this run.

        Returns:
            What ``Judged.xcom`` says.

        Raises:
            AirflowFailException: When the verdict is to block, or the user made a mistake; not retried.
            AirflowException: When the ledger, a plugin or qidguard itself failed; retried.
        """
        self.judged, self._is_working, self._began = None, True, time.monotonic()
        try:
            judged = answered(lambda: self._verdict(context), self._is_ended)
        finally:
            self._is_working = False
        self.judged = judged
        for note in judged.notes:
            self.log.info(note)
        said = judged.xcom()
        if judged.is_passed:
            self.log.info("%s: %s", judged.data_set, judged.outcome)
            return said
        for sentence in judged.sentences:
            self.log.error(sentence)
        if judged.is_fault or self.fail_on_block or self.outlets:
            if self.do_xcom_push:  # what a failing task returns is lost, and its report would be too
                for key, value in {**said, BaseXCom.XCOM_RETURN_KEY: said}.items():
                    context["ti"].xcom_push(key=key, value=value)
            raise (AirflowException if judged.is_fault else AirflowFailException)(judged.headline)
        self.log.warning("%s is blocked, and the task goes on (fail_on_block=False).", judged.data_set)
        return said

    def on_kill(self) -> None:
        """Stop the work, so that temporary copies of the table are removed on the way out."""
        if self._is_working:
            self._is_working, self._is_stopped = False, True
            raise Stopped

    def wishes(self, context: "Context", **given: Any) -> "AbstractContextManager[Wishes]":
        """Return what the host is told of this run beside source, policy and destination."""
        ti = context["ti"]
        parts = ("dag_id", "task_id", "run_id", "map_index", "try_number")
        return QidguardHook(self.qidguard_conn_id).wishes(
            data_set=self.data_set or None,
            progress=LogProgress(log=self.log),
            origin={"door": "airflow", **{part: str(getattr(ti, part)) for part in parts}},
            **given,
        )

    def get_openlineage_facets_on_complete(self, task_instance: Any) -> Any:
        """Return what OpenLineage is told; the provider asks for it, where there is one."""
        del task_instance
        if self.judged is None:
            return None
        from qidguard.interfaces.airflow.lineage import lineage_of

        return lineage_of(self.judged)

    def get_openlineage_facets_on_failure(self, task_instance: Any) -> Any:
        """Return what OpenLineage is told of a task that failed, as one that blocked does."""
        return self.get_openlineage_facets_on_complete(task_instance)

    def _is_ended(self) -> bool:
        """Whether Airflow stopped the work; an engine's query hides the timeout that interrupts it."""
        limit = self.execution_timeout
        if self._is_stopped or limit is None:
            return self._is_stopped
        seconds = limit.total_seconds()  # Airflow's clock began a little before this one
        return bool(time.monotonic() - self._began > seconds - min(1, seconds / 10))

    def _verdict(self, context: "Context") -> "Judged":
        if self._unsaid:
            raise UserError(
                f"{self._unsaid[0]} was to come from another task, which left nothing, and no default takes"
                " its place; let that task leave one, or leave the argument out."
            )
        return self.judge(context)

    def _do_render_template_fields(self, parent: Any, *given: Any, **named: Any) -> None:
        """Render; what is secret in an address is masked before Airflow keeps the rendered fields."""
        own = [name for name in _DEMANDED if parent is self and name in self.template_fields]
        awaited = [name for name in own if self._is_awaited(name)]
        super()._do_render_template_fields(parent, *given, **named)
        for name in own:
            if name in _ADDRESSES:
                mask_address(getattr(self, name))
        if parent is self:
            self._unsaid = tuple(name for name in awaited if is_left_out(getattr(self, name)))

    def _is_awaited(self, name: str) -> bool:
        """Whether another task is to say it; what a mapped task is given was said before it was made."""
        value = getattr(self, name)
        if self._BaseOperator__from_mapped and is_left_out(value):
            return name in self._BaseOperator__init_kwargs
        return value is not None and not isinstance(value, str)

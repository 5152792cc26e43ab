"""A task whose work is long, and may go on outside of its worker slot."""

import os
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from airflow.sdk import conf

from qidguard_provider.fault import answered, as_airflow_says
from qidguard_provider.hooks.qidguard import QidguardHook
from qidguard_provider.operators.gate import GateOperator, handing_on, origin
from qidguard_provider.place import true_or_false
from qidguard_provider.verdicts import Failure

if TYPE_CHECKING:
    from airflow.sdk import Context

    from qidguard_provider.deferring.folder import WorkFolder
    from qidguard_provider.verdicts import Judged
    from qidguard_provider.work import TaskWork

DEFERRABLE: bool = conf.getboolean("operators", "default_deferrable", fallback=False)
"""Whether the work goes on outside of the worker slot where the author of a DAG does not say."""

_POD = "AIRFLOW_IS_K8S_EXECUTOR_POD"
"""Set where a task has a machine for itself, which ends with it."""


class WorkOperator(GateOperator):
    """A task that judges, in its worker slot or, deferred, in a process of its own on the worker's machine.

    Deferred, the task starts the process, gives its slot back and sleeps; the triggerer looks whether an
    answer lies in a private folder, which worker and triggerer must both see: below ``$AIRFLOW_HOME`` of one
    machine, or a shared folder that ``QIDGUARD_DEFERRED`` names. The answer is held against the ledger before
    anything follows from it. The process ends when the task is cleared or marked, after its
    ``execution_timeout``, and when nobody has watched it for ten minutes. Where a task's machine ends with
    the task (KubernetesExecutor), the work is done in the task, and a line of the log says so.

    Args:
        deferrable: Whether the work goes on outside of the worker slot; the default is Airflow's
            ``operators.default_deferrable``.
        kwargs: What ``GateOperator`` takes.
    """

    @handing_on(GateOperator)
    def __init__(self, *, deferrable: bool = DEFERRABLE, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.deferrable = true_or_false(deferrable, "deferrable")

    @abstractmethod
    def work(self, context: "Context") -> "TaskWork":
        """Return what is to be done."""

    def judge(self, context: "Context") -> "Judged":
        """Do the work and return what was found."""
        work = self.work(context)
        with self.options(context) as options:
            return work.done(options)

    def execute(self, context: "Context") -> dict[str, Any]:
        """Do the work, or start it outside of the worker slot and sleep until it has answered."""
        if self.deferrable and os.environ.get(_POD):
            self.log.info("This machine ends with the task, so the work is done in the task, not deferred.")
        elif self.deferrable:
            self._defer(answered(lambda: self._started(context), self._is_ended))
        return super().execute(context)

    def execute_complete(self, context: "Context", event: Any = None) -> dict[str, Any]:
        """Read the answer of the work, hold it against the ledger, and go on as after any work."""
        self.judged = None
        answer = answered(lambda: self._answer(context, event))
        if isinstance(answer, Failure):
            raise as_airflow_says(answer)
        return self.concluded(answer, context)

    def resume_execution(
        self, next_method: str, next_kwargs: dict[str, Any] | None, context: "Context"
    ) -> Any:
        """Go on after sleep; where the triggerer failed, the work is ended first."""
        if next_method != "execute_complete":
            answered(lambda: _end_all(context))
            raise as_airflow_says(_UNWATCHED)
        return super().resume_execution(next_method, next_kwargs, context)

    def _started(self, context: "Context") -> "WorkFolder":
        from qidguard_provider.deferring.keeper import start

        self.check_said(context)
        work, limit = self.work(context), self.execution_timeout
        access = QidguardHook(self.qidguard_conn_id).access_to_work()
        return start(work, access, limit_seconds=limit.total_seconds() if limit else 0.0)

    def _defer(self, folder: "WorkFolder") -> None:
        from qidguard_provider.triggers.qidguard import QidguardTrigger

        self.log.info("The work goes on outside of the worker slot, in a process of its own.")
        self.defer(trigger=QidguardTrigger(folder=str(folder.path)), method_name="execute_complete")

    def _answer(self, context: "Context", event: Any) -> "Judged | Failure":
        from qidguard_provider.deferring.answer import check_answer, read
        from qidguard_provider.deferring.folder import SETTING, WorkFolder, root

        told = event if isinstance(event, dict) else {}
        folder = WorkFolder.named(told.get("work"), tuple(origin(context).values()))
        content = b"" if folder is None else folder.read_answer()
        _end_all(context)
        if told.get("status") == "unseen":
            return Failure(
                sentence=f"The triggerer cannot see the folder {str(root())!r} of this worker, so nobody"
                " would hear when the work has ended, and it is stopped; name a folder that both share by"
                f" {SETTING}, or leave deferrable out.",
                is_final=True,
            )
        if told.get("status") != "answered" or not content:
            return Failure(
                sentence="The process that did the work is gone without an answer, so nothing was let"
                " through: it was killed, its machine ended, or this worker does not see the folder"
                f" {str(root())!r} where it answers; another try does the same again."
            )
        answer = read(content)
        if answer is None:
            return Failure(sentence="The answer of the work cannot be read, so nothing was let through.")
        if not isinstance(answer, Failure):
            expected = self.expected(context)
            with self.options(context) as options:
                check_answer(answer, options, **expected)
        return answer

    @abstractmethod
    def expected(self, context: "Context") -> dict[str, Any]:
        """Return what an answer must be about: kind, data set and release."""


def _end_all(context: "Context") -> None:
    """End what is left of the work of this try, and remove what it left."""
    from qidguard_provider.deferring.folder import end_all

    end_all(tuple(origin(context).values()))


_UNWATCHED = Failure(
    sentence="The triggerer could not wait for the work, so it was stopped; qidguard must be installed where"
    " the triggerer runs, as on the workers, or leave deferrable out. The triggerer's log says why."
)

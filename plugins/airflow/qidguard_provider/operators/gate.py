"""What every operator of the gate does around its work: keys, progress in the log, and the verdict."""

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, TypeVar

from airflow.sdk import BaseOperator, BaseXCom

from qidguard import UserError
from qidguard_provider.fault import answered, as_airflow_says
from qidguard_provider.hooks.qidguard import DEFAULT_CONNECTION, QidguardHook
from qidguard_provider.links.qidguard import QidguardReportLink
from qidguard_provider.place import is_left_out, mask_address, true_or_false
from qidguard_provider.verdicts import Failure, Stopped

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from airflow.sdk import Context

    from qidguard.sdk import RunOptions
    from qidguard_provider.verdicts import Judged


Init = TypeVar("Init", bound=Callable[..., None])

EVERY_SECONDS = 30.0
"""Between two lines about the same work, in seconds."""


@dataclass(kw_only=True)
class LogProgress:
    """Writes a line when a piece of work is done, and now and then while it lasts.

    Args:
        log: A logger.
    """

    log: Any
    _logged_at: float = field(default=0.0, repr=False)

    def step(self, title: str, done: int, total: int) -> None:
        """Hear that ``done`` of ``total`` steps of the work called ``title`` are finished."""
        now = time.monotonic()
        if done == total:
            self.log.info("%s: done", title)
        elif done and now - self._logged_at > EVERY_SECONDS:
            self.log.info("%s: %s of %s", title, f"{done:,}", f"{total:,}")
        else:
            self._logged_at = self._logged_at if done else now
            return
        self._logged_at = now

    def tell(self, sentence: str) -> None:
        """Write a sentence that must not be missed."""
        self.log.warning("%s", sentence)


class _Unsaid:
    """Stands for an argument that the author of a DAG did not give."""

    def __repr__(self) -> str:
        return "not given"


UNSAID: Any = _Unsaid()
"""None may be given, and may come of another task; this cannot."""

_ADDRESSES = ("policy", "source", "to", "address", "public_key")
_DEMANDED = (*_ADDRESSES, "data_set", "release_id")
"""Where another task is to say one of these and says nothing, no default takes its place."""


def origin(context: "Context") -> dict[str, str]:
    """Return which try of which task a context is of, as the ledger keeps it."""
    parts = ("dag_id", "task_id", "run_id", "map_index", "try_number")
    return {"door": "airflow", **{part: str(getattr(context["ti"], part)) for part in parts}}


def handing_on(base: type) -> Callable[[Init], Init]:
    """Let the signature of an ``__init__`` show, beside its own arguments, those that it hands on to a base.

    They are declared once, and whoever asks an editor, ``help()`` or Airflow for an operator's arguments is
    told all of them.
    """

    def shown(init: Init) -> Init:
        own = signature(init)
        mine = [given for given in own.parameters.values() if given.kind is not Parameter.VAR_KEYWORD]
        names = {given.name for given in mine}
        more = [given for name, given in signature(base).parameters.items() if name not in names]
        vars(init)["__signature__"] = own.replace(parameters=[*mine, *more])
        return init

    return shown


class GateOperator(BaseOperator):
    """A task that ends with a verdict.

    Args:
        data_set: The name under which the table is kept (templated).
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
        data_set: Any = UNSAID,
        qidguard_conn_id: str = DEFAULT_CONNECTION,
        fail_on_block: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._said: tuple[str, ...] = ()
        self.data_set = self.said("data_set", data_set)
        self.qidguard_conn_id = qidguard_conn_id
        self.fail_on_block = true_or_false(fail_on_block, "fail_on_block")
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
        """Do the work; leave names, addresses and sentences, and fail where the verdict is to block."""
        self.judged, self._is_working, self._began = None, True, time.monotonic()
        try:
            judged = answered(lambda: self._verdict(context), self._is_ended)
        finally:
            self._is_working = False
        return self.concluded(judged, context)

    def concluded(self, judged: "Judged", context: "Context") -> dict[str, Any]:
        """Return what later tasks are told of a verdict, or fail by it."""
        self.judged = judged
        pushed = judged.xcom()
        if judged.is_passed:
            for note in judged.notes:
                self.log.info(note)
            self.log.info("%s: %s", judged.data_set, judged.outcome)
            return pushed
        for line in judged.advice:
            self.log.info("%s", line)
        if judged.is_fault or self.fail_on_block or self.outlets:
            if self.do_xcom_push:  # what a failing task returns is lost, and its report would be too
                context["ti"].xcom_push(key=BaseXCom.XCOM_RETURN_KEY, value=pushed)
            raise as_airflow_says(Failure(sentence=judged.failure, is_final=not judged.is_fault))
        self.log.warning("%s", judged.failure)
        self.log.warning("%s is blocked, and the task goes on (fail_on_block=False).", judged.data_set)
        return pushed

    def on_kill(self) -> None:
        """Stop the work, so that temporary copies of the table are removed on the way out."""
        if self._is_working:
            self._is_working, self._is_stopped = False, True
            raise Stopped

    def options(self, context: "Context") -> "AbstractContextManager[RunOptions]":
        """Return what the host is told of this run beside source, policy and destination."""
        return QidguardHook(self.qidguard_conn_id).options(
            progress=LogProgress(log=self.log), origin=origin(context), has_advice=True
        )

    def get_openlineage_facets_on_complete(self, task_instance: Any) -> Any:
        """Return what OpenLineage is told; the provider asks for it, where there is one."""
        del task_instance
        if self.judged is None:
            return None
        try:
            from qidguard_provider.lineage import lineage_of
        except ImportError:
            return None
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

    def said(self, name: str, value: Any) -> Any:
        """Return an argument, and keep that it was given; one that was not is None."""
        if value is UNSAID:
            return None
        self._said += (name,)
        return value

    def render_template_fields(self, context: "Context", jinja_env: Any = None) -> None:
        """Render, and note which arguments another task was to say and did not."""
        own = [name for name in _DEMANDED if name in self.template_fields]
        awaited = [name for name in own if not isinstance(getattr(self, name), str | None)]
        super().render_template_fields(context, jinja_env)
        for name in own:
            mask_address(getattr(self, name))
        self._unsaid = tuple(name for name in awaited if is_left_out(getattr(self, name)))

    def render_template(self, content: Any, context: "Context", *given: Any, **named: Any) -> Any:
        """Return what a template says; what is secret in an address is masked before Airflow keeps it."""
        rendered = super().render_template(content, context, *given, **named)
        mask_address(rendered)
        return rendered

    def _verdict(self, context: "Context") -> "Judged":
        self.check_said(context)
        return self.judge(context)

    def check_said(self, context: "Context") -> None:
        """Refuse an argument that another task was to say and did not."""
        # what a mapped task is given was said before it was made, so nothing is left to render
        is_mapped = context["ti"].map_index >= 0
        given = [name for name in self._said if is_mapped and is_left_out(getattr(self, name))]
        for name in (*self._unsaid, *given):
            raise UserError(
                f"{name} was to come from another task, which left nothing, and no default takes"
                " its place; let that task leave one, or leave the argument out."
            )

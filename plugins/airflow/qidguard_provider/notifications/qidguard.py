"""Messages on verdicts and failures, sent to wherever Airflow notifies."""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseNotifier
from airflow.sdk.exceptions import AirflowException

from qidguard_provider.links.qidguard import report_address
from qidguard_provider.verdicts import BLOCKED, Judged

if TYPE_CHECKING:
    from airflow.sdk import Context


MOST_LINES = 10
"""How many verdicts a message about a whole run names."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """What people are told.

    Args:
        subject: A few words.
        text: A few lines.
        is_good: Whether nothing blocked and nothing failed.
    """

    subject: str
    text: str
    is_good: bool

    @property
    def html(self) -> str:
        """The text as HTML; whatever it names is escaped."""
        return escape(self.text).replace("\n", "<br>")

    def fields(self) -> dict[str, str]:
        """Return what templates of another notifier may use as ``{{ qidguard.message }}`` and so on.

        Example:
            >>> Message(subject="ward passed", text="ward passed.", is_good=True).fields()["subject"]
            'ward passed'
        """
        return {"subject": self.subject, "message": self.text, "html": self.html}


def message_of(context: Mapping[str, Any]) -> Message:
    r"""Return the message about what a callback is called for."""
    task = context.get("task") if "reason" not in context else None
    judged: Judged | None = getattr(task, "judged", None)
    if judged is not None:
        lines = [judged.headline, *_where(context), *_report(judged.audit_id)]
        subject = f"{judged.data_set} {judged.outcome.replace('_', ' ')}"
        return Message(subject=subject, text="\n".join(lines), is_good=judged.is_passed)
    if task is not None:
        failure = context.get("exception")
        sentence = f"Task {getattr(task, 'task_id', '')} ended{_failure(task, failure)}"
        lines = [sentence, *_where(context)]
        return Message(subject="the gate failed", text="\n".join(lines), is_good=failure is None)
    return _of_run(context)


def _of_run(context: Mapping[str, Any]) -> Message:
    reason = str(context.get("reason", "ended"))
    verdicts = list(_verdicts(context))
    blocked = [verdict for verdict in verdicts if verdict.get("outcome") == BLOCKED]
    lines = [f"A run ended: {reason}."]
    for verdict in blocked[:MOST_LINES]:
        first = next(iter(verdict.get("sentences") or ()), "no reason is given.")
        lines += [f"{verdict.get('data_set')} is blocked: {first}", *_report(verdict.get("audit_id"))]
    if len(blocked) > MOST_LINES:
        lines.append(f"and {len(blocked) - MOST_LINES:,} more")
    lines += _where(context)
    names = ", ".join(str(verdict.get("data_set")) for verdict in blocked[:MOST_LINES])
    dag = getattr(context.get("dag"), "dag_id", "")
    return Message(
        subject=f"{names} blocked" if blocked else f"{dag} {reason}".strip(),
        text="\n".join(lines),
        is_good=not blocked and reason == "success",
    )


def _verdicts(context: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what the gate's tasks of the run left, where it can be read from here."""
    ti, dag = context.get("ti"), context.get("dag")
    if ti is None or dag is None:
        return
    names = [task.task_id for task in dag.tasks if str(task.task_type).startswith("Qidguard")]
    for name in names:
        try:
            left = ti.xcom_pull(task_ids=name)
            values = [left] if isinstance(left, Mapping) else list(left or ())
        except Exception:  # noqa: BLE001, S112 - a message without the verdicts is better than none
            continue
        yield from (verdict for verdict in values if isinstance(verdict, Mapping))


def _failure(task: Any, failure: Any) -> str:
    if failure is None:
        return "."
    # the words of a foreign exception could carry values of a table
    is_ours = isinstance(failure, AirflowException) and str(task.task_type).startswith("Qidguard")
    return f": {failure}" if is_ours else f": {type(failure).__name__}."


def _where(context: Mapping[str, Any]) -> list[str]:
    ti, dag = context.get("ti"), context.get("dag")
    parts = {
        "DAG": getattr(ti, "dag_id", None) or getattr(dag, "dag_id", None),
        "task": getattr(ti, "task_id", None) if "reason" not in context else None,
        "run": getattr(ti, "run_id", None) or context.get("run_id"),
    }
    text = ", ".join(f"{name} {value}" for name, value in parts.items() if value)
    return [text] if text else []


def _report(audit_id: str | None) -> list[str]:
    return [f"report {report_address(audit_id)}"] if audit_id else []


class QidguardNotifier(BaseNotifier):
    """Says in one clear message what the gate decided; for ``on_failure_callback`` and the like.

    On a task it says the verdict with its first reason and the address of the report; on a DAG it says so of
    every task of the gate that blocked in the run. No value of a table is in it.

    Args:
        through: What else it goes through: a notifier of Airflow, whose templates may use
            ``{{ qidguard.subject }}``, ``{{ qidguard.message }}`` and ``{{ qidguard.html }}``; a function
            that takes the text; or several of them. None writes it to the log alone.
    """

    template_fields: Sequence[str] = ()

    def __init__(self, *, through: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        channels = through if isinstance(through, list | tuple) else (through,)
        self.through = tuple(channel for channel in channels if channel is not None)

    def render_template_fields(self, context: "Context", jinja_env: Any = None) -> None:
        """Do nothing: nothing here is a template, and not every DAG that a callback is given renders any."""

    def notify(self, context: "Context") -> None:
        """Say it."""
        message = message_of(context)
        extended = {**context, "qidguard": message.fields()}
        if not hasattr(context.get("dag"), "get_template_env"):
            extended.pop(
                "dag", None
            )  # `airflow dags test` calls a DAG's callback with one that cannot render
        (self.log.info if message.is_good else self.log.error)(message.text)
        for channel in self.through:
            try:
                if isinstance(channel, BaseNotifier):
                    # a copy: rendering changes a notifier for good
                    copy(channel)(dict(extended))
                else:
                    channel(message.text)
            except Exception as error:  # noqa: BLE001 - its words could carry the address or token of a channel
                self.log.error(  # noqa: TRY400 - the same holds for a traceback
                    "The message did not go through %s (%s).", type(channel).__name__, type(error).__name__
                )

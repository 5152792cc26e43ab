"""The message about a task or a run: what was decided, why, and where the report is; no value of a table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from airflow.sdk.exceptions import AirflowException

from qidguard.interfaces.airflow.judged import BLOCKED, Judged
from qidguard.interfaces.airflow.links import report_address

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

        Returns:
            ``subject``, ``message`` and ``html``.

        Example:
            >>> Message(subject="ward passed", text="ward passed.", is_good=True).fields()["subject"]
            'ward passed'
        """
        return {"subject": self.subject, "message": self.text, "html": self.html}


def message_of(context: Mapping[str, Any]) -> Message:
    r"""Return the message about what a callback is called for.

    Args:
        context: What Airflow gives to the callback of a task or of a DAG.

    Returns:
        The message.

    Example:
        >>> message_of({"run_id": "manual__1", "reason": "success"}).text
        'A run ended: success.\nrun manual__1'
    """
    task = context.get("task") if "reason" not in context else None
    judged: Judged | None = getattr(task, "judged", None)
    if judged is not None:
        lines = [judged.headline, *_where(context), *_report(judged.audit_id)]
        subject = f"{judged.data_set} {judged.outcome.replace('_', ' ')}"
        return Message(subject=subject, text="\n".join(lines), is_good=judged.is_passed)
    if task is not None:
        failure = context.get("exception")
        said = f"Task {getattr(task, 'task_id', '')} ended{_failure(task, failure)}"
        lines = [said, *_where(context)]
        return Message(subject="the gate failed", text="\n".join(lines), is_good=failure is None)
    return _of_run(context)


def _of_run(context: Mapping[str, Any]) -> Message:
    reason = str(context.get("reason", "ended"))
    verdicts = list(_verdicts(context))
    blocked = [said for said in verdicts if said.get("outcome") == BLOCKED]
    lines = [f"A run ended: {reason}."]
    for said in blocked[:MOST_LINES]:
        first = next(iter(said.get("sentences") or ()), "no reason is given.")
        lines += [f"{said.get('data_set')} is blocked: {first}", *_report(said.get("audit_id"))]
    if len(blocked) > MOST_LINES:
        lines.append(f"and {len(blocked) - MOST_LINES:,} more")
    lines += _where(context)
    names = ", ".join(str(said.get("data_set")) for said in blocked[:MOST_LINES])
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
            found = [left] if isinstance(left, Mapping) else list(left or ())
        except Exception:  # noqa: BLE001, S112 - a message without the verdicts is better than none
            continue
        yield from (said for said in found if isinstance(said, Mapping))


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
    said = ", ".join(f"{name} {value}" for name, value in parts.items() if value)
    return [said] if said else []


def _report(audit_id: str | None) -> list[str]:
    return [f"report {report_address(audit_id)}"] if audit_id else []

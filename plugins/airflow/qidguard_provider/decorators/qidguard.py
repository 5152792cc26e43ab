"""``@task.qidguard_audit`` and ``@task.qidguard_release``: a function says which table the gate judges."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk.bases.decorator import DecoratedOperator, determine_kwargs, task_decorator_factory
from airflow.sdk.definitions.context import context_merge

from qidguard import UserError
from qidguard_provider.operators.audit import QidguardAuditOperator
from qidguard_provider.operators.release import QidguardReleaseOperator
from qidguard_provider.place import address

if TYPE_CHECKING:
    from airflow.sdk import Context
    from airflow.sdk.bases.decorator import TaskDecorator

ITS_ANSWER = "(what the function returns)"
"""Stands for source and policy until the function has said them."""

_PAIR = 2


class _Asking(DecoratedOperator):
    """The part of an operator that asks a function for the source, or for source and policy."""

    overwrite_rtif_after_execution = True
    """Airflow then shows the fields as the function said them."""

    def __init__(self, *, python_callable: Callable[..., Any], **kwargs: Any) -> None:
        if "source" in kwargs:
            raise UserError(
                "The source is what the function returns, so it cannot be given besides; leave it out."
            )
        given = {"policy": ITS_ANSWER, **kwargs, "source": ITS_ANSWER}
        super().__init__(python_callable=python_callable, **given)

    def execute(self, context: "Context") -> Any:
        """Ask the function, then do the gate's work; what the function raises is its own affair."""
        context_merge(context, self.op_kwargs)
        given = determine_kwargs(self.python_callable, self.op_args, context)
        self._answer = self.python_callable(*self.op_args, **given)
        return super().execute(context)

    def addresses(self, context: "Context") -> tuple[str, str | None]:
        """Return the policy's path and the table's address, as the function said them."""
        answer = self._answer
        if isinstance(answer, tuple) and len(answer) == _PAIR:
            answer, self.policy = answer[0], address(answer[1], "the policy that the function returns")
        if self.policy == ITS_ANSWER:
            self.policy = address(None, "the policy that the function returns")
        self.source = address(answer, "the source that the function returns")
        return super().addresses(context)  # type: ignore[no-any-return] # Airflow's class in between is untyped


class QidguardAuditDecorated(_Asking, QidguardAuditOperator):
    """What ``@task.qidguard_audit`` makes of a function."""

    template_fields: Sequence[str] = (
        *DecoratedOperator.template_fields,
        *QidguardAuditOperator.template_fields,
    )
    custom_operator_name = "@task.qidguard_audit"


class QidguardReleaseDecorated(_Asking, QidguardReleaseOperator):
    """What ``@task.qidguard_release`` makes of a function."""

    template_fields: Sequence[str] = (
        *DecoratedOperator.template_fields,
        *QidguardReleaseOperator.template_fields,
    )
    custom_operator_name = "@task.qidguard_release"


def qidguard_audit_task(python_callable: Callable[..., Any] | None = None, **kwargs: Any) -> "TaskDecorator":
    """Wrap a function that returns a table's address, or the address and its policy, into an audit.

    Example:
        >>> from airflow.sdk import DAG
        >>> with DAG("example"):
        ...
        ...     @qidguard_audit_task(policy="/srv/ward.yaml")
        ...     def ward() -> str:
        ...         return "/srv/ward.csv"
        ...
        ...     audit = ward()
        >>> audit.operator.task_id
        'ward'
    """
    return task_decorator_factory(python_callable, decorated_operator_class=QidguardAuditDecorated, **kwargs)


def qidguard_release_task(
    python_callable: Callable[..., Any] | None = None, **kwargs: Any
) -> "TaskDecorator":
    """Wrap a function that returns a table's address, or the address and its policy, into a release.

    Example:
        >>> from airflow.sdk import DAG
        >>> with DAG("example"):
        ...
        ...     @qidguard_release_task(policy="/srv/ward.yaml", to="/srv/published")
        ...     def ward() -> str:
        ...         return "/srv/ward.csv"
        ...
        ...     release = ward()
        >>> release.operator.to
        '/srv/published'
    """
    return task_decorator_factory(
        python_callable, decorated_operator_class=QidguardReleaseDecorated, **kwargs
    )

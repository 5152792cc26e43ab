"""Tell people what the gate decided: in the log, and through any notifier they have."""

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseNotifier

from qidguard.interfaces.airflow.message import message_of

if TYPE_CHECKING:
    from airflow.sdk import Context


class QidguardNotifier(BaseNotifier):
    """Says in one clear message what the gate decided; for ``on_failure_callback`` and the like.

    On a task it says the verdict with its first reason and the address of the report; on a DAG it says so of
    every task of the gate that blocked in the run. No value of a table is in it.

    Args:
        through: What else it goes through: a notifier of Airflow, whose templates may use
            ``{{ qidguard.subject }}``, ``{{ qidguard.message }}`` and ``{{ qidguard.html }}``; a function
            that takes the text; or several of them. None writes it to the log alone.

    Example:
        >>> len(QidguardNotifier(through=[print, print]).through)
        2
    """

    template_fields: Sequence[str] = ()

    def __init__(self, *, through: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        ways = through if isinstance(through, list | tuple) else (through,)
        self.through = tuple(way for way in ways if way is not None)

    def render_template_fields(self, context: "Context", jinja_env: Any = None) -> None:
        """Do nothing: nothing here is a template, and not every DAG that a callback is given renders any."""

    def notify(self, context: "Context") -> None:
        """Say it.

        Args:
            context: What Airflow gives to the callback.

        Raises:
            Nothing: a way that fails is named in the log, and the others are taken.

        Example:
            >>> import inspect
            >>> list(inspect.signature(QidguardNotifier.notify).parameters)
            ['self', 'context']
        """
        message = message_of(context)
        told = {**context, "qidguard": message.fields()}
        if not hasattr(context.get("dag"), "get_template_env"):
            told.pop("dag", None)  # `airflow dags test` calls a DAG's callback with one that cannot render
        (self.log.info if message.is_good else self.log.error)(message.text)
        for way in self.through:
            try:
                if isinstance(way, BaseNotifier):
                    # a copy: rendering changes a notifier for good
                    copy(way)(dict(told))
                else:
                    way(message.text)
            except Exception as error:  # noqa: BLE001 - its words could carry the address or token of a channel
                self.log.error(  # noqa: TRY400 - the same holds for a traceback
                    "The message did not go through %s (%s).", type(way).__name__, type(error).__name__
                )

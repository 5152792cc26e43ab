"""How a task of the gate fails: with one sentence, retried only where a retry could help."""

from collections.abc import Callable
from typing import TypeVar

from airflow.sdk.exceptions import AirflowException, AirflowFailException

from qidguard.core.errors import ExitCode, QidguardError

Answer = TypeVar("Answer")

_FINAL = frozenset({ExitCode.BLOCKED, ExitCode.USER_ERROR})


class Stopped(KeyboardInterrupt):
    """Airflow stops this task; no ``Exception``, so that nothing on the way takes it for a failure."""


def answered(work: Callable[[], Answer], is_stopped: Callable[[], bool] = lambda: False) -> Answer:
    """Return what the work returns; what it raises becomes a failure that Airflow understands.

    A mistake of the user and a block are not retried, unless the error says that it may pass by itself. A
    failure of the ledger, a plugin or qidguard itself is, and so is work that was stopped. The words of a
    foreign exception could carry values of the table or a password of a connection, so only its kind is said,
    and it does not hang on the failure.

    Example:
        >>> answered(lambda: 1)
        1
    """
    try:
        return work()
    except (Exception, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt) and not is_stopped():
            raise
        failure = _stopped() if is_stopped() else _failure(error)
    # outside of the handler, so that the failure carries no foreign exception as its context
    raise failure


def _failure(error: BaseException) -> AirflowException:
    if not isinstance(error, QidguardError):
        return AirflowException(f"internal error ({type(error).__name__}), so nothing was let through")
    is_final = error.exit_code in _FINAL and not error.is_transient
    return (AirflowFailException if is_final else AirflowException)(str(error))


def _stopped() -> AirflowException:
    return AirflowException(
        "The task was stopped before its end. Its temporary copies are removed, and another try does the same"
        " again."
    )

"""What keeps a task from a verdict, in one sentence; known to processes without Airflow, too."""

from dataclasses import dataclass

from qidguard.core.errors import ExitCode, QidguardError

_FINAL = frozenset({ExitCode.BLOCKED, ExitCode.USER_ERROR})


class Stopped(KeyboardInterrupt):
    """Airflow stops this task; no ``Exception``, so that nothing on the way takes it for a failure."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why there is no verdict.

    Args:
        sentence: What happened and what to do.
        is_final: Whether another try would end the same way.
    """

    sentence: str
    is_final: bool = False


STOPPED = Failure(
    sentence="The task was stopped before its end. Its temporary copies are removed, and another try does the"
    " same again."
)


def failure_of(error: BaseException) -> Failure:
    """Return what an error says to a schedule.

    A mistake of the user is not tried again, unless the error says that it may pass by itself. The words of a
    foreign exception could carry values of the table or a password, so only its kind is said.

    Example:
        >>> failure_of(ValueError("a password")).sentence
        'internal error (ValueError), so nothing was let through'
    """
    if not isinstance(error, QidguardError):
        return Failure(sentence=f"internal error ({type(error).__name__}), so nothing was let through")
    return Failure(sentence=str(error), is_final=error.exit_code in _FINAL and not error.is_transient)

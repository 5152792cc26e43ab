"""How a task of the gate fails: with one sentence, retried only where a retry could help."""

import logging
from collections.abc import Callable
from typing import TypeVar

from airflow.sdk.exceptions import AirflowException, AirflowFailException

from qidguard_provider.verdicts import STOPPED, Failure, failure_of

Answer = TypeVar("Answer")

_LOG = logging.getLogger("airflow.task.qidguard")
"""The log of the task that runs."""


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
        failure = STOPPED if is_stopped() else failure_of(error)
    # outside of the handler, so that the failure carries no foreign exception as its context
    raise as_airflow_says(failure)


def as_airflow_says(failure: Failure) -> AirflowException:
    """Return a failure as the exception that Airflow retries, or does not.

    The sentence is logged first: Airflow shows what a task raises below a traceback.
    """
    _LOG.error("%s", failure.sentence)
    return (AirflowFailException if failure.is_final else AirflowException)(failure.sentence)


def refused(*sentences: str) -> AirflowException:
    """Return a failure that no other try would mend; its reasons are logged first.

    Args:
        sentences: Why, as ``judged["sentences"]`` of a blocked task.

    Example:
        >>> str(refused("k-anonymity is 1.", "Decide on age."))
        'k-anonymity is 1. Decide on age.'
    """
    return as_airflow_says(Failure(sentence=" ".join(sentences), is_final=True))

"""A run that ended before its verdict, as the ledger keeps it."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from qidguard.core.errors import ExitCode, QidguardError
from qidguard.ledger import LedgerError, NewEntry
from qidguard.releasing.job import Job, responsible

if TYPE_CHECKING:
    from qidguard.core.policy import Policy
    from qidguard.ledger import Ledger


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What was tried.

    Args:
        audit_id: The name that the audit would have had.
        data_set: The data set.
        release_id: The release that it was about; None for an audit alone.
        source: What the user calls the source.
        policy: The policy.
        origin: What started it.
    """

    audit_id: str
    data_set: str
    release_id: str | None
    source: str
    policy: "Policy"
    origin: Mapping[str, str]


def attempt_of(job: Job, *, release_id: str | None) -> Attempt:
    """Return what a job tries.

    Args:
        job: The job.
        release_id: The release that it is about; None for an audit alone.

    Returns:
        The attempt.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> import inspect
        >>> list(inspect.signature(attempt_of).parameters)
        ['job', 'release_id']
    """
    return Attempt(
        audit_id=job.audit_id,
        data_set=job.data_set,
        release_id=release_id,
        source=job.label,
        policy=job.policy,
        origin=job.origin,
    )


def record_failure(ledger: "Ledger", attempt: Attempt, error: Exception, at: datetime) -> None:
    """Record why a run ended; of an error that is not our own only the kind, since its words may hold values.

    A ledger that cannot be written is passed over: the failure itself is what the user must hear of.

    Args:
        ledger: The ledger.
        attempt: What was tried.
        error: Why it ended.
        at: The moment.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> import inspect
        >>> list(inspect.signature(record_failure).parameters)
        ['ledger', 'attempt', 'error', 'at']
    """
    is_ours = isinstance(error, QidguardError)
    policy = attempt.policy
    payload = {
        "audit_id": attempt.audit_id,
        "release_id": attempt.release_id,
        "source": attempt.source,
        "policy": {"name": policy.name, "sha256": policy.digest, "preset": policy.preset},
        "error": str(error) if is_ours else f"internal error ({type(error).__name__})",
        "exit_code": int(error.exit_code) if isinstance(error, QidguardError) else ExitCode.INTERNAL_ERROR,
        "by": responsible(attempt.origin),
    }
    with suppress(LedgerError):
        ledger.append(
            NewEntry(
                id=f"failed-{attempt.audit_id}",
                kind="failed",
                data_set=attempt.data_set,
                at=at,
                payload=payload,
            )
        )

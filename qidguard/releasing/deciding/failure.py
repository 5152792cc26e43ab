"""A run that ended before its verdict, as the ledger keeps it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.core.errors import ExitCode, QidguardError
from qidguard.ledger import LedgerError, new_entry
from qidguard.ledger.payloads import Failed
from qidguard.releasing.context import ReleaseContext, policy_used, responsible
from qidguard.releasing.result import Outcome

if TYPE_CHECKING:
    from qidguard.releasing.deciding.decided import Decided


@contextmanager
def failures_recorded(context: ReleaseContext, *, release_id: str | None = None) -> Iterator[None]:
    """Record whatever ends the work inside before its verdict, and raise it on.

    Args:
        context: What was asked for.
        release_id: The release that it is about; None for an audit alone.
    """
    try:
        yield
    except LedgerError:
        raise
    except Exception as error:
        _record_failure(context, release_id, error)
        raise


def _record_failure(context: ReleaseContext, release_id: str | None, error: Exception) -> None:
    """Record why a run ended; of an error that is not our own only the kind, since its words may hold values.

    A ledger that cannot be written is passed over: the failure itself is what the user must hear of.
    """
    is_ours = isinstance(error, QidguardError)
    code = error.exit_code if isinstance(error, QidguardError) else ExitCode.INTERNAL_ERROR
    failed = Failed(
        audit_id=context.audit_id,
        release_id=release_id,
        source=context.label,
        policy=policy_used(context.policy),
        error=str(error) if is_ours else f"internal error ({type(error).__name__})",
        exit_code=int(code),
        by=responsible(context.origin),
    )
    entry_id = f"failed-{context.audit_id}"
    with suppress(LedgerError):
        context.ledger.append(
            new_entry(failed, entry_id=entry_id, data_set=context.data_set, at=context.clock())
        )


def with_signature(context: "ReleaseContext", decided: "Decided") -> "Decided":
    """Return the decision, blocked where the policy demands a signature that cannot be given."""
    reason = signature_fault(context)
    if not reason:
        return decided
    return replace(decided, outcome=Outcome.BLOCKED, approvals=(), reasons=(*decided.reasons, reason))


def signature_fault(context: "ReleaseContext") -> str:
    """Return why the signature that the policy demands cannot be given; empty where it can."""
    asked = context.policy.release
    if (asked.signature == "required" or asked.signers) and context.key is None:
        return "The policy demands a signature, and there is no signing key; make one with: qidguard keys new"
    if context.key is not None and asked.signers and context.key.public.text not in asked.signers:
        shown = f"{context.key.public.id[:12]}…"
        return f"The key {shown} is not among release.signers of the policy; sign with one that is."
    return ""

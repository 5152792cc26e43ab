"""The signature that a policy demands of a release."""

from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.releasing.result import Outcome

if TYPE_CHECKING:
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.deciding.decided import Decided


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

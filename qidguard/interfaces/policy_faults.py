"""Whether a release carries the signatures that its policy demands."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidguard.evidence.verification import Verification


def policy_faults(policy: str, found: "Verification") -> tuple[str, ...]:
    """Return what the policy demands of signatures and the release does not have.

    Args:
        policy: The policy's path.
        found: The verified release.

    Returns:
        One sentence a fault.

    Example:
        >>> import inspect
        >>> list(inspect.signature(policy_faults).parameters)
        ['policy', 'found']
    """
    from qidguard.core.errors import PolicyError
    from qidguard.core.policy import load_policy
    from qidguard.evidence.keys import parse_public_key

    try:
        rules = load_policy(policy)
    except PolicyError:
        return ("the file that is given as the policy is no valid policy",)
    asked, signer = rules.release, found.signed_by
    faults = []
    if asked.signature == "required" and signer is None:
        faults.append("the policy demands a signature, and none was verified")
    if signer is not None and asked.signers and signer.text not in asked.signers:
        faults.append(
            f"it is signed by key {signer.id[:12]}…, which is not among release.signers of the policy"
        )
    approvers = {parse_public_key(approver.key).id for approver in rules.exceptions.approvers}
    exceptions = found.manifest.exceptions if found.manifest is not None else ()
    faults += [
        f"exception {exception['id']} is by key {exception['key_id'][:12]}…, no approver of the policy"
        for exception in exceptions
        if exception["key_id"] not in approvers
    ]
    return tuple(faults)

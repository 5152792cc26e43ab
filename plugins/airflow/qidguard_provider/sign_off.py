"""What keeps a blocked release from being signed off, found before a person is asked."""

from collections.abc import Mapping, Sequence
from typing import Any

from qidguard_provider.operators.exception import APPROVER_CONNECTION


def obstacles(
    judged: Mapping[str, Any],
    *,
    officers: Sequence[str],
    approver_conn_id: str = APPROVER_CONNECTION,
) -> list[str]:
    """Return why nobody can be asked about a blocked release, one sentence each; empty where one can be.

    Args:
        judged: All that the release left.
        officers: The user ids of those who may answer.
        approver_conn_id: The connection with the approver's signing key.

    Example:
        >>> obstacles({"is_coverable": False, "policy": None}, officers=["roe"])
        ['No exception could let this pass: something else than a measured threshold blocks.']
    """
    from qidguard import QidguardError, load_policy
    from qidguard_provider.hooks.qidguard import QidguardHook

    rules = load_policy(judged["policy"]) if judged.get("policy") else None
    found = []
    if rules is not None and not rules.exceptions.approvers:
        found.append(
            "The policy names nobody who may let it through; write the name and the key of one under"
            " exceptions.approvers."
        )
    elif not judged["is_coverable"]:
        return ["No exception could let this pass: something else than a measured threshold blocks."]
    if not officers:
        found.append(
            "Nobody is asked: set QIDGUARD_OFFICERS to the user ids of those who may let it through."
        )
    try:
        QidguardHook(approver_conn_id).access().check_approver(rules)
    except QidguardError as error:
        found.append(str(error))
    return found

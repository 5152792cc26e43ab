"""Record that a release is no longer out there."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from qidguard.core.errors import UserError
from qidguard.ledger import NewEntry
from qidguard.releasing.job import responsible
from qidguard.releasing.past import read_past
from qidguard.releasing.published import promise_of

if TYPE_CHECKING:
    from qidguard.ledger import Ledger


def withdraw(
    ledger: "Ledger",
    data_set: str,
    release_id: str,
    *,
    reason: str,
    now: datetime,
    origin: Mapping[str, str] | None = None,
) -> str:
    """Record that a release was taken back, so that nightly re-audits no longer look for it.

    No file is removed: whoever withdraws a release removes it first. What was once published stays known, so
    later releases are still held against it.

    Args:
        ledger: The ledger.
        data_set: The data set.
        release_id: The release.
        reason: Why.
        now: The moment.
        origin: What started it.

    Returns:
        The address from which it was withdrawn.

    Units:
        None.

    Raises:
        UserError: When there is no such release, or no reason.
        LedgerError: When it cannot be recorded.

    Example:
        >>> import inspect
        >>> list(inspect.signature(withdraw).parameters)[:3]
        ['ledger', 'data_set', 'release_id']
    """
    if not reason.strip():
        raise UserError("A withdrawal needs a reason; give it with --reason.")
    promise = promise_of(read_past(ledger, data_set), data_set, release_id)
    payload = {
        "audit_id": promise.payload["audit_id"],
        "release_id": release_id,
        "address": promise.payload["address"],
        "reason": reason,
        "by": responsible(origin),
    }
    entry_id = f"withdrawn-{promise.payload['audit_id']}"
    if ledger.entry(entry_id) is None:
        ledger.append(NewEntry(id=entry_id, kind="withdrawn", data_set=data_set, at=now, payload=payload))
    return str(promise.payload["address"])

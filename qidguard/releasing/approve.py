"""Make an exception for a blocked release, signed by one of the policy's approvers; or revoke one."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.evidence.canonical import canonical_bytes
from qidguard.evidence.dsse import seal
from qidguard.evidence.keys import parse_public_key
from qidguard.ledger import NewEntry
from qidguard.releasing.exception import FORMAT, PAYLOAD_TYPE, Approval, Waived
from qidguard.releasing.job import responsible

if TYPE_CHECKING:
    from qidguard.evidence.keys import SigningKey
    from qidguard.ledger import Entry, Ledger


@dataclass(frozen=True, kw_only=True)
class Consent:
    """What an approver states.

    Args:
        audit_id: The blocked audit.
        covers: Names of the metrics whose missed thresholds are let through.
        reason: Why.
        expires: The last day on which it holds.
    """

    audit_id: str
    covers: tuple[str, ...]
    reason: str
    expires: date


def make_exception(
    ledger: "Ledger",
    consent: Consent,
    key: "SigningKey",
    now: datetime,
    *,
    origin: Mapping[str, str] | None = None,
) -> Approval:
    """Record a signed exception and return it.

    It covers the thresholds that this audit missed, for its data set and exactly its policy, down to the
    figure that was measured: a worse one is blocked again.

    Args:
        ledger: The ledger that holds the audit.
        consent: What is let through, why, and until when.
        key: The approver's key.
        now: The moment.
        origin: What started it, such as the run of a schedule in which the approver answered.

    Returns:
        The exception as releases will find it.

    Units:
        Limits and figures in their metric's unit.

    Raises:
        UserError: When there is no such blocked audit, the key is not an approver's, a metric is not among
            the missed thresholds, or the day is too late.
        LedgerError: When it cannot be recorded.

    Example:
        >>> from datetime import date
        >>> Consent(
        ...     audit_id="audit-1", covers=("k_anonymity",), reason="pilot", expires=date(2026, 12, 1)
        ... ).covers
        ('k_anonymity',)
    """
    audited = _blocked(ledger, consent.audit_id)
    record = json.loads(ledger.attachment(str(audited.payload["record"])))
    rules = record["policy"]["document"]["exceptions"]
    name = _approver(rules["approvers"], key)
    _check_day(consent.expires, now, int(rules["longest_days"]))
    if not consent.reason.strip():
        raise UserError("An exception needs a reason; give it with --reason.")
    waived = _waived(record, consent.covers)
    exception_id = f"exception-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
    said: dict[str, Any] = {
        "format": FORMAT,
        "id": exception_id,
        "audit_id": consent.audit_id,
        "data_set": audited.data_set,
        "policy_sha256": audited.payload["policy"]["sha256"],
        "thresholds": waived,
        "reason": consent.reason,
        "expires": consent.expires.isoformat(),
        "made_at": now.astimezone(UTC).isoformat(timespec="seconds"),
    }
    approval = Approval(
        id=exception_id,
        by=name,
        key_id=key.public.id,
        reason=consent.reason,
        expires=consent.expires,
        waived=tuple(Waived(**threshold) for threshold in waived),
    )
    envelope = seal(canonical_bytes(said), PAYLOAD_TYPE, key).decode("ascii")
    payload = {**approval.document(), "audit_id": consent.audit_id, "envelope": envelope}
    payload["recorded_by"] = responsible(origin)
    ledger.append(
        NewEntry(id=exception_id, kind="exception", data_set=audited.data_set, at=now, payload=payload)
    )
    return approval


def revoke_exception(ledger: "Ledger", exception_id: str, reason: str, now: datetime) -> None:
    """Record that an exception holds no longer; whoever can write the ledger may do this, for it only blocks.

    Args:
        ledger: The ledger that holds the exception.
        exception_id: Its id.
        reason: Why.
        now: The moment.

    Units:
        None.

    Raises:
        UserError: When there is no such exception, or no reason.
        LedgerError: When it cannot be recorded.

    Example:
        >>> import inspect
        >>> list(inspect.signature(revoke_exception).parameters)
        ['ledger', 'exception_id', 'reason', 'now']
    """
    entry = ledger.entry(exception_id)
    if entry is None or entry.kind != "exception":
        raise UserError(f"There is no exception {exception_id!r} in the ledger; see: qidguard history")
    if not reason.strip():
        raise UserError("A revocation needs a reason; give it with --reason.")
    payload = {"exception_id": exception_id, "reason": reason, "by": responsible()}
    ledger.append(
        NewEntry(
            id=f"revoked-{exception_id}-{secrets.token_hex(4)}",
            kind="revoked",
            data_set=entry.data_set,
            at=now,
            payload=payload,
        )
    )


def _blocked(ledger: "Ledger", audit_id: str) -> "Entry":
    entry = ledger.entry(audit_id)
    if entry is None or entry.kind != "audited":
        raise UserError(f"There is no audit {audit_id!r} in the ledger; see: qidguard history")
    if entry.payload["outcome"] != "blocked":
        raise UserError(f"Audit {audit_id!r} was not blocked, so there is nothing to except.")
    if entry.payload["blocks"]:
        raise UserError(
            f"An exception covers thresholds only, and audit {audit_id!r} is blocked by more:"
            f" {entry.payload['blocks'][0]}"
        )
    return entry


def _approver(approvers: list[dict[str, str]], key: "SigningKey") -> str:
    for approver in approvers:
        if parse_public_key(approver["key"]) == key.public:
            return str(approver["name"])
    raise UserError(
        f"The key {key.public.id[:12]}… is none of the policy's exceptions.approvers, so it cannot let"
        " anything through; sign with an approver's key."
    )


def _check_day(expires: date, now: datetime, longest_days: int) -> None:
    today = now.astimezone(UTC).date()
    if expires < today:
        raise UserError(f"The exception would have expired on {expires}; name a day that is yet to come.")
    if expires > today + timedelta(days=longest_days):
        raise UserError(
            f"The policy lets an exception live {longest_days} days, so until"
            f" {today + timedelta(days=longest_days)} at the latest, not {expires}; name an earlier day."
        )


def _waived(record: dict[str, Any], covers: tuple[str, ...]) -> list[dict[str, Any]]:
    missed = [t for t in record["risk_after"]["thresholds"] if not t["is_met"]]
    known = sorted({t["metric"] for t in missed})
    for name in covers:
        if name not in known:
            raise UserError(
                f"The audit missed no threshold on {name!r}; it missed those on"
                f" {', '.join(known) or 'nothing'}."
            )
    if not covers:
        raise UserError(f"An exception names what it covers; missed are thresholds on {', '.join(known)}.")
    chosen = [t for t in missed if t["metric"] in covers]
    lacking = [t for t in chosen if t["value"] is None or t["is_fault"]]
    if lacking:
        raise UserError(
            f"{lacking[0]['metric']} could not be measured ({lacking[0]['reason']}), and what is not known"
            " cannot be excepted."
        )
    return [
        {
            "metric": t["metric"],
            "combination": t["combination"],
            "sensitive": t["sensitive"],
            "arguments": json.dumps(t["arguments"], sort_keys=True),
            "bound": t["bound"],
            "limit": t["limit"],
            "accepts": t["value"],
        }
        for t in chosen
    ]

"""Make an exception for a blocked release, signed by one of the policy's approvers; or revoke one."""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.core.noised import noised_text
from qidguard.evidence.canonical import canonical_bytes
from qidguard.evidence.dsse import seal
from qidguard.evidence.home import Home
from qidguard.evidence.keys import parse_public_key
from qidguard.ledger import TypedEntry, new_entry, read
from qidguard.ledger.payloads import Audited, Excepted, ExceptionMade, Releasing, Revoked
from qidguard.releasing.context import RunOptions, responsible
from qidguard.releasing.deciding.concerned import Concerned
from qidguard.releasing.deciding.exception import (
    FORMAT,
    NO_DIGEST,
    PAYLOAD_TYPE,
    Approval,
    approval_signed,
)
from qidguard.releasing.opening import opened_ledger

if TYPE_CHECKING:
    from qidguard.evidence.keys import SigningKey
    from qidguard.ledger import Ledger


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

    It covers the thresholds that this audit missed, for its data set, its source and exactly its policy, down
    to the figure that was measured and up to the number of persons that it concerned: what grew is blocked
    again. Who signs releases cannot approve: the key must be another one.

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
        UserError: When there is no such blocked audit, the key is not an approver's or signs releases, the
            audit names no source or persons, a metric is not among the missed thresholds, or the day is too
            late.
        LedgerError: When it cannot be recorded.

    Example:
        >>> from datetime import date
        >>> Consent(
        ...     audit_id="audit-1", covers=("k_anonymity",), reason="pilot", expires=date(2026, 12, 1)
        ... ).covers
        ('k_anonymity',)
    """
    audited = _blocked(ledger, consent.audit_id)
    record = json.loads(ledger.attachment(audited.payload.record))
    rules = record["policy"]["document"]["exceptions"]
    name = _approver(rules["approvers"], key)
    _refuse_release_key(ledger, record, key.public.id)
    _check_day(consent.expires, now, int(rules["longest_days"]))
    if not consent.reason.strip():
        raise UserError("An exception needs a reason; give it with --reason.")
    exception_id = f"exception-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
    signed: dict[str, Any] = {
        "format": FORMAT,
        "id": exception_id,
        "audit_id": consent.audit_id,
        "data_set": audited.data_set,
        "policy_sha256": audited.payload.policy.sha256,
        "source_sha256": _source(record, consent.audit_id),
        "thresholds": _waived(record, consent.covers, persons_of(record, consent.audit_id)),
        "reason": consent.reason,
        "expires": consent.expires.isoformat(),
        "made_at": now.astimezone(UTC).isoformat(timespec="seconds"),
    }
    approval = approval_signed(signed, by=name, key_id=key.public.id)
    envelope = seal(canonical_bytes(signed), PAYLOAD_TYPE, key).decode("ascii")
    made = ExceptionMade(
        **vars(approval.excepted),
        audit_id=consent.audit_id,
        envelope=envelope,
        recorded_by=responsible(origin),
    )
    ledger.append(new_entry(made, entry_id=exception_id, data_set=audited.data_set, at=now))
    return approval


USUAL_DAYS = 30
"""For how many days an answer holds where nothing is said; less where the policy allows less."""


@dataclass(frozen=True, kw_only=True)
class AuditAnswer:
    """The consent of a person who was asked about a blocked audit.

    Args:
        audit_id: The audit.
        covers: Names of the metrics let through; None takes all that the audit missed.
        reason: Why, and who said so.
        at: When the person answered.
        days: For how many days from then it holds; None takes 30, or the policy's ``longest_days`` if less.
    """

    audit_id: str
    covers: tuple[str, ...] | None
    reason: str
    at: datetime
    days: int | None


@dataclass(frozen=True, kw_only=True)
class LetThrough:
    """A release that an exception lets through, with a sentence for each threshold of it."""

    data_set: str
    release_id: str
    sentences: tuple[str, ...]


def approve_audit(
    answer: AuditAnswer, key: "Callable[[], SigningKey]", options: RunOptions, *, now: datetime
) -> LetThrough:
    """Record the exception that a person's answer makes; the same origin makes one for an audit and no more.

    Args:
        answer: What the person answered.
        key: Gives the approver's key; it is asked for where the exception was not made before.
        options: Where the ledger is, and what asks; its ``try_number`` tells no origin from another.
        now: The moment.

    Returns:
        What is let through.

    Units:
        Days are whole days, UTC.

    Raises:
        UserError: When there is no such audit, it is newer than the answer, the exception that this origin
            made is over, or an approver may not make it.
        LedgerError: When it cannot be recorded.

    Example:
        >>> import tempfile
        >>> now = datetime(2026, 12, 1, tzinfo=UTC)
        >>> answer = AuditAnswer(audit_id="audit-1", covers=None, reason="a pilot", at=now, days=7)
        >>> with tempfile.TemporaryDirectory() as home:
        ...     approve_audit(answer, lambda: None, {"home": home, "origin": {}}, now=now)
        Traceback (most recent call last):
        ...
        qidguard.core.errors.UserError: There is no audit 'audit-1' in the ledger; see: qidguard history
    """
    origin = options.get("origin", {})
    with opened_ledger(Home.at(options.get("home")), options.get("ledger"), now) as ledger:
        entry = _audited(ledger, answer.audit_id)
        if entry.at > answer.at:
            raise UserError(
                f"Audit {answer.audit_id!r} is newer than the answer, so nobody was asked about it; ask"
                " again."
            )
        made = _made_before(ledger, entry, origin, now.date())
        if made is None:
            figures = entry.payload.figures or ()
            missed = tuple(f["metric"] for f in figures if not f["is_met"] and not f["is_warning"])
            covers = missed if answer.covers is None else answer.covers
            consent = Consent(
                audit_id=answer.audit_id,
                covers=tuple(dict.fromkeys(covers)),
                reason=answer.reason,
                expires=answer.at.date() + timedelta(days=answer.days or _usual_days(ledger, entry)),
            )
            made = make_exception(ledger, consent, key(), now, origin=origin).excepted
    return LetThrough(
        data_set=entry.data_set,
        release_id=entry.payload.release_id,
        sentences=tuple(f"{made.by} let through until {made.expires}: {t}" for t in made.thresholds),
    )


def _usual_days(ledger: "Ledger", entry: TypedEntry[Audited]) -> int:
    record = json.loads(ledger.attachment(entry.payload.record))
    rules = record.get("policy", {}).get("document", {}).get("exceptions", {})
    return min(USUAL_DAYS, int(rules.get("longest_days", USUAL_DAYS)))


def _made_before(
    ledger: "Ledger", audited: TypedEntry[Audited], origin: Mapping[str, str], today: date
) -> Excepted | None:
    """Return the exception that an earlier try made; one that is over is not made again."""
    entries = list(ledger.entries(data_set=audited.data_set, kinds={"exception", "revoked"}))
    revoked = {read(entry, Revoked).payload.exception_id for entry in entries if entry.kind == "revoked"}
    earlier: Excepted | None = None
    for entry in (read(entry, ExceptionMade) for entry in entries if entry.kind == "exception"):
        exception, by = entry.payload, entry.payload.recorded_by
        is_own = all(by.get(part) == origin[part] for part in origin if part != "try_number")
        if exception.audit_id != audited.id or not is_own:
            continue
        is_revoked = entry.id in revoked
        if is_revoked or exception.expires < today:
            raise UserError(
                f"The exception {entry.id!r} that this answer made"
                f" {'was revoked' if is_revoked else 'has expired'}; ask again in a new run."
            )
        earlier = exception
    return earlier


def revoke_exception(ledger: "Ledger", exception_id: str, reason: str, now: datetime) -> None:
    """Record that an exception holds no longer; whoever can write the ledger may do this, for it only blocks.

    Args:
        ledger: The ledger that holds the exception.
        exception_id: Its id.
        reason: Why.
        now: The moment.

    Raises:
        UserError: When there is no such exception, or no reason.
        LedgerError: When it cannot be recorded.
    """
    entry = ledger.entry(exception_id)
    if entry is None or entry.kind != "exception":
        raise UserError(f"There is no exception {exception_id!r} in the ledger; see: qidguard history")
    if not reason.strip():
        raise UserError("A revocation needs a reason; give it with --reason.")
    revoked = Revoked(exception_id=exception_id, reason=reason, by=responsible())
    entry_id = f"revoked-{exception_id}-{secrets.token_hex(4)}"
    ledger.append(new_entry(revoked, entry_id=entry_id, data_set=entry.data_set, at=now))


def _audited(ledger: "Ledger", audit_id: str) -> TypedEntry[Audited]:
    entry = ledger.entry(audit_id)
    if entry is None or entry.kind != "audited":
        raise UserError(f"There is no audit {audit_id!r} in the ledger; see: qidguard history")
    return read(entry, Audited)


def _blocked(ledger: "Ledger", audit_id: str) -> TypedEntry[Audited]:
    audited = _audited(ledger, audit_id)
    if audited.payload.outcome != "blocked":
        raise UserError(f"Audit {audit_id!r} was not blocked, so there is nothing to except.")
    if audited.payload.blocks:
        raise UserError(
            f"An exception covers thresholds only, and audit {audit_id!r} is blocked by more:"
            f" {audited.payload.blocks[0]}"
        )
    return audited


def _approver(approvers: list[dict[str, str]], key: "SigningKey") -> str:
    for approver in approvers:
        if parse_public_key(approver["key"]) == key.public:
            return str(approver["name"])
    raise UserError(
        f"The key {key.public.id[:12]}… is none of the policy's exceptions.approvers, so it cannot let"
        " anything through; sign with an approver's key."
    )


def _refuse_release_key(ledger: "Ledger", record: dict[str, Any], key_id: str) -> None:
    """Refuse the key that signed this release, may sign it, or signed an earlier one."""
    signed = {read(entry, Releasing).payload.key_id for entry in ledger.entries(kinds={"releasing"})}
    signers = {parse_public_key(text).id for text in record["policy"]["document"]["release"]["signers"]}
    if key_id in {record["release"].get("key_id"), *signed, *signers}:
        raise UserError(
            f"The key {key_id[:12]}… signs releases, and who releases cannot approve too; have an approver"
            " sign with a key of their own."
        )


def _source(record: dict[str, Any], audit_id: str) -> str:
    source = str(record["subject"]["source_sha256"])
    if source == NO_DIGEST:
        raise UserError(
            f"The source of audit {audit_id!r} can be read only once and has no digest, so no exception can"
            " be bound to it; release a file or a frame."
        )
    return source


def persons_of(record: dict[str, Any], audit_id: str) -> list[Concerned | None]:
    """Return whom the thresholds of a record concern; UserError where it does not say so."""
    persons: list[int | None] | None = record.get("persons_concerned")
    if persons is None or len(persons) != len(record["risk_after"]["thresholds"]):
        raise UserError(
            f"Audit {audit_id!r} does not say how many persons its missed thresholds concern, since an older"
            " qidguard recorded it; release again and name the new audit."
        )
    # a record of an older qidguard does not say which are all of the table
    everybody = record.get("is_everybody_concerned") or [False] * len(persons)
    return [
        None if number is None else Concerned(persons=number, is_everybody=bool(is_everybody))
        for number, is_everybody in zip(persons, everybody, strict=True)
    ]


def _check_day(expires: date, now: datetime, longest_days: int) -> None:
    today = now.astimezone(UTC).date()
    if expires < today:
        raise UserError(f"The exception would have expired on {expires}; name a day that is yet to come.")
    if expires > today + timedelta(days=longest_days):
        raise UserError(
            f"The policy lets an exception live {longest_days} days, so until"
            f" {today + timedelta(days=longest_days)} at the latest, not {expires}; name an earlier day."
        )


def _waived(
    record: dict[str, Any], covers: tuple[str, ...], persons: Sequence[Concerned | None]
) -> list[dict[str, Any]]:
    concerned = zip(record["risk_after"]["thresholds"], persons, strict=True)
    missed = [t | {"persons": number} for t, number in concerned if not t["is_met"]]
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
            "persons": 0 if t["persons"] is None else t["persons"].persons,
            "is_everybody": t["persons"] is not None and t["persons"].is_everybody,
            # a table without noise needs no more than exceptions always said
            **({"noised": noised_text(t["noised"])} if t.get("noised") else {}),
        }
        for t in chosen
    ]

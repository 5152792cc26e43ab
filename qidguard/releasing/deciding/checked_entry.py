"""A verdict on a table that is not published, as every door hands it to the ledger."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from qidguard.core.errors import ExitCode, InternalError
from qidguard.core.report import AuditReport
from qidguard.evidence.canonical import canonical_bytes
from qidguard.evidence.home import Home
from qidguard.host import load_host
from qidguard.ledger import new_entry, open_ledger
from qidguard.ledger.listed import AdviceTold, ListedThreshold
from qidguard.ledger.payloads import Checked, PolicyUsed, RecordedVerdict
from qidguard.releasing.context import checked_name, new_audit_id, responsible
from qidguard.releasing.deciding.advising import told_of
from qidguard.rendering.audit_document import AuditDocument
from qidguard.rendering.document import audit_document
from qidguard.trials.receipt_document import receipt_document

if TYPE_CHECKING:
    from qidguard.advising.asking import TriedAdvice
    from qidguard.ledger import Entry, Ledger
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.deciding.decide import Decided
    from qidguard.releasing.deciding.exception import Approval

OUTCOMES = ("passed", "passed_by_exception", "blocked")


def record_check(
    ledger: "Ledger", checked: Checked, *, data_set: str, at: datetime, record: bytes | None = None
) -> "Entry":
    """Record a verdict, with the record that its digest names as an attachment.

    Raises:
        InternalError: When outcome and exit code contradict.
        LedgerError: When it cannot be recorded.
    """
    if checked.outcome not in OUTCOMES:
        raise InternalError(
            f"the outcome of an audit is one of {', '.join(OUTCOMES)}, not {checked.outcome!a}"
        )
    if (checked.outcome != "blocked") != (checked.exit_code == 0):
        raise InternalError(f"the outcome {checked.outcome} and exit code {checked.exit_code} contradict")
    new = new_entry(checked, entry_id=checked.audit_id, data_set=data_set, at=at.astimezone(UTC))
    return ledger.append(new, attachments=() if record is None else (record,))


@dataclass(frozen=True, kw_only=True)
class ReachedVerdict:
    """A verdict that another program reached with our figures.

    Args:
        data_set: The data set.
        source: What was judged, without secrets.
        exit_code: 0 passed, 1 blocked, 3 a failure of a plugin or of qidguard itself.
        records: Number of records; None where nobody counted them.
        entities: Number of entities, or None.
        policy: The policy that was judged, with what is said of its review; None for single thresholds.
        figures: The judged thresholds, as audits list them in JSON.
        blocks: The reasons to block, one sentence each.
        advice: Lines on what would make it pass.
        versions: Name → version of the host and its plugins; None takes those of this process.
    """

    data_set: str
    source: str
    exit_code: int
    records: int | None
    entities: int | None
    policy: PolicyUsed | None
    figures: tuple[ListedThreshold, ...]
    blocks: tuple[str, ...]
    advice: tuple[str, ...] = ()
    versions: Mapping[str, str] | None = None


def record_verdicts(
    verdicts: Iterable[ReachedVerdict],
    *,
    ledger: str | None = None,
    home: str | None = None,
    origin: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Record verdicts that another program reached, an entry each.

    Args:
        verdicts: The verdicts; each is asked for when the one before it stands in the ledger.
        ledger: The ledger's address; None takes QIDGUARD_LEDGER or the home's own.
        home: The home folder; None takes QIDGUARD_HOME or the account's own.
        origin: What started it.

    Returns:
        The entries' names.

    Raises:
        UserError: When a data set has no name that a ledger takes.
        LedgerError: When the ledger cannot be opened or written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as home:
        ...     record_verdicts((), home=home, ledger=f"sqlite:///{home}/ledger.db")
        ()
    """
    place, ids = Home.at(home), []
    with open_ledger(ledger or place.default_ledger(), anchors=place.anchors_file()) as book:
        for verdict in verdicts:
            now, data_set = datetime.now(UTC), checked_name(verdict.data_set, "data set")
            ids.append(record_check(book, _checked(verdict, now, origin), data_set=data_set, at=now).id)
    return tuple(map(str, ids))


def _checked(reached: ReachedVerdict, at: datetime, origin: Mapping[str, str] | None) -> Checked:
    """Return a verdict as the ledger keeps it, under a new name."""
    lines = reached.advice
    return Checked(
        audit_id=new_audit_id(at),
        release_id=None,
        outcome="blocked" if reached.exit_code else "passed",
        exit_code=reached.exit_code,
        source=reached.source,
        records=reached.records,
        entities=reached.entities,
        policy=reached.policy,
        figures=reached.figures,
        advice=AdviceTold(sentence=(lines[1:] or lines)[0].strip(), lines=list(lines)) if lines else None,
        missed=missed(reached.figures),
        blocks=reached.blocks,
        exceptions=(),
        versions=load_host().versions if reached.versions is None else reached.versions,
        by=responsible(origin),
        record=None,
    )


def record_report(  # noqa: PLR0913 - one argument for each thing that an entry says beside its report
    ledger: "Ledger",
    report: AuditReport,
    *,
    data_set: str,
    at: datetime,
    audit_id: str | None = None,
    origin: Mapping[str, str] | None = None,
    reasons: Sequence[str] = (),
    approvals: "Sequence[Approval]" = (),
    release_id: str | None = None,
    more: Mapping[str, Any] | None = None,
    tried: "TriedAdvice | None" = None,
) -> "Entry":
    """Record the verdict of an audit, with its whole report.

    Args:
        ledger: The ledger.
        report: A report with a verdict.
        data_set: The data set.
        at: The moment, with a time zone.
        audit_id: The name of the entry; None makes a new one.
        origin: What started it.
        reasons: Why it is blocked beyond what the report says.
        approvals: The exceptions that let it through.
        release_id: The published release that was judged; None for a table that is not published.
        more: What the record holds beside the report.
        tried: What would make it pass, or why nobody knows; None where nobody asked.

    Raises:
        InternalError: When the report has no verdict.
        LedgerError: When it cannot be recorded.
    """
    if report.verdict is None:
        raise InternalError("an audit without a policy has no verdict to record")
    documented = audit_document(report)
    outcome = "passed_by_exception" if approvals else "passed" if report.is_passed else "blocked"
    outcome = "blocked" if reasons else outcome
    is_fault = report.exit_code is ExitCode.INTERNAL_ERROR
    blocked = ExitCode.INTERNAL_ERROR if is_fault else ExitCode.BLOCKED
    advice = {} if tried is None else {"advice": tried.to_dict()}
    record = canonical_bytes({"risk_after": documented.model_dump(mode="json"), **(more or {}), **advice})
    policy = documented.policy
    checked = recorded_verdict(
        Checked,
        documented,
        audit_id=audit_id or new_audit_id(at),
        release_id=release_id,
        outcome=outcome,
        exit_code=int(blocked) if outcome == "blocked" else 0,
        policy=None if policy is None else PolicyUsed(**policy.model_dump()),
        reasons=reasons,
        approvals=approvals,
        tried=tried,
        by=responsible(origin),
        record=sha256(record).hexdigest(),
    )
    return record_check(ledger, checked, data_set=data_set, at=at, record=record)


def record_decision(
    context: "ReleaseContext", decided: "Decided", tried: "TriedAdvice | None", *, has_receipt: bool = False
) -> None:
    """Record a decision on a table that is not published, where asked for with what its remedy did."""
    receipt = None if decided.receipt is None else receipt_document(decided.receipt, decided.claims)
    record_report(
        context.ledger,
        decided.report,
        data_set=context.data_set,
        at=context.clock(),
        audit_id=context.audit_id,
        origin=context.origin,
        reasons=decided.reasons,
        approvals=decided.approvals,
        more={"suppression": receipt} if has_receipt else None,
        tried=tried,
    )


V = TypeVar("V", bound=RecordedVerdict)


def recorded_verdict(
    kind: type[V],
    documented: AuditDocument,
    *,
    reasons: Sequence[str],
    approvals: "Sequence[Approval]",
    tried: "TriedAdvice | None",
    **more: Any,
) -> V:
    """Return what an entry says of a verdict: what its report says, and what only this kind of entry knows.

    Args:
        kind: The kind of entry.
        documented: The report.
        reasons: Why it is blocked beyond what the report says.
        approvals: The exceptions that let it through.
        tried: What would make it pass, or why nobody knows; None where nobody asked.
        more: The other fields of an entry of this kind.
    """
    new_table, told = documented.new_table, documented.outside_qids
    outside: Any = None if told is None else told.model_dump(mode="json")
    return kind(
        **{"source": documented.source, **more},
        records=documented.table.records,
        entities=documented.table.entities,
        figures=_plain(documented.thresholds),
        undone=_plain(documented.undone) or None,
        read_backs=_plain(documented.read_backs) or None,
        outside_qids=outside,
        accepted=_plain(documented.accepted) or None,
        noised=_plain(documented.noised) or None,
        new_table=None if new_table is None else new_table.sentence,
        isolated=_plain(documented.isolated) or None,
        advice=told_of(tried),
        missed=tuple(one.sentence for one in documented.thresholds if not one.is_met),
        blocks=(*(block.sentence for block in documented.blocks), *reasons),
        exceptions=tuple(approval.excepted for approval in approvals),
        versions=documented.versions,
    )


def _plain(listed: Sequence[BaseModel]) -> tuple[Any, ...]:
    return tuple(one.model_dump(mode="json") for one in listed)


def missed(figures: Sequence[ListedThreshold]) -> tuple[str, ...]:
    """Return the sentences of the thresholds that are not met."""
    return tuple(figure["sentence"] for figure in figures if not figure["is_met"])

"""A verdict as plain values, as every door hands it to the ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import ExitCode, InternalError
from qidguard.core.report import AuditReport
from qidguard.evidence.canonical import canonical_bytes
from qidguard.ledger import NewEntry
from qidguard.releasing.job import new_audit_id, responsible
from qidguard.report.document import document

if TYPE_CHECKING:
    from qidguard.ledger import Entry, Ledger
    from qidguard.releasing.exception import Approval

OUTCOMES = ("passed", "passed_by_exception", "blocked")


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What was found about a table, without a value of it.

    Args:
        outcome: ``passed``, ``passed_by_exception`` or ``blocked``.
        exit_code: 0 passed, also by exception; 1 blocked; 3 blocked by a fault of a plugin or of qidguard.
        source: What the user calls the source, without secrets.
        records: Number of records, or None where that is not known.
        entities: Number of entities, or None.
        policy: ``name``, ``sha256`` and ``preset`` of the policy; None where there was none.
        figures: The thresholds as they stand in the audit's document.
        blocks: Why it is blocked beyond missed thresholds, one sentence each.
        versions: Name → version of the host and of every plugin.
        exceptions: The exceptions that let it through.
        release_id: The published release that was judged; None for a table that is not published.
        record: The whole report, kept as an attachment; None keeps none.
        audit_id: The name of the entry; None makes a new one.
    """

    outcome: str
    exit_code: int
    source: str
    records: int | None
    entities: int | None
    policy: Mapping[str, Any] | None
    figures: Sequence[Mapping[str, Any]]
    blocks: Sequence[str]
    versions: Mapping[str, str]
    exceptions: Sequence[Mapping[str, Any]] = ()
    release_id: str | None = None
    record: Mapping[str, Any] | None = None
    audit_id: str | None = None

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise InternalError(
                f"the outcome of an audit is one of {', '.join(OUTCOMES)}, not {self.outcome!a}"
            )
        if (self.outcome != "blocked") != (self.exit_code == 0):
            raise InternalError(f"the outcome {self.outcome} and exit code {self.exit_code} contradict")


def findings_of(
    report: AuditReport,
    *,
    reasons: Sequence[str] = (),
    approvals: "Sequence[Approval]" = (),
    release_id: str | None = None,
    audit_id: str | None = None,
    more: Mapping[str, Any] | None = None,
) -> Findings:
    """Return the findings of an audit.

    Args:
        report: A report with a verdict.
        reasons: Why it is blocked beyond what the report says.
        approvals: The exceptions that let it through.
        release_id: The published release that was judged.
        audit_id: The name of the entry; None makes a new one.
        more: What the record holds beside the report.

    Returns:
        The findings, with the whole report in their record.

    Units:
        Figures in their metric's unit.

    Raises:
        InternalError: When the report has no verdict.

    Example:
        >>> from qidguard.report.example import passed
        >>> findings_of(passed()).outcome
        'passed'
    """
    if report.verdict is None:
        raise InternalError("an audit without a policy has no verdict to record")
    said = document(report)
    outcome = "passed_by_exception" if approvals else "passed" if report.is_passed else "blocked"
    outcome = "blocked" if reasons else outcome
    fault = int(report.exit_code) if report.exit_code is ExitCode.INTERNAL_ERROR else int(ExitCode.BLOCKED)
    return Findings(
        outcome=outcome,
        exit_code=fault if outcome == "blocked" else 0,
        source=report.source,
        records=report.records,
        entities=report.entities,
        policy=said["policy"],
        figures=said["thresholds"],
        blocks=[*(block["sentence"] for block in said["blocks"]), *reasons],
        exceptions=[approval.document() for approval in approvals],
        versions=said["versions"],
        release_id=release_id,
        record={"risk_after": said, **(more or {})},
        audit_id=audit_id,
    )


def record_check(
    ledger: "Ledger",
    findings: Findings,
    *,
    data_set: str,
    at: datetime,
    origin: Mapping[str, str] | None = None,
) -> "Entry":
    """Record findings as an entry of kind ``checked``.

    Args:
        ledger: The ledger.
        findings: What was found.
        data_set: The data set.
        at: The moment, with a time zone.
        origin: What started it.

    Returns:
        The entry; its id is the name of the audit.

    Units:
        None.

    Raises:
        LedgerError: When it cannot be recorded.

    Example:
        >>> import tempfile
        >>> from qidguard.ledger import open_ledger
        >>> from qidguard.report.example import blocked
        >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
        ...     entry = record_check(ledger, findings_of(blocked()), data_set="visits", at=datetime.now(UTC))
        ...     entry.kind, entry.payload["outcome"]
        ('checked', 'blocked')
    """
    audit_id = findings.audit_id or new_audit_id(at)
    record = None if findings.record is None else canonical_bytes(dict(findings.record))
    payload = {
        "audit_id": audit_id,
        "release_id": findings.release_id,
        "outcome": findings.outcome,
        "exit_code": findings.exit_code,
        "source": findings.source,
        "records": findings.records,
        "entities": findings.entities,
        "policy": None if findings.policy is None else dict(findings.policy),
        "figures": [dict(figure) for figure in findings.figures],
        "missed": [str(figure["sentence"]) for figure in findings.figures if not figure["is_met"]],
        "blocks": list(findings.blocks),
        "exceptions": [dict(exception) for exception in findings.exceptions],
        "versions": dict(findings.versions),
        "by": responsible(origin),
        "record": None if record is None else sha256(record).hexdigest(),
    }
    new = NewEntry(id=audit_id, kind="checked", data_set=data_set, at=at.astimezone(UTC), payload=payload)
    return ledger.append(new, attachments=() if record is None else (record,))

"""The policy's remedy without a release: a transformed table for whoever works on with it."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from qidguard.anonymize.receipt import Receipt
from qidguard.core.errors import UserError
from qidguard.core.policy import load_policy
from qidguard.core.report import AuditReport
from qidguard.ledger import LedgerError
from qidguard.releasing.decide import decide
from qidguard.releasing.decision import Decision
from qidguard.releasing.failure import attempt_of, record_failure
from qidguard.releasing.findings import findings_of, record_check
from qidguard.releasing.job import Job
from qidguard.releasing.prepare import Wishes, prepared
from qidguard.releasing.read_places import read_beside
from qidguard.releasing.receipt_document import receipt_document
from qidguard.releasing.result import Outcome
from qidguard.releasing.table_file import TableFile, open_table_file
from qidguard.report.sentence import reasons

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.policy import Policy
    from qidguard.engines.base import Snapshot


@dataclass(frozen=True, kw_only=True)
class Anonymisation:
    """What came of one remedy.

    Args:
        data_set: The data set.
        audit_id: The entry of the ledger that holds both reports.
        address: Where the transformed table is; None where the policy does not hold even then.
        before: The audit of the source; None where it needed no remedy.
        after: The audit of what was written, or would have been.
        receipt: What the remedy did; None where it was not needed, or reached nothing.
        reasons: Why nothing was written, beyond what the report says.
    """

    data_set: str
    audit_id: str
    address: str | None
    before: AuditReport | None
    after: AuditReport
    receipt: Receipt | None
    reasons: tuple[str, ...] = ()

    @property
    def is_passed(self) -> bool:
        """Whether the policy holds on what was written."""
        return self.address is not None

    @property
    def sentences(self) -> tuple[str, ...]:
        """Why nothing was written, one sentence each; none where something was."""
        return () if self.is_passed else (*reasons(self.after), *self.reasons)


def anonymise(
    source: Any = None,
    *,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    to: str,
    wishes: Wishes | None = None,
    now: datetime | None = None,
) -> Anonymisation:
    """Transform a table by the policy's remedy and write it, only if the policy holds on the result.

    What is written holds every column of the source, direct identifiers too: it is on its way to a release
    and no release itself. A table that needs no remedy is written as it is. The file appears in one step,
    takes the place of an earlier one, and on this machine is its owner's only, while it is made as well.

    Args:
        source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
        policy: A policy with a remedy, its path, or a mapping with the same fields.
        to: The file to write, a path or a URL of fsspec, ending in ``.parquet`` or ``.csv``.
        wishes: Names, ledger, seed and all else that has a default; ``key`` is not used.
        now: The moment; None takes the clock's.

    Returns:
        What came of it, with its name in the ledger. A table that stays blocked is a result, no error.

    Units:
        Figures in the reports carry their own unit.

    Raises:
        QidguardError: As ``qidguard.release`` raises it; that it failed is recorded too.
        UserError: When the policy names no remedy, or ``to`` cannot be written or is part of the source.
        LedgerError: When the ledger cannot be written; nothing is written to ``to`` then.

    NULL in a quasi-identifier is a group of its own. A source without a record is a DataError. A table of a
    single class is judged like any other.

    Example:
        >>> import inspect
        >>> list(inspect.signature(anonymise).parameters)
        ['source', 'policy', 'to', 'wishes', 'now']
    """
    rules = load_policy(policy)
    file = open_table_file(to)
    with prepared(source, rules, None, wishes or Wishes(), now, is_published=False) as job:
        if job.remedy is None:
            raise UserError("The policy names no remedy, so there is nothing to transform by; add one.")
        for read in (job.source, *read_beside(job.policy)):
            file.check_apart(read)
        file.sweep()
        try:
            with job.engine.snapshot(job.source, job.options, job.settings) as snapshot:
                return _anonymised(job, snapshot, file)
        except LedgerError:
            raise
        except Exception as error:
            record_failure(job.ledger, attempt_of(job, release_id=None), error, job.clock())
            raise


def _anonymised(job: Job, snapshot: "Snapshot", file: TableFile) -> Anonymisation:
    decision = decide(job, snapshot)
    try:
        _record(job, decision)
        # an exception lets a release through; what is transformed has to keep the policy itself
        holds = decision.outcome is Outcome.PASSED
        if holds:
            with file.staged(job.settings.spill_directory) as place:
                decision.snapshot.write(place, decision.snapshot.names, file.format, seed=None)
        return Anonymisation(
            data_set=job.data_set,
            audit_id=job.audit_id,
            address=file.label if holds else None,
            before=decision.before,
            after=decision.report,
            receipt=decision.receipt,
            reasons=decision.reasons,
        )
    finally:
        if decision.is_transformed:
            decision.snapshot.close()


def _record(job: Job, decision: Decision) -> None:
    receipt = None if decision.receipt is None else receipt_document(decision.receipt, decision.claims)
    findings = findings_of(
        decision.report,
        reasons=decision.reasons,
        audit_id=job.audit_id,
        more={"suppression": receipt},
    )
    record_check(job.ledger, findings, data_set=job.data_set, at=job.clock(), origin=job.origin)

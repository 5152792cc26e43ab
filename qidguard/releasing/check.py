"""An audit that publishes nothing, recorded in the ledger."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from qidguard.auditing.options import source_of
from qidguard.auditing.run import audit, source_label
from qidguard.core.errors import ExitCode, InternalError
from qidguard.core.policy import load_policy
from qidguard.core.report import AuditReport
from qidguard.host import load_host
from qidguard.ledger import LedgerError
from qidguard.releasing.failure import Attempt, record_failure
from qidguard.releasing.findings import Findings, findings_of, record_check
from qidguard.releasing.job import data_set_name, new_audit_id
from qidguard.releasing.prepare import Wishes, checked_moment, opened_ledger
from qidguard.report.sentence import reasons

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.policy import Policy


@dataclass(frozen=True, kw_only=True)
class Checked:
    """An audit that stands in the ledger.

    Args:
        data_set: The data set.
        audit_id: The entry of the ledger that holds the whole report.
        report: What was found; None where a published release was no longer there to be judged.
        reasons: Why it is blocked beyond what the report says, one sentence each.
        notes: Sentences worth reading that do not block.
        release_id: The published release that was judged; None for a table that is not published.
    """

    data_set: str
    audit_id: str
    report: AuditReport | None
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    release_id: str | None = None

    @property
    def is_passed(self) -> bool:
        """Whether the policy holds."""
        return not self.reasons and self.report is not None and self.report.is_passed

    @property
    def exit_code(self) -> ExitCode:
        """0 passed, 1 blocked, 3 blocked because a plugin or qidguard itself failed."""
        if self.report is not None and self.report.exit_code is not ExitCode.PASSED:
            return self.report.exit_code
        return ExitCode.PASSED if self.is_passed else ExitCode.BLOCKED

    @property
    def sentences(self) -> tuple[str, ...]:
        """Why it is blocked, one sentence each; none where it passed."""
        return (*(reasons(self.report) if self.report is not None else ()), *self.reasons)


def check(
    source: Any = None,
    *,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    wishes: Wishes | None = None,
    now: datetime | None = None,
) -> Checked:
    """Audit a table by a policy and record the verdict in the ledger; nothing is published.

    Args:
        source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
        policy: A policy, its path, or a mapping with the same fields.
        wishes: Names, ledger, reading options and all else that has a default; ``release_id``, ``key`` and
            ``seed`` are not used.
        now: The moment of the audit; None takes the clock's.

    Returns:
        The audit with its name in the ledger. A blocked table is a result, no error.

    Units:
        Figures in the report carry their own unit.

    Raises:
        QidguardError: As ``qidguard.audit`` raises it; that it failed is recorded too.
        LedgerError: When the ledger cannot be written.

    NULL in a quasi-identifier is a group of its own. A source without a record is a DataError. A table of a
    single class is judged like any other.

    Example:
        >>> import pandas as pd, tempfile
        >>> table = pd.DataFrame({"sex": ["f", "f", "m"]})
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["sex"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        ... }
        >>> with tempfile.TemporaryDirectory() as home:
        ...     checked = check(table, policy=policy, wishes=Wishes(home=home, data_set="people"))
        ...     checked.is_passed, checked.sentences
        (False, ('k-anonymity is 1 record, must be at least 2 (1 short), over sex.',))
    """
    wishes, moment = wishes or Wishes(), checked_moment(now)
    clock: Callable[[], datetime] = partial(datetime.now, UTC) if now is None else lambda: moment
    rules = load_policy(policy)
    table = source_of(source, rules)
    attempt = Attempt(
        audit_id=new_audit_id(moment),
        data_set=data_set_name(table, rules, wishes.data_set),
        release_id=None,
        source=source_label(table),
        policy=rules,
        origin=wishes.origin,
    )
    with opened_ledger(wishes, moment) as ledger:
        try:
            with audit(
                table,
                policy=rules,
                read=wishes.read,
                settings=wishes.settings,
                host=wishes.host or load_host(),
                progress=wishes.progress,
                today=moment.astimezone(UTC).date(),
            ) as found:
                report = found.report
            findings: Findings = findings_of(report, audit_id=attempt.audit_id)
            record_check(ledger, findings, data_set=attempt.data_set, at=clock(), origin=wishes.origin)
        except LedgerError:
            raise
        except Exception as error:
            record_failure(ledger, attempt, error, clock())
            raise
    if report.verdict is None:
        raise InternalError("the audit gave no verdict although there is a policy")
    return Checked(data_set=attempt.data_set, audit_id=attempt.audit_id, report=report)

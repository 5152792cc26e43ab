"""What was decided on a release, and on which grounds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.anonymizing.receipt import Receipt
from qidguard.core.report import AuditReport
from qidguard.releasing.deciding.concerned import Concerned
from qidguard.releasing.deciding.exception import Approval
from qidguard.releasing.deciding.watch import FoundAgain
from qidguard.releasing.history.counted_releases import CountedReleases
from qidguard.releasing.history.past import Past
from qidguard.releasing.result import Outcome
from qidguard.releasing.series.table import SeriesTable
from qidguard.trials.columns import ReleasedColumns
from qidguard.trials.stages import AuditedCopy, Transformed

if TYPE_CHECKING:
    from qidguard.trials.measuring import MeasuredClaim


@dataclass(frozen=True, kw_only=True)
class Decided:
    """What was decided on which grounds.

    Args:
        source: The audited source.
        transformed: What the remedy made of it, to be closed by who holds this; None where it was not used.
        selection: The columns that would be published.
        outcome: Passed, passed by exception, or blocked.
        reasons: Why it is blocked, beyond the report.
        approvals: The exceptions that let it through.
        past: The earlier releases it was judged against.
        counted: Which releases of the ledger count, and why.
        known: The ids of all promises that the ledger held by then.
        notes: Sentences worth reading.
        series: The table with the leavers of its series, to be closed by who holds this; None without one.
        again: How many records of earlier releases are found again; None where an entity tells.
        concerned: How many persons each threshold that blocks concerns, None for the others; None where the
            policy has nobody who could let it pass.
    """

    source: AuditedCopy
    transformed: Transformed | None
    selection: ReleasedColumns | None
    outcome: Outcome
    reasons: tuple[str, ...]
    approvals: tuple[Approval, ...]
    past: Past
    counted: CountedReleases
    known: frozenset[str]
    notes: tuple[str, ...] = ()
    series: SeriesTable | None = None
    again: FoundAgain | None = None
    concerned: tuple[Concerned | None, ...] | None = None

    @property
    def judged(self) -> AuditedCopy:
        """What would be published, with the audit that decides."""
        return self.source if self.transformed is None else self.transformed.audited

    @property
    def report(self) -> AuditReport:
        """The audit of exactly the records that would be published."""
        return self.judged.report

    @property
    def before(self) -> AuditReport | None:
        """The audit before the remedy; None where none was used."""
        return None if self.transformed is None else self.source.report

    @property
    def receipt(self) -> Receipt | None:
        """What the remedy did; None where none was used."""
        return None if self.transformed is None else self.transformed.receipt

    @property
    def claims(self) -> "tuple[MeasuredClaim, ...]":
        """What the remedy claims, beside what was measured."""
        return () if self.transformed is None else self.transformed.claims

    def close(self) -> None:
        """Remove what the remedy made, and the copy with the leavers."""
        if self.transformed is not None:
            self.transformed.close()
        if self.series is not None:
            self.series.close()

"""A remedy on trial: audit the source, transform it, audit the result from scratch, and write nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.anonymize.receipt import Receipt
from qidguard.anonymize.run import UnreachableError
from qidguard.auditing.original import mark_of
from qidguard.auditing.roles import recognition_of
from qidguard.core.errors import PolicyError
from qidguard.core.measurement import Measurement
from qidguard.core.report import AuditReport
from qidguard.measure.evaluator import measure
from qidguard.releasing.bench import Bench, unchanged
from qidguard.releasing.claims import Claim, claimed_columns, measured_claims
from qidguard.releasing.columns import Selection, select
from qidguard.releasing.task import main_combination
from qidguard.releasing.transform import Transformed, transform
from qidguard.releasing.utility import measured_utility, questions_of, utility_columns

if TYPE_CHECKING:
    from qidguard.anonymize.records import SnapshotRecords
    from qidguard.engines.base import Snapshot, Table
    from qidguard.releasing.remedy import Remedy


@dataclass(frozen=True, kw_only=True)
class Cure:
    """What a remedy came to.

    Args:
        before: The audit of the source.
        after: The audit of what was made of it; None where nothing was.
        snapshot: What was made, to be closed by who holds this; None where nothing was.
        receipt: What was done; None where nothing was made.
        claims: What the method claims, beside what was measured.
        utility: What was lost, by every metric that tells.
        also: The further figures that were asked for.
        selection: The columns that would be published.
        reasons: Why it does not do, beyond what the report after it says.
    """

    before: AuditReport
    after: AuditReport | None = None
    snapshot: "Snapshot | None" = None
    receipt: Receipt | None = None
    claims: tuple[Claim, ...] = ()
    utility: tuple[Measurement, ...] = ()
    also: tuple[Measurement, ...] = ()
    selection: Selection | None = None
    reasons: tuple[str, ...] = ()

    @property
    def is_passed(self) -> bool:
        """Whether the policy holds on what was made."""
        return self.after is not None and self.after.is_passed and not self.reasons


@dataclass(frozen=True, kw_only=True)
class AuditedSource:
    """A source that was audited, on which several remedies may be tried.

    Args:
        records: Its records; what one remedy read the next need not read again.
        report: The audit.
        also: The further figures that were asked for.
    """

    records: "SnapshotRecords"
    report: AuditReport
    also: tuple[Measurement, ...] = ()


def audited_source(bench: Bench, snapshot: "Snapshot", *, also: Sequence[str] = ()) -> AuditedSource:
    """Return a snapshot with the audit of it; it must stay open while remedies are tried."""
    records = bench.records(snapshot)
    with bench.audit(snapshot, unchanged(records, mark_of(bench.policy), bench.seed)) as found:
        more = measured_also(bench, found.opened, found.report, also)
        return AuditedSource(records=records, report=found.report, also=more)


def cure(
    bench: Bench,
    remedy: "Remedy",
    source: AuditedSource,
    *,
    has_models: bool = False,
    also: Sequence[str] = (),
) -> Cure:
    """Return what a remedy makes of a source, even where the policy holds already.

    Args:
        bench: Policy, plugins, engine and seed.
        remedy: The remedy.
        source: The audited source; it stays as it is.
        has_models: Whether losses are measured by training models too.
        also: Names of metrics that are measured over the main combination beside the policy's.

    Returns:
        The cure. What blocks the source and is no threshold cannot be cured: nothing is made then. Neither
        is anything where the method cannot meet its task.

    Raises:
        QidguardError: As an audit raises it, and for a fault of the remedy or an attack.
    """
    records, before = source.records, source.report
    if before.verdict is None or before.verdict.blocks:
        return Cure(before=before, reasons=incurable(before))
    try:
        made = transform(bench, remedy, records, before)
    except UnreachableError as error:
        return Cure(before=before, reasons=(str(error),))
    try:
        return _judged(bench, before, made, has_models=has_models, also=also)
    except BaseException:
        made.snapshot.close()
        raise


def _judged(
    bench: Bench, before: AuditReport, made: Transformed, *, has_models: bool, also: Sequence[str]
) -> Cure:
    policy, guarantees = bench.policy, made.receipt.guarantees
    with bench.audit(
        made.snapshot,
        made.changes,
        recognition=recognition_of(before.columns),
        more_columns=(*claimed_columns(guarantees), *utility_columns(policy)),
    ) as found:
        claims = measured_claims(found.opened, guarantees, bench.host)
        utility = losses(bench, found.opened, before, has_models=has_models)
        more = measured_also(bench, found.opened, before, also)
        after = found.report
    try:
        selection: Selection | None = select(after.columns, policy)
        why: tuple[str, ...] = ()
    except PolicyError as error:
        selection, why = None, (str(error),)
    return Cure(
        before=before,
        after=after,
        snapshot=made.snapshot,
        receipt=made.receipt,
        claims=claims,
        utility=utility,
        also=more,
        selection=selection,
        reasons=why,
    )


def losses(bench: Bench, table: "Table", before: AuditReport, *, has_models: bool) -> tuple[Measurement, ...]:
    """Return what was lost over the main combination of the source."""
    return measured_utility(
        table, bench.policy, bench.host, main_combination(before), bench.progress, has_models=has_models
    )


def measured_also(
    bench: Bench, table: "Table", before: AuditReport, names: Sequence[str]
) -> tuple[Measurement, ...]:
    """Return the figures of metrics, with their defaults, over the main combination of the source."""
    qids = main_combination(before)
    host = bench.host
    questions = [
        question
        for name in names
        if name in host.metrics
        for question in questions_of(host.metrics[name], bench.policy, host, qids)
    ]
    return tuple(measure(table, questions, bench.progress)) if qids else ()


def incurable(report: AuditReport) -> tuple[str, ...]:
    """Return why no method can make a table meet its policy: what blocks and is no threshold."""
    blocks = () if report.verdict is None else report.verdict.blocks
    return tuple(f"The method was not run, since it cannot cure this: {block.sentence}" for block in blocks)

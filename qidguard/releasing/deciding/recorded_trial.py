"""A remedy tried as a release would judge it, with the verdict in the ledger."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from qidguard.releasing.context import ReleaseContext, ReleaseOptions
from qidguard.releasing.deciding.advising import recorded_with_advice
from qidguard.releasing.deciding.checked_entry import record_decision
from qidguard.releasing.deciding.decide import decide
from qidguard.releasing.deciding.decided import Decided
from qidguard.releasing.deciding.failure import failures_recorded
from qidguard.releasing.opening import release_context
from qidguard.trials.first_choices import best_of
from qidguard.trials.measuring import Losses
from qidguard.trials.stages import Tried, audit_copy, irremediable
from qidguard.trials.trial import Trial

if TYPE_CHECKING:
    from qidguard.advising.asking import TriedAdvice
    from qidguard.auditing.remedy import Remedy
    from qidguard.engines.base import Snapshot
    from qidguard.policy import Policy


class RecordedTrial(Trial):
    """A trial whose verdict stands in the ledger, with the advice that was recorded with it."""

    def __init__(self, context: ReleaseContext, tried: Tried, advised: "TriedAdvice | None") -> None:
        super().__init__(context, tried, audit_id=context.audit_id)
        self.advised = advised


def recorded_trial(
    source: Any,
    policy: "Policy",
    remedies: "Sequence[Remedy]",
    *,
    losses: Losses,
    has_plots: bool = False,
    **options: Unpack[ReleaseOptions],
) -> Trial:
    """Return what a remedy comes to where earlier releases count, and record the verdict.

    Of several remedies the one is taken that is best without earlier releases.

    An exception lets a release through; what is transformed has to keep the policy itself.

    Raises:
        QidguardError: As an audit raises it; that it failed is recorded too.
        LedgerError: When the ledger cannot be written.
    """
    with release_context(source, policy, None, is_published=False, **options) as ready:
        context = replace(ready, remedy=remedies[0], has_plots=has_plots)
        with failures_recorded(context), context.snapshot() as snapshot:
            if len(remedies) > 1:
                remedy, first = best_of(context, remedies, audit_copy(context, snapshot))
                first.close()
                context = replace(context, remedy=remedy)
            return _recorded(context, snapshot, losses=losses)


def _recorded(context: ReleaseContext, snapshot: "Snapshot", *, losses: Losses) -> Trial:
    decided = decide(context, snapshot, is_trial=True, losses=losses)
    try:
        judged = replace(decided, approvals=())
        _, advised = recorded_with_advice(
            context, judged, partial(record_decision, context, judged, has_receipt=True)
        )
        trial = RecordedTrial(context, _tried(decided), advised)
    except BaseException:
        decided.close()
        raise
    if decided.series is not None:
        decided.series.close()
    return trial


def _tried(decided: Decided) -> Tried:
    if decided.transformed is None:
        reasons = (*irremediable(decided.report), *decided.reasons)
        return Tried(source=decided.source, reasons=reasons)
    return Tried(
        source=decided.source,
        transformed=decided.transformed,
        selection=decided.selection,
        reasons=decided.reasons,
    )

"""A remedy tried as a release would judge it, with the verdict in the ledger."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from qidguard.releasing.context import ReleaseContext, ReleaseOptions
from qidguard.releasing.deciding.checked_entry import record_decision
from qidguard.releasing.deciding.decide import Decided, decide
from qidguard.releasing.deciding.failure import failures_recorded
from qidguard.releasing.opening import release_context
from qidguard.trials.stages import Tried, irremediable
from qidguard.trials.trial import Trial

if TYPE_CHECKING:
    from qidguard.auditing.remedy import Remedy
    from qidguard.engines.base import Snapshot
    from qidguard.policy import Policy


def recorded_trial(
    source: Any,
    policy: "Policy",
    remedy: "Remedy",
    *,
    has_models: bool,
    **options: Unpack[ReleaseOptions],
) -> Trial:
    """Return what a remedy comes to where earlier releases count, and record the verdict.

    An exception lets a release through; what is transformed has to keep the policy itself.

    Raises:
        QidguardError: As an audit raises it; that it failed is recorded too.
        LedgerError: When the ledger cannot be written.
    """
    with release_context(source, policy, None, is_published=False, **options) as ready:
        context = replace(ready, remedy=remedy)
        with failures_recorded(context), context.snapshot() as snapshot:
            return _recorded(context, snapshot, has_models=has_models)


def _recorded(context: ReleaseContext, snapshot: "Snapshot", *, has_models: bool) -> Trial:
    decided = decide(context, snapshot, is_trial=True, has_models=has_models)
    try:
        record_decision(context, replace(decided, approvals=()), has_receipt=True)
        return Trial(context, _tried(decided), audit_id=context.audit_id)
    except BaseException:
        decided.close()
        raise


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

"""An audit that publishes nothing, recorded in the ledger."""

from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from qidguard.releasing.context import ReleaseContext, ReleaseOptions
from qidguard.releasing.deciding.advising import recorded_with_advice
from qidguard.releasing.deciding.checked_entry import record_decision
from qidguard.releasing.deciding.decide import decide
from qidguard.releasing.deciding.decided import Decided
from qidguard.releasing.deciding.failure import failures_recorded
from qidguard.releasing.opening import release_context
from qidguard.releasing.result import Recorded

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.policy import Policy


def check(
    source: Any = None,
    *,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    **options: Unpack[ReleaseOptions],
) -> Recorded:
    """Judge a table as a release would, and record the verdict in the ledger; nothing is published.

    Earlier releases and exceptions of the data set count as they would for a release; the policy's remedy is
    not used, and no signature is asked for.

    Args:
        source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
        policy: A policy, its path, or a mapping with the same fields.
        options: As ``qidguard.release`` takes them.

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
        ...     checked = check(table, policy=policy, home=home, data_set="people")
        ...     checked.is_passed, checked.sentences
        (False, ('k-anonymity is 1 record, must be at least 2 (1 short), over sex.',))
    """
    with (
        release_context(source, policy, None, is_published=False, **options) as context,
        failures_recorded(context),
    ):
        with context.snapshot() as snapshot:
            decided = decide(context, snapshot, has_remedy=False)
            _, advised = recorded_with_advice(context, decided, partial(record_decision, context, decided))
        return Recorded(
            data_set=context.data_set,
            audit_id=context.audit_id,
            outcome=decided.outcome,
            report=decided.report,
            reasons=decided.reasons,
            notes=decided.notes,
            approvals=decided.approvals,
            advised=advised,
            is_remediable=_is_remediable(context, decided),
        )


def _is_remediable(context: ReleaseContext, decided: Decided) -> bool:
    verdict = decided.report.verdict
    is_missed = verdict is not None and not verdict.blocks and not verdict.is_passed
    return context.remedy is not None and is_missed and not decided.reasons and not decided.approvals

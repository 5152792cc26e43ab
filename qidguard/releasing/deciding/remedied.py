"""The policy's remedy without a release: a transformed table for whoever works on with it."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from qidguard.core.errors import InternalError, UserError
from qidguard.policy import load_policy
from qidguard.releasing.context import ReleaseContext, ReleaseOptions
from qidguard.releasing.deciding.advising import recorded_with_advice
from qidguard.releasing.deciding.checked_entry import record_decision
from qidguard.releasing.deciding.decide import decide
from qidguard.releasing.deciding.failure import failures_recorded
from qidguard.releasing.opening import release_context
from qidguard.releasing.result import Outcome, Recorded
from qidguard.trials.read_places import other_sources
from qidguard.trials.table_file import TableFile, open_table_file

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.engines.base import Snapshot
    from qidguard.policy import Policy


def write_remedied(
    source: Any = None,
    *,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    to: str,
    **options: Unpack[ReleaseOptions],
) -> Recorded:
    """Transform a table by the policy's remedy and write it, only if the policy holds on the result.

    What is written holds every column of the source, direct identifiers too: it is on its way to a release
    and no release itself. A table on which the policy holds is written as it is, unless the remedy is always
    applied. The file appears in one step, takes the place of an earlier one, and on this machine is its
    owner's only, while it is made as well.

    Args:
        source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
        policy: A policy with a remedy, its path, or a mapping with the same fields.
        to: The file to write, a path or a URL of fsspec, ending in ``.parquet`` or ``.csv``.
        options: As ``qidguard.release`` takes them.

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
        >>> import pandas as pd, tempfile
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["sex"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        ...     "remedy": {"anonymizer": "mondrian"},
        ... }
        >>> table = pd.DataFrame({"sex": ["f", "f"]})
        >>> with tempfile.TemporaryDirectory() as home:
        ...     to = f"{home}/safe.csv"
        ...     write_remedied(table, policy=policy, to=to, home=home, data_set="people").is_passed
        True
    """
    rules = load_policy(policy)
    file = open_table_file(to)
    with release_context(source, rules, None, is_published=False, **options) as context:
        if context.remedy is None:
            raise UserError("The policy names no remedy, so there is nothing to transform by; add one.")
        for read in (context.source, *other_sources(rules)):
            file.check_apart(read)
        file.sweep()
        with failures_recorded(context), context.snapshot() as snapshot:
            return _written(context, snapshot, file)


def _written(context: ReleaseContext, snapshot: "Snapshot", file: TableFile) -> Recorded:
    decided = decide(context, snapshot)
    try:
        judged = replace(decided, approvals=())
        _, advised = recorded_with_advice(
            context, judged, partial(record_decision, context, judged, has_receipt=True)
        )
        # an exception lets a release through; what is transformed has to keep the policy itself
        is_held = decided.outcome is Outcome.PASSED
        if decided.receipt is not None and decided.receipt.is_rehearsal:
            raise InternalError("a rehearsal was to be written")
        if is_held:
            copy = decided.judged.snapshot
            with file.staged(context.settings.spill_directory) as place:
                copy.write(place, copy.names, file.format, seed=None)
        return Recorded(
            data_set=context.data_set,
            audit_id=context.audit_id,
            outcome=Outcome.PASSED if is_held else Outcome.BLOCKED,
            report=decided.report,
            before=decided.before,
            receipt=decided.receipt,
            reasons=decided.reasons,
            address=file.label if is_held else None,
            advised=advised,
        )
    finally:
        decided.close()

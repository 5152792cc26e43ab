"""Decisions on tables that are not published, recorded all the same: on one as it is, or remedied."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from qidguard.core.errors import ExitCode, InternalError, QidguardError, UserError
from qidguard.ledger import LedgerError, new_entry
from qidguard.ledger.payloads import Failed
from qidguard.policy import load_policy
from qidguard.releasing.context import ReleaseContext, ReleaseOptions, policy_used, responsible
from qidguard.releasing.deciding.advising import recorded_with_advice
from qidguard.releasing.deciding.checked_entry import record_decision
from qidguard.releasing.deciding.decide import Decided, decide
from qidguard.releasing.opening import release_context
from qidguard.releasing.result import Outcome, Recorded
from qidguard.trials.first_choices import best_of
from qidguard.trials.measuring import Losses
from qidguard.trials.read_places import other_sources
from qidguard.trials.stages import Tried, audit_copy, irremediable
from qidguard.trials.table_file import TableFile, open_table_file
from qidguard.trials.trial import Trial

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.advising.asking import TriedAdvice
    from qidguard.auditing.remedy import Remedy
    from qidguard.engines.base import Snapshot
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
        return decided.told(Recorded, context, advised, is_remediable=_is_remediable(context, decided))


def _is_remediable(context: ReleaseContext, decided: Decided) -> bool:
    verdict = decided.report.verdict
    is_missed = verdict is not None and not verdict.blocks and not verdict.is_passed
    return context.remedy is not None and is_missed and not decided.reasons and not decided.approvals


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
            decided, advised = _recorded(context, snapshot, is_trial=True, losses=losses)
            if decided.series is not None:
                decided.series.close()
            return RecordedTrial(context, _tried(decided), advised)


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
    decided, advised = _recorded(context, snapshot)
    try:
        # an exception lets a release through; what is transformed has to keep the policy itself
        is_held = decided.outcome is Outcome.PASSED
        if decided.receipt is not None and decided.receipt.is_rehearsal:
            raise InternalError("a rehearsal was to be written")
        if is_held:
            copy = decided.judged.snapshot
            with file.staged(context.settings.spill_directory) as place:
                copy.write(place, copy.names, file.format, seed=None)
        return decided.told(
            Recorded,
            context,
            advised,
            outcome=Outcome.PASSED if is_held else Outcome.BLOCKED,
            notes=(),
            approvals=(),
            address=file.label if is_held else None,
        )
    finally:
        decided.close()


def _recorded(
    context: ReleaseContext, snapshot: "Snapshot", **how: Any
) -> "tuple[Decided, TriedAdvice | None]":
    """Return a decision that no exception lets through, recorded with what its remedy did, and advice."""
    decided = decide(context, snapshot, **how)
    judged = replace(decided, approvals=())
    try:
        record = partial(record_decision, context, judged, has_receipt=True)
        return decided, recorded_with_advice(context, judged, record)[1]
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


@contextmanager
def failures_recorded(context: ReleaseContext, *, release_id: str | None = None) -> Iterator[None]:
    """Record whatever ends the work inside before its verdict, and raise it on.

    Of an error that is not our own only the kind is recorded, since its words may hold values. A ledger that
    cannot be written is passed over: the failure itself is what the user must hear of.

    Args:
        context: What was asked for.
        release_id: The release that it is about; None for an audit alone.
    """
    try:
        yield
    except LedgerError:
        raise
    except Exception as error:
        words, code = f"internal error ({type(error).__name__})", ExitCode.INTERNAL_ERROR
        if isinstance(error, QidguardError):
            words, code = str(error), error.exit_code
        failed = Failed(
            audit_id=context.audit_id,
            release_id=release_id,
            source=context.label,
            policy=policy_used(context.policy),
            error=words,
            exit_code=int(code),
            by=responsible(context.origin),
        )
        entry_id, at = f"failed-{context.audit_id}", context.clock()
        with suppress(LedgerError):
            context.ledger.append(new_entry(failed, entry_id=entry_id, data_set=context.data_set, at=at))
        raise

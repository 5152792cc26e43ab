"""Advice on a blocked decision: made before the decision is recorded, with which it stands in the ledger."""

from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from qidguard.anonymizing.protocol import NEVER_SHOWN
from qidguard.core.errors import QidguardError
from qidguard.engines.series import of_series
from qidguard.releasing.deciding.decide import Decided, decide
from qidguard.releasing.history.earlier import KeyedHistory
from qidguard.releasing.history.followed import at_places, places_in
from qidguard.releasing.history.keyed_bytes import as_texts
from qidguard.releasing.history.past import history
from qidguard.trials.measuring import Losses

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from qidguard.advising.advice import Advice, ForSeries
    from qidguard.advising.asking import TriedAdvice
    from qidguard.core.isolated import IsolatedOverTime
    from qidguard.core.versions import History
    from qidguard.engines.base import Snapshot
    from qidguard.ledger.listed import AdviceTold
    from qidguard.releasing.context import ReleaseContext

T = TypeVar("T")

_NCP = Losses(names=("ncp",))


def recorded_with_advice(
    context: "ReleaseContext", decided: "Decided", record: "Callable[[TriedAdvice | None], T]"
) -> "tuple[T, TriedAdvice | None]":
    """Record a decision with advice, where it is wanted; whatever becomes of the advice, it is recorded.

    Args:
        context: What was asked for.
        decided: The decision; its copies are still open.
        record: Records the decision, and advice beside it.

    Returns:
        What ``record`` returned, and the advice; None where there is none to give.
    """
    try:
        tried = _tried(context, decided)
    except BaseException:  # a stop ends the advice, and what was decided stands
        record(None)
        raise
    return record(tried), tried


def told_of(tried: "TriedAdvice | None") -> "AdviceTold | None":
    """Return advice as the ledger keeps it: one sentence, and lines for those who want to know more."""
    if tried is None:
        return None
    from qidguard.advising.advice_lines import PLAIN_WIDTH, short_sentence, tried_lines

    return {"sentence": short_sentence(tried), "lines": tried_lines(tried, PLAIN_WIDTH)}


def advising_on(context: "ReleaseContext", decided: "Decided") -> "Callable[..., Advice] | None":
    """Return what computes advice on the source of a decision; None where no threshold blocks."""
    if not _is_missed(decided):
        return None
    from qidguard.advising.asking import advise

    return partial(
        advise,
        context.source,
        context.policy,
        report=decided.source.report,
        read=context.read,
        settings=context.settings,
        host=context.host,
    )


def _tried(context: "ReleaseContext", decided: "Decided") -> "TriedAdvice | None":
    before = decided.source.report.verdict
    is_missed = before is not None and any(one.is_blocking for one in before.thresholds)
    if not (context.has_advice and is_missed and _is_missed(decided)):
        return None
    from qidguard.advising.asking import tried_advice
    from qidguard.advising.run import advise

    return tried_advice(
        lambda: advise(
            context,
            decided.source,
            judged=decided.report,
            history_of=partial(_history_beside, context, decided),
            try_series=_try_series(context, decided),
            trajectory_of=partial(_trajectory, context, decided),
        )
    )


def _history_beside(context: "ReleaseContext", decided: Decided, copy: "Snapshot") -> "History":
    """Return the earlier releases beside a copy; what they come to is read once."""
    return history(context, copy, decided.past, shared=decided.source.history)


def _trajectory(
    context: "ReleaseContext", decided: "Decided", found: "IsolatedOverTime"
) -> "NDArray[np.int64] | None":
    """Return the trajectory of each record's person; None where persons are followed by their content."""
    entity, shown = context.policy.roles.entity, decided.source.history
    if entity is None or not isinstance(shown, KeyedHistory):
        return None
    try:
        able = of_series(decided.source.snapshot, context.policy.engine)
        persons = as_texts(able.keyed_persons(entity, context.history_key))
    except QidguardError:  # an engine that makes no series; changes are audited all the same
        return None
    past = shown.shown(found.qids, most_recent=found.most_recent)
    return at_places(past.joint, places_in(past.persons, persons), NEVER_SHOWN)


def _try_series(context: "ReleaseContext", decided: "Decided") -> "Callable[[], ForSeries] | None":
    """Return what runs the policy's remedy where that keeps a series and this decision is without it."""
    remedy = context.remedy
    if remedy is None or not remedy.needs_last_values or decided.transformed is not None:
        return None
    if decided.series is not None:  # it was run, and says why nothing came of it
        return None
    return partial(_series_tried, context, decided.source.snapshot, remedy.anonymizer.name)


def _series_tried(context: "ReleaseContext", snapshot: "Snapshot", name: str) -> "ForSeries":
    from qidguard.advising.advice import ForSeries

    try:
        tried = decide(context, snapshot, is_trial=True, losses=_NCP)  # nothing is recorded
    except QidguardError as error:
        return ForSeries(anonymizers=(name,), is_tried=True, notes=(str(error),))
    try:
        made = tried.transformed
        losses = () if made is None else made.losses
        return ForSeries(
            anonymizers=(name,),
            is_tried=True,
            is_passed=made is not None and tried.report.is_passed and not tried.reasons,
            ncp=next((one.value for one in losses if one.metric == "ncp"), None),
            notes=tried.reasons if made is None else made.receipt.notes,
        )
    finally:
        tried.close()


def _is_missed(decided: "Decided") -> bool:
    """Return whether a threshold keeps back what would be published, and no exception lets it through."""
    verdict, before = decided.report.verdict, decided.source.report.verdict
    is_missed = verdict is not None and any(one.is_blocking for one in verdict.thresholds)
    unmade = decided.transformed is None and before is not None and not before.is_passed
    return not decided.approvals and (is_missed or unmade)

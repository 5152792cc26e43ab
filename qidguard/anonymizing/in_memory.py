"""Rehearsals in memory: what an anonymizer makes of records, one solution or each of several."""

from dataclasses import replace

from qidguard.anonymizing.protocol import (
    AnonymizationTask,
    Anonymized,
    ChosenAnonymizer,
    NewTable,
    Records,
    Solutions,
)
from qidguard.anonymizing.rehearsed_table import RehearsedTable
from qidguard.anonymizing.run import CheckedAnswer, answer_of, facts_of
from qidguard.anonymizing.weighing import Metrics
from qidguard.core.column import Recoded
from qidguard.core.errors import NotMeasurable, PluginError


def rehearse_on(
    records: Records,
    method: ChosenAnonymizer,
    task: AnonymizationTask,
    *,
    budget_seconds: float | None = None,
    metrics: Metrics | None = None,
) -> RehearsedTable:
    """Return what an anonymizer makes of records in memory.

    Raises:
        NotMeasurable: When it says that it cannot be done, nothing would be left, or the time is up.
        PluginError: When it fails, or its answer is none.
    """
    answer = _answer(records, method, task, budget_seconds)
    return _rehearsed(records, method, task, answer.taken, answer.seconds, metrics)


def rehearse_several_on(
    records: Records,
    method: ChosenAnonymizer,
    task: AnonymizationTask,
    *,
    budget_seconds: float | None = None,
    metrics: Metrics | None = None,
) -> dict[str, RehearsedTable]:
    """Return each solution of an anonymizer by its label, in its order; one alone has the method's name.

    Raises:
        NotMeasurable: As ``rehearse_on``.
        PluginError: As ``rehearse_on``.
    """
    task = replace(task, wants_several=True)
    answer = _answer(records, method, task, budget_seconds)
    done: dict[str, Anonymized | NewTable]
    if not isinstance(answer.given, Solutions):
        done = {method.name: answer.given}
    else:
        done = {one.label: one.anonymized for one in answer.given.solutions}
    return {
        label: _rehearsed(records, method, task, one, answer.seconds, metrics) for label, one in done.items()
    }


def _answer(
    records: Records, method: ChosenAnonymizer, task: AnonymizationTask, budget_seconds: float | None
) -> CheckedAnswer:
    try:
        return answer_of(method, records, task, budget_seconds=budget_seconds)
    except NotMeasurable as reason:
        raise NotMeasurable(f"{method.name}: {reason}") from None


def _rehearsed(
    records: Records,
    method: ChosenAnonymizer,
    task: AnonymizationTask,
    done: Anonymized | NewTable,
    seconds: float,
    metrics: Metrics | None,
) -> RehearsedTable:
    if isinstance(done, Anonymized) and not done.kept.any():
        raise NotMeasurable(f"{method.name} would suppress every record; coarsen the quasi-identifiers")
    if not all(map(_is_unicode, done.columns.values())):
        raise PluginError(f"{method.whose} publishes values that no table can hold; mend the plugin")
    return RehearsedTable(
        before=records,
        task=task,
        anonymizer=method.name,
        done=done,
        seconds=seconds,
        metrics=metrics,
        new_table=facts_of(method, done),
    )


def _is_unicode(recoded: Recoded) -> bool:
    try:
        "".join(value for value in recoded.values if isinstance(value, str)).encode()
    except UnicodeEncodeError:
        return False
    return True

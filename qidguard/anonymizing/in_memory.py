"""Rehearsals in memory: what an anonymizer makes of records, one solution or each of several."""

from dataclasses import replace

from qidguard.anonymizing.new_table import NewTable
from qidguard.anonymizing.protocol import AnonymizationTask, Anonymized, Anonymizer, Records
from qidguard.anonymizing.rehearsed_table import RehearsedTable
from qidguard.anonymizing.run import CheckedAnswer, answer_of, facts_of
from qidguard.anonymizing.solutions import Solutions
from qidguard.anonymizing.weighing import Metrics
from qidguard.core.column import Recoded
from qidguard.core.errors import NotMeasurable, PluginError
from qidguard.core.parameter import Arguments


def rehearse_on(
    records: Records,
    anonymizer: Anonymizer,
    arguments: Arguments,
    task: AnonymizationTask,
    *,
    owner: str,
    budget_seconds: float | None = None,
    metrics: Metrics | None = None,
) -> RehearsedTable:
    """Return what an anonymizer makes of records in memory.

    Raises:
        NotMeasurable: When it says that it cannot be done, nothing would be left, or the time is up.
        PluginError: When it fails, or its answer is none.
    """
    answer = _answer(records, anonymizer, arguments, task, owner, budget_seconds)
    done = answer.taken
    if _is_nothing_kept(done):
        raise NotMeasurable(f"{anonymizer.name} would suppress every record; coarsen the quasi-identifiers")
    _check_writable(done, f"{owner}: anonymizer {anonymizer.name!r}")
    return RehearsedTable(
        before=records,
        task=task,
        anonymizer=anonymizer.name,
        done=done,
        seconds=answer.seconds,
        metrics=metrics,
        new_table=facts_of(anonymizer, done),
    )


def rehearse_several_on(
    records: Records,
    anonymizer: Anonymizer,
    arguments: Arguments,
    task: AnonymizationTask,
    *,
    owner: str,
    budget_seconds: float | None = None,
    metrics: Metrics | None = None,
) -> dict[str, RehearsedTable]:
    """Return each solution of an anonymizer by its label, in its order; one alone has the method's name.

    Raises:
        NotMeasurable: As ``rehearse_on``.
        PluginError: As ``rehearse_on``.
    """
    asked = replace(task, wants_several=True)
    answer = _answer(records, anonymizer, arguments, asked, owner, budget_seconds)
    done: dict[str, Anonymized | NewTable]
    if not isinstance(answer.given, Solutions):
        done = {anonymizer.name: answer.given}
    else:
        done = {one.label: one.anonymized for one in answer.given.solutions}
    for one in done.values():
        if _is_nothing_kept(one):
            raise NotMeasurable(
                f"{anonymizer.name} would suppress every record; coarsen the quasi-identifiers"
            )
        _check_writable(one, f"{owner}: anonymizer {anonymizer.name!r}")
    return {
        label: RehearsedTable(
            before=records,
            task=asked,
            anonymizer=anonymizer.name,
            done=one,
            seconds=answer.seconds,
            metrics=metrics,
            new_table=facts_of(anonymizer, one),
        )
        for label, one in done.items()
    }


def _answer(
    records: Records,
    anonymizer: Anonymizer,
    arguments: Arguments,
    task: AnonymizationTask,
    owner: str,
    budget_seconds: float | None,
) -> CheckedAnswer:
    try:
        return answer_of(anonymizer, records, arguments, task, owner=owner, budget_seconds=budget_seconds)
    except NotMeasurable as reason:
        raise NotMeasurable(f"{anonymizer.name}: {reason}") from None


def _is_nothing_kept(done: Anonymized | NewTable) -> bool:
    return isinstance(done, Anonymized) and not done.kept.any()


def _check_writable(done: Anonymized | NewTable, whose: str) -> None:
    if not all(map(_is_unicode, done.columns.values())):
        raise PluginError(f"{whose} publishes values that no table can hold; mend the plugin")


def _is_unicode(recoded: Recoded) -> bool:
    try:
        "".join(value for value in recoded.values if isinstance(value, str)).encode()
    except UnicodeEncodeError:
        return False
    return True

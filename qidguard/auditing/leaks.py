"""The installed checks of what published columns undo, asked so that none is left out in silence."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.errors import NotMeasurable, PluginError, QidguardError
from qidguard.core.guard import PluginCode, show
from qidguard.core.leaks import Leaks, LeakTask
from qidguard.core.report import AuditReport
from qidguard.core.verdict import Block, Verdict
from qidguard.core.versions import ORDER_OF_RECORDS
from qidguard.host.kinds import LEAKS

if TYPE_CHECKING:
    from qidguard.host import Host

RULE = "undoing"
"""The rule by which columns that undo a generalization block, and the check that no verdict goes without."""

_MOST = 2**31
"""Codes of what is read are below it."""


class UncheckedError(Exception):
    """Nobody knows whether a published column undoes the release; the words say why."""


def leaks_in(host: "Host", task: LeakTask) -> Leaks:
    """Return what all checks find; UncheckedError where one is missing, fails or gives no answer."""
    try:
        host.find(LEAKS, RULE)
    except QidguardError as error:
        raise UncheckedError(str(error)) from None
    if broken := _broken(host):
        raise UncheckedError(f"not all leak checks loaded: {'; '.join(broken)}")
    answers = [_answer(host, name, task) for name in host.leaks]
    return Leaks(
        found=tuple(leak for one in answers for leak in one.found),
        unexamined=tuple(left for one in answers for left in one.unexamined),
    )


def _broken(host: "Host") -> tuple[str, ...]:
    """Return a sentence for each plugin that may offer a check and does not, or whose check is contested."""
    missing = host.missing(LEAKS)
    contested = [f.sentence for f in host.failures if LEAKS.name in {kind for kind, _ in f.contested}]
    return (*missing, *(sentence for sentence in contested if sentence not in missing))


def _answer(host: "Host", name: str, task: LeakTask) -> Leaks:
    owner, what = host.owner(LEAKS.name, name), f"leak check {name!r}"
    try:
        with PluginCode(owner, what):
            answer: object = host.leaks[name].find(task)
            words = _misfit(answer, task)
    except (PluginError, NotMeasurable) as error:
        raise UncheckedError(str(error)) from None
    if words or not isinstance(answer, Leaks):
        raise UncheckedError(f"{owner}: {what} gave no answer, for {words}; mend the plugin")
    return answer


def _misfit(answer: object, task: LeakTask) -> str:
    """Return why an answer is none, in words; empty where it is one."""
    if not isinstance(answer, Leaks):
        return f"it gave {type(answer).__name__}, no Leaks"
    named = [*(one.qid for one in answer.found), *(one.qid for one in answer.unexamined)]
    if not {*named, *(one.beside for one in answer.found)} <= {*task.qids, None}:
        return "it is about a column that is no QID"
    records, readable = task.changes.after.records, {*task.published, ORDER_OF_RECORDS}
    for leak in answer.found:
        joined = leak.known.astype(np.int64) if leak.joined is None else leak.joined
        for is_fit, words in (
            (
                leak.columns and readable.issuperset(leak.columns),
                "it is about a column that is not published",
            ),
            (0 <= leak.told <= 1 and 0 <= leak.precision <= 1, "a share lies outside 0 to 1"),
            (0 <= leak.persons <= leak.generalized, "more persons are told than there are"),
            (leak.known.dtype.kind == "b" and joined.dtype.kind in "iu", "what is known is not coded"),
            (leak.known.shape == joined.shape == (records,), "it does not say of each record what is known"),
            (not records or 0 <= joined.min() <= joined.max() < _MOST, f"a code lies outside 0 to {_MOST:,}"),
        ):
            if not is_fit:
                return words
    return ""


def with_leaks(report: AuditReport, judged: "Callable[[], AuditReport]") -> AuditReport:
    """Return what is judged of a report with leaks; where these could not be found out, it is blocked."""
    try:
        return judged()
    except UncheckedError as error:
        why = str(error)
    except (QidguardError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - what fails on the way must not let a table pass
        show("the judgement of columns that undo a generalization", error)
        why = f"the search failed with {type(error).__name__}"
    sentence = f"Whether published columns tell what was generalized could not be found out: {why}."
    return with_more(report, blocks=[Block(rule=RULE, sentence=sentence, is_internal=True)])


def with_more(report: AuditReport, *, blocks: Sequence[Block] = (), notes: Sequence[str] = ()) -> AuditReport:
    """Return the report with more blocks and notes."""
    verdict = report.verdict
    if verdict is not None and blocks:
        verdict = Verdict(thresholds=verdict.thresholds, blocks=(*verdict.blocks, *blocks))
    return replace(report, verdict=verdict, notes=(*report.notes, *notes))

"""One verdict on a data set as the ledger tells it, and how the release that came of it ended."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from qidguard.core.errors import ExitCode, InternalError
from qidguard.core.statistic import Number
from qidguard.core.verdict import Bound
from qidguard.ledger import read_any
from qidguard.ledger.listed import ListedThreshold
from qidguard.ledger.payloads import Abandoned, Audited, Checked, Failed, Released, Withdrawn
from qidguard.releasing.result import Outcome

if TYPE_CHECKING:
    from qidguard.ledger import Entry


@dataclass(frozen=True, kw_only=True)
class Tightest:
    """The figure of one audit that has the least room to its limit.

    Args:
        metric: The metric's name.
        title: The metric's title.
        sensitive: The sensitive attribute, or None.
        value: What was measured, in ``unit``; None where there was no finite number.
        unit: The unit of figure and limit; a ``share`` is 0..1.
        bound: ``at_least`` or ``at_most``.
        limit: The limit in ``unit``.
        is_met: Whether the limit holds.
        room: What is left to the limit, as a share of the larger of figure and limit: 1 is all, 0 is none,
            below 0 the limit is missed, -1 is as far off as can be, or not measured.
    """

    metric: str
    title: str
    sensitive: str | None
    value: Number | None
    unit: str
    bound: str
    limit: Number
    is_met: bool
    room: float


def tightest(figures: Sequence[ListedThreshold]) -> Tightest | None:
    """Return the figure with the least room to its limit, among those that can block.

    What only warns is looked at where nothing else was measured. Of equals the first is taken.

    Args:
        figures: The thresholds of an audit, as its document lists them.

    Returns:
        The figure; None where no threshold was judged.

    Units:
        Figure and limit in the metric's unit; ``room`` is a share, -1..1.

    Raises:
        KeyError: When a figure lacks what the document always says.

    Example:
        >>> both = {"title": "k-anonymity", "sensitive": None, "unit": "records", "bound": "at_least"}
        >>> both |= {"metric": "k_anonymity", "is_met": True, "is_warning": False, "limit": 5}
        >>> found = tightest([both | {"value": 20}, both | {"value": 8}])
        >>> found.value, found.room
        (8, 0.375)
    """
    deciding = [figure for figure in figures if not figure["is_warning"]] or list(figures)
    if not deciding:
        return None
    nearest = min(deciding, key=_room)
    return Tightest(
        metric=str(nearest["metric"]),
        title=str(nearest["title"]),
        sensitive=nearest["sensitive"],
        value=nearest["value"],
        unit=str(nearest["unit"]),
        bound=str(nearest["bound"]),
        limit=nearest["limit"],
        is_met=bool(nearest["is_met"]),
        room=_room(nearest),
    )


def _room(figure: ListedThreshold) -> float:
    """Return the share of the larger of figure and limit that is left, on the verdict's side of zero.

    A limit of zero that holds at zero is all or nothing: nothing comes near it, so all room is left.
    """
    value, limit, is_met = figure["value"], figure["limit"], figure["is_met"]
    larger = 0 if value is None else max(abs(value), abs(limit))
    if value is None or not larger:
        return 1.0 if is_met else -1.0
    left = value - limit if figure["bound"] == Bound.AT_LEAST else limit - value
    room = float(left / larger)
    return min(max(room, 0.0), 1.0) if is_met else max(min(room, 0.0), -1.0)


class RunStatus(StrEnum):
    """What came of one run."""

    PASSED = "passed"
    BLOCKED = "blocked"
    FAILED = "failed"
    PUBLISHED = "published"
    PUBLISHED_BY_EXCEPTION = "published by exception"
    NOT_PUBLISHED = "not published"
    CUT_OFF = "cut off"
    UNFINISHED = "unfinished"
    WITHDRAWN = "withdrawn"

    @property
    def is_good(self) -> bool:
        """Whether the policy held, or was excepted, and what was to be published is."""
        return self in {RunStatus.PASSED, RunStatus.PUBLISHED, RunStatus.PUBLISHED_BY_EXCEPTION}


_OPEN = {RunStatus.NOT_PUBLISHED, RunStatus.UNFINISHED, RunStatus.CUT_OFF}
"""What later entries of the same release may still change."""

_OUT = {RunStatus.PUBLISHED, RunStatus.PUBLISHED_BY_EXCEPTION}
"""What a withdrawal changes as well."""


@dataclass(frozen=True, kw_only=True)
class Judgment:
    """One verdict on a data set, or why there was none.

    Args:
        audit_id: The name of the audit.
        at: When it was recorded, UTC.
        status: What came of it.
        sentence: Why, in one sentence.
        reasons: How many sentences there are in all.
        advice: What would make it pass, the first thing to know; empty where nothing was recorded of it.
        policy: The policy's name; None where there was none.
        release_id: The release that it was about; None for an audit alone.
        is_excepted: Whether an exception lets it pass.
        tightest: The figure with the least room to its limit; None where none is recorded.
        dag_id: The Airflow DAG that started it; None where another door did.
    """

    audit_id: str
    at: datetime
    status: RunStatus
    sentence: str
    reasons: int
    policy: str | None
    release_id: str | None
    is_excepted: bool
    tightest: Tightest | None
    dag_id: str | None
    advice: str = ""


def judgment_of(entry: "Entry") -> Judgment:
    """Return the verdict, or the failure, that an entry tells.

    Args:
        entry: An entry of kind ``audited``, ``checked`` or ``failed``.

    Returns:
        The judgment; one that let a release pass is ``not published`` until later entries say more.

    Units:
        Moments in UTC; figures in their metric's unit.

    Raises:
        LedgerError: When the entry is not as one of its kind is.
    """
    payload = read_any(entry).payload
    if isinstance(payload, Failed):
        status, sentences = _failure(payload)
        figures: tuple[ListedThreshold, ...] = ()
    elif isinstance(payload, Audited | Checked):
        figures = payload.figures or ()
        status, sentences = _verdict(payload)
    else:
        raise InternalError(f"an entry of kind {entry.kind} tells no verdict")
    is_dag = payload.by.get("door") == "airflow"
    return Judgment(
        audit_id=payload.audit_id,
        at=entry.at,
        status=status,
        sentence=sentences[0],
        reasons=len(sentences),
        advice=_advice(payload),
        policy=None if payload.policy is None else str(payload.policy.name),
        release_id=payload.release_id,
        is_excepted=isinstance(payload, Audited | Checked) and payload.outcome == Outcome.PASSED_BY_EXCEPTION,
        tightest=tightest(figures),
        dag_id=payload.by.get("dag_id") if is_dag else None,
    )


def settled(judgment: Judgment, entry: "Entry") -> Judgment:
    """Return a judgment as it stands after an entry on a release.

    What was seen complete stays published until somebody withdraws it, and what is withdrawn stays so.

    Args:
        judgment: The judgment.
        entry: An entry of kind ``releasing``, ``released``, ``abandoned`` or ``withdrawn``.

    Returns:
        The judgment, unchanged where the entry is about another audit, or nothing was to be published.

    Raises:
        LedgerError: When the entry is not as one of its kind is.
    """
    payload = read_any(entry).payload
    is_withdrawn = isinstance(payload, Withdrawn)
    changeable = {*_OPEN, *_OUT} if is_withdrawn else _OPEN
    if judgment.audit_id != payload.audit_id or judgment.status not in changeable:
        return judgment
    if isinstance(payload, Withdrawn):
        sentence = f"It was withdrawn: {payload.reason}"
        return replace(judgment, status=RunStatus.WITHDRAWN, sentence=sentence)
    if isinstance(payload, Released):
        is_excepted = judgment.is_excepted
        status = RunStatus.PUBLISHED_BY_EXCEPTION if is_excepted else RunStatus.PUBLISHED
        return replace(judgment, status=status)
    if isinstance(payload, Abandoned):
        sentence = f"It was not published: {payload.reason}."
        return replace(judgment, status=RunStatus.CUT_OFF, sentence=sentence)
    return replace(judgment, status=RunStatus.UNFINISHED)


def _advice(payload: Audited | Checked | Failed) -> str:
    advice = None if isinstance(payload, Failed) else payload.advice
    return "" if advice is None else advice["sentence"]


def _failure(payload: Failed) -> tuple[RunStatus, list[str]]:
    is_blocked = payload.exit_code == int(ExitCode.BLOCKED)  # as one that ran out of its privacy budget
    return RunStatus.BLOCKED if is_blocked else RunStatus.FAILED, [payload.error]


def _verdict(payload: Audited | Checked) -> tuple[RunStatus, list[str]]:
    figures = payload.figures or ()
    if payload.outcome == Outcome.BLOCKED:
        # what only warns is no reason; entries of old carry no figures by which to tell
        missed = [f["sentence"] for f in figures if not f["is_met"] and not f["is_warning"]]
        reasons = [*payload.blocks, *(missed if figures else payload.missed)]
        return RunStatus.BLOCKED, reasons or ["No threshold was judged."]
    status = RunStatus.PASSED if isinstance(payload, Checked) else RunStatus.NOT_PUBLISHED
    return status, [_passed(figures, is_excepted=payload.outcome == Outcome.PASSED_BY_EXCEPTION)]


def _passed(figures: Sequence[ListedThreshold], *, is_excepted: bool) -> str:
    held = sum(figure["is_met"] for figure in figures)
    if held < len(figures):
        why = "an exception covers" if is_excepted else "it is only warned of"
        return f"{held:,} of {len(figures):,} thresholds hold; {why} what is missed."
    if not held:
        return "It passed."
    return "1 threshold holds." if held == 1 else f"{held:,} thresholds hold."

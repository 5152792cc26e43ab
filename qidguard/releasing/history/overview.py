"""Every data set on one line: its last verdict, what led there, what is published and what is excepted.

A verdict is as the ledger tells it, with how the release that came of it ended.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from qidguard.core.errors import ExitCode, InternalError
from qidguard.core.statistic import Number
from qidguard.core.verdict import Bound
from qidguard.ledger import read, read_any
from qidguard.ledger.listed import ListedThreshold
from qidguard.ledger.payloads import (
    Abandoned,
    Audited,
    Checked,
    ExceptionMade,
    Failed,
    Released,
    Revoked,
    Withdrawn,
)
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


LONGEST_TREND: Final = 30
"""How many verdicts of a data set are kept for its trend."""

KINDS: Final = frozenset(
    {
        "audited",
        "checked",
        "failed",
        "releasing",
        "released",
        "abandoned",
        "withdrawn",
        "exception",
        "revoked",
    }
)
"""The kinds of entries that are read; others are passed over."""


@dataclass(frozen=True, kw_only=True)
class LastRelease:
    """The newest release that is known to be complete and was not withdrawn.

    Args:
        release_id: Its name.
        audit_id: The audit that let it through.
        at: When it was confirmed, UTC.
        address: Where it is.
    """

    release_id: str
    audit_id: str
    at: datetime
    address: str


@dataclass(frozen=True, kw_only=True)
class DataSetOverview:
    """One data set as the ledger has it.

    Args:
        data_set: Its name.
        trend: The last verdicts, oldest first: at least one, at most ``LONGEST_TREND``.
        released: The newest complete release that was not withdrawn, or None.
        valid_exceptions: How many recorded exceptions are neither expired nor revoked.
        expired_exceptions: How many are expired, and not revoked.
        next_expiry: The last day of the exception that ends first, or None.
    """

    data_set: str
    trend: tuple[Judgment, ...]
    released: LastRelease | None
    valid_exceptions: int
    expired_exceptions: int
    next_expiry: date | None

    @property
    def last(self) -> Judgment:
        """The last verdict."""
        return self.trend[-1]

    @property
    def dag_ids(self) -> tuple[str, ...]:
        """The Airflow DAGs that started a run of the trend, the one that ran last first."""
        return tuple(dict.fromkeys(j.dag_id for j in reversed(self.trend) if j.dag_id is not None))


def overview(entries: Iterable["Entry"], *, today: date) -> tuple[DataSetOverview, ...]:
    """Return one line for each data set of which entries tell a verdict.

    Args:
        entries: Entries of the ledger in the order of their sequence.
        today: The day against which exceptions are held, UTC.

    Returns:
        The data sets by name. Whether an exception's signature is an approver's is for a release to decide;
        here it counts as recorded.

    Units:
        Moments and days in UTC; figures in their metric's unit.

    Raises:
        LedgerError: When an entry is not as one of its kind is.

    Example:
        >>> overview([], today=date(2026, 11, 21))
        ()
    """
    overviews = Overviews()
    for entry in entries:
        overviews.add(entry)
    return overviews.on(today)


@dataclass(kw_only=True)
class _DataSet:
    judgments: deque[Judgment] = field(default_factory=lambda: deque(maxlen=LONGEST_TREND))
    released: dict[str, LastRelease] = field(default_factory=dict)
    withdrawn: set[str] = field(default_factory=set)
    expiries: dict[str, date] = field(default_factory=dict)


class Overviews:
    """An overview that grows with the ledger: what was added is never needed again.

    Example:
        >>> Overviews().on(date(2026, 11, 21))
        ()
    """

    def __init__(self) -> None:
        self._by_name: dict[str, _DataSet] = {}

    def add(self, entry: "Entry") -> None:
        """Take in the next entry of the ledger.

        Args:
            entry: An entry of any kind, later than all before.

        Raises:
            LedgerError: When the entry is not as one of its kind is.
        """
        if entry.kind not in KINDS:
            return
        own = self._by_name.setdefault(entry.data_set, _DataSet())
        if entry.kind in {"audited", "checked", "failed"}:
            own.judgments.append(judgment_of(entry))
        elif entry.kind == "exception":
            own.expiries[entry.id] = read(entry, ExceptionMade).payload.expires
        elif entry.kind == "revoked":
            own.expiries.pop(read(entry, Revoked).payload.exception_id, None)
        else:
            own.judgments = deque((settled(j, entry) for j in own.judgments), maxlen=LONGEST_TREND)
            _publish(own, entry)

    def on(self, today: date) -> tuple[DataSetOverview, ...]:
        """Return what is known on a day.

        Args:
            today: The day against which exceptions are held, UTC.

        Returns:
            The data sets by name.

        Units:
            Days in UTC.

        Example:
            >>> Overviews().on(date(2026, 11, 21))
            ()
        """
        return tuple(_line(name, own, today) for name, own in sorted(self._by_name.items()) if own.judgments)


def _line(name: str, own: _DataSet, today: date) -> DataSetOverview:
    valid = [expires for expires in own.expiries.values() if today <= expires]
    return DataSetOverview(
        data_set=name,
        trend=tuple(own.judgments),
        released=next(reversed(own.released.values()), None),
        valid_exceptions=len(valid),
        expired_exceptions=len(own.expiries) - len(valid),
        next_expiry=min(valid, default=None),
    )


def _publish(own: _DataSet, entry: "Entry") -> None:
    """Note that a release is complete, or withdrawn: which then is the last one again is the one before."""
    payload = read_any(entry).payload
    if isinstance(payload, Withdrawn):
        own.withdrawn.add(payload.audit_id)
        own.released.pop(payload.audit_id, None)
    elif isinstance(payload, Released) and payload.audit_id not in own.withdrawn:
        own.released[payload.audit_id] = LastRelease(
            release_id=payload.release_id, audit_id=payload.audit_id, at=entry.at, address=payload.address
        )

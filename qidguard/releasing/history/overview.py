"""Every data set on one line: its last verdict, what led there, what is published and what is excepted."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from qidguard.ledger import read, read_any
from qidguard.ledger.payloads import ExceptionMade, Released, Revoked, Withdrawn
from qidguard.releasing.history.judgment import Judgment, judgment_of, settled

if TYPE_CHECKING:
    from qidguard.ledger import Entry

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

"""Every data set on one line: its last verdict, what led there, what is published and what is excepted."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final

from qidguard.releasing.judgement import Judgement, judgement_of, settled

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
    trend: tuple[Judgement, ...]
    released: LastRelease | None
    valid_exceptions: int
    expired_exceptions: int
    next_expiry: date | None

    @property
    def last(self) -> Judgement:
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
        KeyError: When an entry lacks what its kind always says.

    Example:
        >>> overview([], today=date(2026, 11, 21))
        ()
    """
    found = Overviews()
    for entry in entries:
        found.add(entry)
    return found.on(today)


@dataclass(kw_only=True)
class _DataSet:
    judgements: deque[Judgement] = field(default_factory=lambda: deque(maxlen=LONGEST_TREND))
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

        Units:
            None.

        Raises:
            KeyError: When the entry lacks what its kind always says.

        Example:
            >>> import inspect
            >>> list(inspect.signature(Overviews.add).parameters)
            ['self', 'entry']
        """
        if entry.kind not in KINDS:
            return
        own = self._by_name.setdefault(entry.data_set, _DataSet())
        said: Any = entry.payload
        if entry.kind in {"audited", "checked", "failed"}:
            own.judgements.append(judgement_of(entry))
        elif entry.kind == "exception":
            own.expiries[entry.id] = date.fromisoformat(said["expires"])
        elif entry.kind == "revoked":
            own.expiries.pop(str(said["exception_id"]), None)
        else:
            own.judgements = deque((settled(j, entry) for j in own.judgements), maxlen=LONGEST_TREND)
            _publish(own, entry)

    def on(self, today: date) -> tuple[DataSetOverview, ...]:
        """Return what is known on a day.

        Args:
            today: The day against which exceptions are held, UTC.

        Returns:
            The data sets by name.

        Units:
            Days in UTC.

        Raises:
            Nothing.

        Example:
            >>> Overviews().on(date(2026, 11, 21))
            ()
        """
        return tuple(_line(name, own, today) for name, own in sorted(self._by_name.items()) if own.judgements)


def _line(name: str, own: _DataSet, today: date) -> DataSetOverview:
    valid = [expires for expires in own.expiries.values() if today <= expires]
    return DataSetOverview(
        data_set=name,
        trend=tuple(own.judgements),
        released=next(reversed(own.released.values()), None),
        valid_exceptions=len(valid),
        expired_exceptions=len(own.expiries) - len(valid),
        next_expiry=min(valid, default=None),
    )


def _publish(own: _DataSet, entry: "Entry") -> None:
    """Note that a release is complete, or withdrawn: which then is the last one again is the one before."""
    audit_id = str(entry.payload["audit_id"])
    if entry.kind == "withdrawn":
        own.withdrawn.add(audit_id)
        own.released.pop(audit_id, None)
    elif entry.kind == "released" and audit_id not in own.withdrawn:
        own.released[audit_id] = _release(entry)


def _release(entry: "Entry") -> LastRelease:
    said: Any = entry.payload
    return LastRelease(
        release_id=str(said["release_id"]),
        audit_id=str(said["audit_id"]),
        at=entry.at,
        address=str(said["address"]),
    )

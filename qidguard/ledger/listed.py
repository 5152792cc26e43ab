"""What an audit's document lists, as entries of the ledger hold it."""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

Scalar = str | int | float | bool | None


class IntervalRead(TypedDict):
    """Where the truth of an estimate lies, in the figure's unit; confidence is a share."""

    low: int | float
    high: int | float
    confidence: int | float


class NoisedRead(TypedDict):
    """How a figure reads columns with noise, as an audit's document lists it."""

    over: list[str]
    as_published: list[str]
    left_out: list[str]


class NoisedTold(TypedDict):
    """A QID combination with noise, as an audit's document lists it."""

    combination: str
    qids: list[str]
    noised: list[str]
    sentence: str


class ListedThreshold(TypedDict):
    """A judged threshold as an audit's document lists it; the figure is in its unit."""

    metric: str
    title: str
    sensitive: str | None
    value: int | float | None
    unit: str
    bound: str
    limit: int | float
    is_met: bool
    is_warning: bool
    sentence: str
    combination: NotRequired[str]
    qids: NotRequired[list[str]]
    arguments: NotRequired[Mapping[str, Scalar]]
    reason: NotRequired[str]
    distance: NotRequired[int | float | None]
    is_fault: NotRequired[bool]
    subsets: NotRequired[int | None]
    noised: NotRequired[NoisedRead | None]
    interval: NotRequired[IntervalRead | None]
    remark: NotRequired[str]


class ToldQid(TypedDict):
    """Published columns that tell a generalized QID, as an audit's document lists them; counts of persons."""

    columns: list[str]
    qid: str
    kind: NotRequired[str]
    part: NotRequired[str]
    beside: NotRequired[str | None]
    persons: int
    generalized: int
    precision: int | float
    is_undone: bool
    accepted: str | None
    sentence: str


class FiguresReadBack(TypedDict):
    """The thresholds over what can be read back, as an audit's document lists them; counts of persons."""

    columns: list[str]
    qids: list[str]
    is_accepted: bool
    is_met: bool
    thresholds: list[ListedThreshold]
    uniques: int
    below: int | None
    sentence: str


class FewColumns(TypedDict):
    """A small set of columns on which many persons are alone."""

    columns: list[str]
    alone: int


class ToldByTheRest(TypedDict):
    """Whom columns outside the QIDs tell apart, as an audit's document lists it; counts of persons."""

    columns: list[str]
    has_sensitive: bool
    alone: int
    persons: int
    share: int | float
    smallest: list[FewColumns]
    sentence: str


class Identifying(TypedDict):
    """A column outside the QIDs that identifies people by itself, as an audit's document lists it."""

    column: str
    role: str
    reason: str
    alone: int | None
    persons: int | None
    accepted: str | None
    sentence: str


class ListedOutside(TypedDict):
    """What is published outside the QIDs, as an audit's document lists it."""

    told_apart: list[ToldByTheRest]
    identifying: list[Identifying]


class AcceptedColumns(TypedDict):
    """What the policy says that a person accepts, as an audit's document lists it."""

    columns: list[str]
    tells: str | None
    reason: str
    by: str | None
    is_needed: bool | None


class AdviceTold(TypedDict):
    """What would make a blocked table pass: the first thing to know, and all lines of it."""

    sentence: str
    lines: list[str]


class IsolatedCounts(TypedDict):
    """Persons whom releases isolate, by what became of them."""

    persons: int
    left: int
    came: int
    stayed: int


class ListedIsolation(TypedDict):
    """Persons whom a table isolates together with one earlier release alone."""

    release_id: str
    isolated: IsolatedCounts


class IsolatedTold(TypedDict):
    """Whom releases isolate over one QID combination, as an audit's document lists it; counts of persons."""

    combination: str
    qids: list[str]
    k: int
    most_recent: int | None
    releases: int
    followed: int
    isolated: IsolatedCounts
    already: IsolatedCounts
    at_any_level: IsolatedCounts
    by_release: list[ListedIsolation]
    together: IsolatedCounts


class NoiseTold(TypedDict):
    """One part of a guarantee of privacy; numbers as exact text."""

    columns: list[str]
    partition: str
    mechanism: str
    is_checked: bool
    scale: str
    reach: str
    bounds: list[str] | None
    epsilon: str
    delta: str
    rho: str


class PrivacyTold(TypedDict):
    """A guarantee of differential privacy as receipts hold it; numbers as exact text."""

    unit: str
    contributions: int
    partitions_compose: str
    epsilon: str
    delta: str
    rho: str
    parts: list[NoiseTold]
    not_covered: list[str]

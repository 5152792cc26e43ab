"""What an audit's document lists, as entries of the ledger hold it."""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

Scalar = str | int | float | bool | None


class Figure(TypedDict):
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


class ToldQid(TypedDict):
    """Published columns that tell a generalized QID, as an audit's document lists them; counts of persons."""

    columns: list[str]
    qid: str
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
    thresholds: list[Figure]
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


class OutsideQids(TypedDict):
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

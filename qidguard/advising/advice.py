"""What would make a blocked table pass, as plain values: column names, levels and counts, never a value."""

from dataclasses import dataclass
from typing import Final, Literal

from qidguard.core.isolated import IsolatedOverTime

DROPPED: Final = "drop"
"""What stands in the place of a level where a column is not published."""

MOST_LEFT_OUT: Final = 0.02
"""The largest share that a change leaves out where nobody says: of persons where there is an entity column,
else of records."""


@dataclass(frozen=True, kw_only=True)
class Exposed:
    """Persons in too small classes, when only some of the quasi-identifiers (QIDs) are known.

    A person is an entity where there is an entity column, else a record. It is below the limit where any of
    its records is in a class that is too small.

    Args:
        columns: The columns that are left away, of ``Advice.without``; else those that are known.
        below: Persons below the limit, ≥ 0.
        alone: Of these, persons who are the only one in a class.
        added: Of ``below``, persons who are not below by any combination listed before; of
            ``Advice.without`` all that stay.
    """

    columns: tuple[str, ...]
    below: int
    alone: int
    added: int


@dataclass(frozen=True, kw_only=True)
class Coarser:
    """One column as a change publishes it.

    Args:
        column: The QID.
        level: The level of its hierarchy, ≥ 1, as ``qidguard hierarchy show`` counts; ``drop`` where the
            column is not published.
        coarsest: The coarsest level of its hierarchy; 0 where it has none, so that it can only be dropped.
        ncp: Normalized certainty penalty of the level, 0..1: the mean over records of (values of its group −
            1) / (values − 1), of numbers and dates in intervals the group's width / the range; 1 if dropped.
    """

    column: str
    level: int | Literal["drop"]
    coarsest: int
    ncp: float


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of the table with which it passes the whole policy, as an audit confirmed.

    Args:
        columns: The QIDs that are published coarser or not at all; the others stay exact.
        left_out: Persons of whom records are left out, ≥ 0.
        records_left_out: Records that are left out, ≥ 0.
        suppress: The share that the policy has to grant for that, 0..1; 0 where nobody is left out.
        loss: Mean over QIDs of their NCP × share of records kept + share of records left out, 0..1.
        lines: The lines of policy that make it: ``remedy``, and ``hierarchies`` where the policy has none
            for a column.
    """

    columns: tuple[Coarser, ...]
    left_out: int
    records_left_out: int
    suppress: float
    loss: float
    lines: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ForSeries:
    """What anonymizers that keep a series do for a table that misses a threshold over time.

    Args:
        anonymizers: Those that are installed and say that they keep a series, at least one.
        is_tried: Whether the policy's own was run on the table, as a release would; else it names none.
        is_passed: Whether the policy holds on what it made.
        ncp: What that loses, 0..1; None where it was not measured.
        notes: What the anonymizer says of this release, such as who is shown with today's values and who
            waits; or why it cannot be done.
    """

    anonymizers: tuple[str, ...]
    is_tried: bool = False
    is_passed: bool = False
    ncp: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Advice:
    """What keeps a table from passing, and what would make it pass.

    Args:
        combination: The name of the QID combination that the figures are of.
        qids: Its columns.
        knows_any: How many of them the attacker knows, any; None means all.
        person: What a person is: ``entities`` or ``records``.
        persons: Persons of the table.
        limit: Persons that a class needs, k; 2 where the policy limits no class by itself, so that ``below``
            counts who is alone; 1 where it limits sensitive values only.
        diversity: Sensitive attribute → distinct values that a class needs, l, where the policy asks for it.
        below: Persons in classes that are too small, or hold too few sensitive values; None where nothing was
            counted, and ``hindrances`` say why.
        alone: Of these, persons who are the only one in a class.
        without: What stays when a QID is left away; and pairs of which one tells the other, which both look
            harmless alone.
        smallest: The smallest combinations of QIDs that put persons below the limit, those with few columns
            first; each adds persons whom none before it puts there.
        isolated: Whom releases isolate, over the combination over which they are most; None where no
            threshold over time is missed.
        for_series: What anonymizers for a series do for those whom releases isolate; None where nobody is
            isolated, or none is installed.
        changes: The cheapest changes that pass, by ``loss``; each was confirmed by an audit.
        hindrances: Why there are none, or no more, as sentences.
        most_left_out: The largest share that a change may leave out: of ``persons``.
        audited: Number of changes that were audited.
        is_exact: Whether every change was looked at, so that no cheaper one is left out; of the classes that
            the policy limits, not of its other thresholds.
        is_cut_short: Whether the time was up before the work was done.
        seconds: How long it took, s.
    """

    combination: str
    qids: tuple[str, ...]
    knows_any: int | None = None
    person: str
    persons: int
    limit: int
    diversity: tuple[tuple[str, int], ...] = ()
    below: int | None = None
    alone: int = 0
    without: tuple[Exposed, ...] = ()
    smallest: tuple[Exposed, ...] = ()
    isolated: IsolatedOverTime | None = None
    for_series: ForSeries | None = None
    changes: tuple[Change, ...] = ()
    hindrances: tuple[str, ...] = ()
    most_left_out: float = MOST_LEFT_OUT
    audited: int = 0
    is_exact: bool = False
    is_cut_short: bool = False
    seconds: float = 0.0

    @property
    def share_below(self) -> float:
        """Share of persons below the limit, 0..1; 0 where nothing was counted."""
        return (self.below or 0) / self.persons if self.persons else 0.0

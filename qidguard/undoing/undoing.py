"""What was found: columns that tell what a generalization was to hide, and what could not be measured."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Way = Literal["values", "order", "relation"]
"""How columns tell: records of the same values agree, neighbors in their order do, or by arithmetic."""

FEWEST_PERSONS = 28
"""Persons that have to be generalized before anything can be told from chance."""

UNDONE_TOLD = 0.9
"""The share of persons told from which a generalization counts as undone, whatever the values are."""

UNDONE_HALF, UNDONE_VALUES = 0.5, 0.75
"""The shares of persons and of values told that undo a generalization together."""

UNDONE_RELATION = 0.95
"""The share of persons for whom arithmetic must hold."""

NOTED_TOLD = 0.1
"""The share of persons told below which nothing is said."""

MOST_NOTES = 3
"""Columns or pairs that tell only some of a quasi-identifier and are said, beside all that undo it."""


@dataclass(frozen=True, kw_only=True)
class Undoing:
    """One published column, or two together, that tell the original value of a generalized QID.

    Args:
        columns: The published columns, one or two.
        qid: The quasi-identifier whose original value they tell.
        told: T, the share of what was generalized that is told and right, 0..1; each person counts once.
        values_told: R, the mean over the original values of the share told, 0..1.
        precision: The share of what is told that is right, 0..1.
        persons: Number of persons of whom a generalized value is told and right; records where nobody says
            who is whom.
        generalized: Number of persons of whom the value was generalized, and is not told by what is published
            in its place.
        way: How the columns tell.
        is_undone: Whether so much is told that the generalization is worth nothing; else it is a note.
        known: Shape (records of the published table,), whose generalized value is told and right.
    """

    columns: tuple[str, ...]
    qid: str
    told: float
    values_told: float
    precision: float
    persons: int
    generalized: int
    way: Way
    is_undone: bool
    known: "NDArray[np.bool_]" = field(repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class NotMeasured:
    """A quasi-identifier of which nobody can say whether its generalization is undone.

    Args:
        qid: The quasi-identifier.
        reason: Why, a sentence.
    """

    qid: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """Columns that were not tried together with others, since there are too many pairs.

    Args:
        qid: The quasi-identifier that they might tell.
        way: How they might tell it: by their values, or as a sum or a difference.
        tried: How many columns were tried in pairs.
        columns: The others, in the order of the table.
    """

    qid: str
    way: Literal["values", "relation"]
    tried: int
    columns: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Undoings:
    """What published columns tell of generalized quasi-identifiers; iterating gives what was found.

    Args:
        found: Columns that tell a value of a tenth or more of the persons, by QID, the strongest first.
        not_measured: Quasi-identifiers that were generalized and of which nothing could be found out.
        left_out: Columns of which pairs were not tried.
    """

    found: tuple[Undoing, ...] = ()
    not_measured: tuple[NotMeasured, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def __iter__(self) -> Iterator[Undoing]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    @property
    def undone(self) -> tuple[Undoing, ...]:
        """What makes a generalization worth nothing."""
        return tuple(undoing for undoing in self.found if undoing.is_undone)

    @property
    def notes(self) -> tuple[Undoing, ...]:
        """What tells of some persons only."""
        return tuple(undoing for undoing in self.found if not undoing.is_undone)


def is_undone(way: Way, told: float, values_told: float) -> bool:
    """Return whether what is told makes a generalization worth nothing."""
    if way == "relation":
        return told >= UNDONE_RELATION
    return told >= UNDONE_TOLD or (told >= UNDONE_HALF and values_told >= UNDONE_VALUES)

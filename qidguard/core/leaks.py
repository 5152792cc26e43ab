"""What was found: columns that undo a generalization, and what was not measured."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_PERSONS = 28
"""Persons that have to be generalized before anything can be told from chance."""

UNDONE_TOLD = 0.9
"""The share of persons told from which a generalization counts as undone, whatever the values are."""

UNDONE_HALF, UNDONE_VALUES = 0.5, 0.75
"""The shares of persons and of values told that undo a generalization together."""

NOTED_TOLD = 0.1
"""The share of persons told below which nothing is said, unless candidates are counted."""

MOST_NOTES = 3
"""Columns or pairs that tell only some of a quasi-identifier and are said, beside all that undo it."""


@dataclass(frozen=True, kw_only=True)
class Undoing:
    """One published column, or two together, that undo the generalization of a QID.

    Either whoever knows original values knows what is read in the columns (``joined``), or they tell them.

    Args:
        columns: The published columns, one or two.
        qid: The quasi-identifier.
        part: What is read in the columns, such as ``year``; empty for their values.
        beside: A further QID without which the reading is not known.
        is_finer: Whether the QID was not generalized here, and what is read determines it and is finer.
        told: T, the share of what was generalized that is told and right, 0..1; each person counts once. Of
            what is known the gain.
        values_told: R, the mean over the original values of the share told, 0..1.
        precision: The share of what is told that is right, 0..1.
        persons: Number of persons of whom a generalized value is told and right, or of whom what is read is
            known; records where nobody says who is whom.
        generalized: Number of persons of whom the value was generalized, and is not told by what is published
            in its place.
        is_undone: Whether the generalization is worth nothing; else it is a note.
        known: Shape (records of the published table,), whose generalized value is told and right, or of whom
            something is read that is known.
        joined: Shape (records,), a code of what is read, or would be where nothing is: it joins the QIDs.
            None where the columns tell the QID.
    """

    columns: tuple[str, ...]
    qid: str
    part: str = ""
    beside: str | None = None
    is_finer: bool = False
    told: float
    values_told: float
    precision: float
    persons: int
    generalized: int
    is_undone: bool
    known: "NDArray[np.bool_]" = field(repr=False, compare=False)
    joined: "NDArray[np.int64] | None" = field(default=None, repr=False, compare=False)

    @property
    def is_known(self) -> bool:
        """Whether what is read is known to whoever knows the QID, and so joins the QIDs."""
        return self.joined is not None

    def shows(self, qids: tuple[str, ...]) -> bool:
        """Return whether it concerns somebody who knows these QIDs."""
        return self.qid in qids and (self.beside is None or self.beside in qids)


@dataclass(frozen=True, kw_only=True)
class NotMeasured:
    """A quasi-identifier of which something could not be found out.

    Args:
        qid: The quasi-identifier.
        reason: Why, a sentence.
        columns: The published columns that it is about, where it is not about all.
    """

    qid: str
    reason: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Undoings:
    """What published columns tell of generalized quasi-identifiers; iterating gives what was found.

    Args:
        found: By QID, what undoes it first, the strongest first.
        not_measured: What could not be found out.
    """

    found: tuple[Undoing, ...] = ()
    not_measured: tuple[NotMeasured, ...] = ()

    def __iter__(self) -> Iterator[Undoing]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    @property
    def undone(self) -> tuple[Undoing, ...]:
        """What makes a generalization worth nothing."""
        return tuple(undoing for undoing in self.found if undoing.is_undone)


def is_undone(told: float, values_told: float) -> bool:
    """Return whether what is told makes a generalization worth nothing."""
    return told >= UNDONE_TOLD or (told >= UNDONE_HALF and values_told >= UNDONE_VALUES)

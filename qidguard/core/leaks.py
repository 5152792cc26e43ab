"""May a published column undo the release? What a check of that is given, and what it gives back."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from qidguard.core.annotation import field_misfits
from qidguard.core.progress import SILENT, Progress
from qidguard.core.versions import Changes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Codes = NDArray[np.integer]

MOST_NOTES = 3
"""Columns or pairs that tell only some of a quasi-identifier and are said, beside all that undo it."""


@dataclass(frozen=True, kw_only=True)
class LeakTask:
    """What would be published, and what it must not give away.

    Args:
        changes: The original beside the published table; its suppression mark and NULL count as generalized,
            and its seed draws samples.
        qids: The quasi-identifiers.
        published: The columns that are published, quasi-identifiers among them.
        persons: Shape (records of the published table,), a code of the person of each record, who counts once
            however many records there are; None where nobody says, and equal rows count once.
        most_notes: How many columns or pairs that tell only some are wanted for each QID; None is all of
            them, however few they tell.
        is_known_asked: Whether what is known to whoever knows an original value is looked for, too.
        progress: Hears how far the check is.
    """

    changes: Changes = field(repr=False)
    qids: tuple[str, ...]
    published: tuple[str, ...]
    persons: "Codes | None" = field(default=None, repr=False)
    most_notes: int | None = MOST_NOTES
    is_known_asked: bool = True
    progress: Progress = field(default=SILENT, repr=False)


@dataclass(frozen=True, kw_only=True)
class Leak:
    """One published column, or two together, that undo the generalization of a QID.

    Either whoever knows original values knows what is read in the columns (``joined``), or they tell them.

    Args:
        columns: The published columns, one or two, or ``ORDER_OF_RECORDS``.
        qid: The quasi-identifier.
        part: What is read in the columns, such as ``year``; empty for their values.
        beside: A further QID without which the reading is not known.
        is_finer: Whether the QID was not generalized here, and what is read determines it and is finer.
        told: T, the share of what was generalized that is told and right, 0..1; each person counts once. Of
            what is known the gain.
        precision: The share of what is told that is right, 0..1.
        persons: Number of persons of whom a generalized value is told and right, or of whom what is read is
            known; records where nobody says who is whom.
        generalized: Number of persons of whom the value was generalized, and is not told by what is published
            in its place.
        is_undone: Whether the generalization is worth nothing; else it is a note.
        known: Shape (records of the published table,), whose generalized value is told and right, or of whom
            something is read that is known.
        joined: Shape (records of the published table,), a code of what is read, 0 or more, or would be where
            nothing is: it joins the QIDs. None where the columns tell the QID.
    """

    columns: tuple[str, ...]
    qid: str
    part: str = ""
    beside: str | None = None
    is_finer: bool = False
    told: float
    precision: float
    persons: int
    generalized: int
    is_undone: bool
    known: "Flags" = field(repr=False, compare=False)
    joined: "Codes | None" = field(default=None, repr=False, compare=False)

    @property
    def is_known(self) -> bool:
        """Whether what is read is known to whoever knows the QID, and so joins the QIDs."""
        return self.joined is not None


@dataclass(frozen=True, kw_only=True)
class Unexamined:
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
class Leaks:
    """What a check found; iterating gives the leaks.

    Args:
        found: By QID, what undoes it first, the strongest first.
        unexamined: What could not be found out.
    """

    found: tuple[Leak, ...] = ()
    unexamined: tuple[Unexamined, ...] = ()

    def __post_init__(self) -> None:
        for name, words in field_misfits(self).items():
            raise TypeError(f"leaks: {name} must be {words}")

    def __iter__(self) -> Iterator[Leak]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


class LeakCheck(Protocol):
    """Searches what would be published for columns that undo the work on its quasi-identifiers.

    The check ``undoing`` cannot be left out: without it a table that would need it is blocked. What further
    checks find counts beside that.
    """

    @property
    def name(self) -> str:
        """A plain identifier."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    def find(self, task: LeakTask) -> Leaks:
        """Return what undoes the release, and what could not be found out."""

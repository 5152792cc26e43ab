"""Values that differ only for a machine: how they are written, and what a policy takes as one value."""

from dataclasses import dataclass
from enum import StrEnum


class Spelling(StrEnum):
    """A way in which two texts differ although a reader takes them as one value.

    ``unicode``: composed and decomposed letters (NFC, NFD), and characters without a width. ``blanks``: white
    space at the edges, and how much and which (tab, NBSP) inside. ``case``: upper and lower case.
    ``numbers``: 1, 1.0, 01, +1 and 1e0. ``missing``: NULL, the empty text and words such as NA, ? and null.
    """

    UNICODE = "unicode"
    BLANKS = "blanks"
    CASE = "case"
    NUMBERS = "numbers"
    MISSING = "missing"


@dataclass(frozen=True, kw_only=True)
class Normalized:
    """What a policy declares of one column: texts that differ only so are one value.

    Args:
        column: The column's name.
        spellings: The ways, none twice.
    """

    column: str
    spellings: tuple[Spelling, ...]


@dataclass(frozen=True, kw_only=True)
class Variants:
    """How many distinct values of a column differ from another one only as they are written; never which.

    Args:
        column: The column's name.
        values: By how many values the column has fewer when all ways are taken together, ≥ 1.
        by_spelling: The same for each way alone, ≥ 1; a way that makes no difference is left out.
    """

    column: str
    values: int
    by_spelling: tuple[tuple[Spelling, int], ...]

    @property
    def words(self) -> str:
        """What is said of them, without a full stop.

        Example:
            >>> Variants(column="id", values=2, by_spelling=((Spelling.CASE, 2),)).words
            "Column 'id' holds 2 values that differ from another only in writing (case 2)"
        """
        counts = ", ".join(f"{spelling} {n:,}" for spelling, n in self.by_spelling)
        ways = counts or "several ways at once"
        values = "1 value that differs" if self.values == 1 else f"{self.values:,} values that differ"
        return f"Column {self.column!r} holds {values} from another only in writing ({ways})"

    @property
    def of_persons(self) -> str:
        """The same of a column of persons, and what to do."""
        return (
            f"{self.words}, so one person may count as several; write each person in one way, or give"
            " different persons keys that differ in more than writing."
        )

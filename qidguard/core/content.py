"""What is told of the content of a column: shares of its values and coarse shapes, never a value."""

from dataclasses import dataclass

MISSING_WORDS = ("?", "na", "n/a", "#n/a", "null", "nan", "-", "--", ".", "")
"""Texts, in lower case, that often stand for a missing value."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """What share of a column's values passes a test of content.

    Args:
        kind: What such values are, in the plural, in words of a privacy officer: ``IBANs``.
        share: The share of the distinct values that were looked at, 0..1.
        test: The test's name; empty for one of an engine.
        share_of_records: The share of the records with one of the values that were looked at, 0..1.
        looked_at: Number of distinct values that were looked at, ≥ 0.
        chance: The share of random values of the same shape and length that pass, 0..1.
    """

    kind: str
    share: float
    test: str = ""
    share_of_records: float = 0.0
    looked_at: int = 0
    chance: float = 0.0

    @property
    def lift(self) -> float:
        """How many times more values pass than random ones would; infinite where none would by chance."""
        return self.share / self.chance if self.chance else float("inf") if self.share else 0.0


@dataclass(frozen=True, kw_only=True)
class Related:
    """How one column goes with the others of its table; names of columns only.

    Args:
        twins: The columns whose values stand one to one for its own, as a code and its words do.
        keeps: For a column that repeats, such as a key of persons: the columns that have one value in all the
            records of each of its values (of 95 % of them), although records differ in them otherwise.
    """

    twins: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ColumnShape:
    """The shape of a column's values, too coarse to tell one of them.

    Args:
        looked_at: Number of distinct values that it was taken from, ≥ 1.
        shortest: Number of characters of the shortest value, rounded down to 0, 1, 2, 4, 8, 16 …
        typical: The median number of characters of distinct values, rounded down in the same way.
        longest: Number of characters of the longest value, rounded down in the same way.
        is_same_length: Whether at least 95 % of the distinct values have the same number of characters.
        digits: The share of all characters that are digits, 0..1 in steps of 0.05.
        letters: The share of all characters that are letters, 0..1 in steps of 0.05.
        blanks: The share of all characters that are white space, 0..1 in steps of 0.05.
        words: Mean number of words of a distinct value, in steps of 0.5.
        is_whole: Whether every value is a whole number.
        low: For numbers, a bound below which at most 5 % of the distinct values lie: 0 or ±1, ±2 or ±5
            times a power of ten, so it is a mark on a scale and no value of the table. None where fewer than
            20 distinct numbers were looked at.
        high: The same above which at most 5 % lie.
    """

    looked_at: int
    shortest: int
    typical: int
    longest: int
    is_same_length: bool
    digits: float
    letters: float
    blanks: float
    words: float
    is_whole: bool = False
    low: float | None = None
    high: float | None = None

"""One thing that speaks for a kind, with how sure it is, and what several rules ask of a column."""

from dataclasses import dataclass

from qidguard.sdk import ColumnFacts, ColumnKind, DecidedBy, Look, ValueType

SURE, LIKELY, FAIR, WEAK = 0.92, 0.8, 0.6, 0.4
"""Confidence of what values show plainly, by and large, more or less, and of what is a question."""
NAMED = 0.75
"""Confidence of what a word of the name says, where the values allow it."""
MOST, HALF, FEW = 0.95, 0.5, 0.05
"""Shares of the values."""
MOST_GRADES, MOST_BANDS, MOST_CODES, MOST_YEARS = 20, 50, 100, 150
"""The most distinct values of grades, of bands, of codes and of years."""
FEWEST_KEYS = {ValueType.TEXT: 20, ValueType.INTEGER: 100}
"""Fewer distinct values than this may all differ by chance."""
REPEATED = 0.2
"""Up to this share of distinct values among the records, values repeat."""
SMALL, LARGE = 200.0, 1000.0
"""Marks below which numbers are counted rather than measured, and from which on they are amounts."""


@dataclass(frozen=True, kw_only=True)
class FoundKind:
    """A kind that a column may have.

    Args:
        kind: The kind.
        confidence: How sure it is, 0..1.
        sentence: Why.
        by: What it rests on.
        test: The test of content that it rests on, where it does.
    """

    kind: ColumnKind
    confidence: float
    sentence: str
    by: DecidedBy = DecidedBy.CONTENT
    test: str | None = None


def is_flag(column: ColumnFacts) -> bool:
    """Whether a column holds 0 and 1 and nothing else."""
    zero, one = column.look("kind_zero"), column.look("kind_one")
    return column.distinct == 2 and zero is not None and one is not None  # noqa: PLR2004 - yes and no


def is_year(column: ColumnFacts) -> bool:
    """Whether a column holds years."""
    look = column.look("kind_year")
    return look is not None and look.share >= MOST and 2 <= column.distinct <= MOST_YEARS  # noqa: PLR2004 - one is none


def is_whole(column: ColumnFacts) -> bool:
    """Whether a column holds whole numbers, fractions of .0 too."""
    if column.value_type is ValueType.INTEGER:
        return True
    return column.value_type is ValueType.NUMBER and column.shape is not None and column.shape.is_whole


def share_of(look: Look) -> str:
    """Return what share of the values passes a test, in words."""
    return f"{look.share:.0%}".replace("%", " %") + f" of its values are {look.kind}"


def said(look: Look, kind: ColumnKind, confidence: float) -> FoundKind:
    """Return what a test found."""
    # that they have the form of codes says nothing of what they are codes of
    is_code = kind is ColumnKind.CODE
    sentence = (
        f"{look.share:.0%} of its values have the form of codes".replace("%", " %")
        if is_code
        else share_of(look)
    )
    return FoundKind(kind=kind, confidence=round(confidence, 2), sentence=sentence, test=look.test)


def is_unique(column: ColumnFacts) -> bool:
    """Whether so many values all differ that it is no chance."""
    fewest = FEWEST_KEYS.get(column.value_type, FEWEST_KEYS[ValueType.INTEGER])
    return column.distinct >= fewest and column.distinct == column.records - column.missing

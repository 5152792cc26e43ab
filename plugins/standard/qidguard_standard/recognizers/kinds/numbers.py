"""What whole numbers are: counts, amounts, codes or keys."""

from collections.abc import Iterator

from qidguard.sdk import ColumnFacts, ColumnKind
from qidguard_standard.recognizers.kinds.found import (
    FAIR,
    FEW,
    HALF,
    LARGE,
    LIKELY,
    MOST_GRADES,
    NAMED,
    REPEATED,
    SMALL,
    SURE,
    WEAK,
    FoundKind,
    is_flag,
    is_unique,
    share_of,
)


def of_whole_numbers(column: ColumnFacts) -> Iterator[FoundKind]:
    """Yield what speaks for a kind of whole numbers."""
    shape, zero = column.shape, column.look("kind_leading_zero")
    if zero is not None and zero.share >= FEW and shape is not None:
        kind = ColumnKind.KEY if is_unique(column) else ColumnKind.CODE
        confidence = 0.85 if shape.is_same_length else WEAK
        yield FoundKind(kind=kind, confidence=confidence, sentence="some of its numbers begin with a zero")
        return
    if is_flag(column):
        yield FoundKind(
            kind=ColumnKind.NOMINAL, confidence=LIKELY, sentence="its values are 0 and 1, a no and a yes"
        )
        return
    if is_unique(column):
        # amounts in cents may all differ, too
        confidence = SURE if column.is_consecutive else WEAK + FEW
        sentence = "no two of its numbers are the same" + (
            ", and none is left out" if column.is_consecutive else ""
        )
        yield FoundKind(kind=ColumnKind.KEY, confidence=confidence, sentence=sentence)
    negative, rounded = column.look("kind_negative"), column.look("kind_round")
    if negative is not None and column.distinct > MOST_GRADES:
        yield FoundKind(
            kind=ColumnKind.AMOUNT, confidence=FAIR, sentence="some of its numbers are below zero"
        )
        return
    high = None if shape is None else shape.high
    if high is not None:
        if rounded is not None and rounded.share >= HALF:
            yield FoundKind(
                kind=ColumnKind.AMOUNT, confidence=NAMED, sentence=share_of(rounded), test="kind_round"
            )
        elif high >= LARGE:
            is_alike = shape is not None and shape.is_same_length and column.variety > HALF
            sentence = f"its numbers go up to {high:,.0f} or more"
            confidence = FAIR
            if is_alike or is_unique(column):
                confidence = WEAK if is_alike else HALF - 0.02
            yield FoundKind(kind=ColumnKind.AMOUNT, confidence=confidence, sentence=sentence)
        elif high > SMALL:
            yield FoundKind(
                kind=ColumnKind.AMOUNT, confidence=HALF, sentence=f"its numbers go up to {high:,.0f}"
            )
        else:
            sentence = f"its values are {column.distinct:,} small whole numbers"
            yield FoundKind(kind=ColumnKind.COUNT, confidence=FAIR, sentence=sentence)
        return
    yield from _of_few_numbers(column)


def _of_few_numbers(column: ColumnFacts) -> Iterator[FoundKind]:
    """Yield what fewer than 20 distinct whole numbers are: counts from 0 or 1 on, else codes."""
    low, one, zero = column.look("kind_to_four"), column.look("kind_one"), column.look("kind_zero")
    small = 0 if low is None else round(low.share * max(1, low.looked_at))
    number = f"{column.distinct:,} whole number" + ("s" if column.distinct > 1 else "")
    no_answer = column.look("kind_no_answer")
    if no_answer is not None and column.distinct > 2 and not column.is_consecutive:  # noqa: PLR2004 - no flag
        sentence = "its values have a gap before numbers that questionnaires keep for no answer"
        yield FoundKind(kind=ColumnKind.CODE, confidence=FAIR, sentence=sentence, test="kind_no_answer")
    if column.distinct <= 2:  # noqa: PLR2004 - such as 1 and 2
        yield FoundKind(kind=ColumnKind.CODE, confidence=FAIR, sentence=f"its values are {number}")
    elif zero is not None and (column.is_consecutive or small >= 4):  # noqa: PLR2004 - dense where it begins
        # 0, 1 and 2 may be grades or codes as well
        confidence = FAIR if column.distinct >= 5 else WEAK  # noqa: PLR2004 - more than codes of few things
        yield FoundKind(
            kind=ColumnKind.COUNT, confidence=confidence, sentence=f"its values are {number} from 0 on"
        )
    elif one is not None and column.is_consecutive:
        yield FoundKind(
            kind=ColumnKind.COUNT,
            confidence=WEAK,
            sentence=f"its values are {number} from 1 on, without a gap",
        )
    elif one is not None and small >= 4:  # noqa: PLR2004 - dense where it begins
        yield FoundKind(kind=ColumnKind.COUNT, confidence=WEAK, sentence=f"its values are {number} from 1 on")
    elif column.variety <= REPEATED and not column.is_consecutive:
        sentence = f"its values are {number} with gaps between them, each in many records"
        yield FoundKind(kind=ColumnKind.CODE, confidence=FAIR, sentence=sentence)
    else:
        yield FoundKind(kind=ColumnKind.COUNT, confidence=WEAK, sentence=f"its values are {number}")

"""What texts are: free text, keys, codes or names."""

from collections.abc import Iterator

from qidguard.sdk import ColumnFacts, ColumnKind
from qidguard_standard.recognizers.kinds.found import (
    FAIR,
    FEW,
    HALF,
    LIKELY,
    MOST,
    MOST_CODES,
    NAMED,
    REPEATED,
    SURE,
    WEAK,
    FoundKind,
    is_unique,
)


def of_texts(column: ColumnFacts) -> Iterator[FoundKind]:
    """Yield what speaks for a kind of texts."""
    shape = column.shape
    if shape is None:
        return
    zero = column.look("kind_leading_zero")
    is_number = shape.digits >= MOST
    if zero is not None and zero.share >= FEW and is_number:
        kind = ColumnKind.KEY if is_unique(column) else ColumnKind.CODE
        confidence = LIKELY if shape.is_same_length else WEAK
        yield FoundKind(kind=kind, confidence=confidence, sentence="some of its numbers begin with a zero")
    is_varied = column.variety >= 0.3 and column.distinct >= 10  # noqa: PLR2004 - measured on notes
    if shape.words >= 4 and shape.typical >= 16 and is_varied:  # noqa: PLR2004 - measured on notes
        confidence = SURE if shape.words >= 6 else LIKELY  # noqa: PLR2004 - a sentence
        yield FoundKind(
            kind=ColumnKind.TEXT, confidence=confidence, sentence="its values are long texts that differ"
        )
    elif is_unique(column):
        confidence = NAMED if shape.digits >= REPEATED and shape.words < 2 else WEAK  # noqa: PLR2004 - one word
        yield FoundKind(
            kind=ColumnKind.KEY, confidence=confidence, sentence="no two of its texts are the same"
        )
    elif shape.digits >= REPEATED and shape.words < 2 and shape.longest <= 16:  # noqa: PLR2004 - one short word
        sentence = "its values are short and have figures in them"
        yield FoundKind(
            kind=ColumnKind.CODE, confidence=FAIR if column.variety <= HALF else WEAK, sentence=sentence
        )
    else:
        is_few = column.distinct <= MOST_CODES or column.variety <= FEW
        sentence = f"its values are {column.distinct:,} words or phrases" + (" that repeat" if is_few else "")
        if column.distinct == 1:
            sentence = "it has one value only"
        yield FoundKind(kind=ColumnKind.NOMINAL, confidence=FAIR if is_few else WEAK, sentence=sentence)

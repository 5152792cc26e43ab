"""What speaks for a kind of a column, and how surely: its numbers, its texts and the words of its name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qidguard.sdk import ColumnFacts, ColumnKind, DecidedBy, Look, ValueType
from qidguard_standard.recognizers.kinds.tests import lists_of
from qidguard_standard.recognizers.lexicon.tokens import split_name

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


def _with_zeros(column: ColumnFacts, confidence: float) -> FoundKind:
    kind = ColumnKind.KEY if is_unique(column) else ColumnKind.CODE
    return FoundKind(kind=kind, confidence=confidence, sentence="some of its numbers begin with a zero")


def of_whole_numbers(column: ColumnFacts) -> Iterator[FoundKind]:
    """Yield what speaks for a kind of whole numbers."""
    shape, zero = column.shape, column.look("kind_leading_zero")
    if zero is not None and zero.share >= FEW and shape is not None:
        yield _with_zeros(column, 0.85 if shape.is_same_length else WEAK)
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


def of_texts(column: ColumnFacts) -> Iterator[FoundKind]:
    """Yield what speaks for a kind of texts."""
    shape = column.shape
    if shape is None:
        return
    zero = column.look("kind_leading_zero")
    is_number = shape.digits >= MOST
    if zero is not None and zero.share >= FEW and is_number:
        yield _with_zeros(column, LIKELY if shape.is_same_length else WEAK)
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


def by_name(column: ColumnFacts) -> Iterator[FoundKind]:
    """Yield what the last word of a name says that is a word of kinds, where the values allow it."""
    tokens = split_name(column.name)
    names = lists_of("names")
    is_number = column.value_type is not ValueType.TEXT
    repeats = column.variety <= REPEATED
    for kind, allowed in (
        (ColumnKind.CODE, repeats and (is_whole(column) or _is_short(column)) and not is_flag(column)),
        (ColumnKind.COUNT, is_whole(column) and column.distinct > 2 and not is_unique(column)),  # noqa: PLR2004 - no flag
        (ColumnKind.AMOUNT, is_number and column.distinct >= MOST_GRADES),
        (ColumnKind.PERIOD, is_whole(column) and 2 < column.distinct <= MOST_YEARS and column.is_consecutive),  # noqa: PLR2004 - no flag
        (ColumnKind.ORDINAL, _is_letter(column) and column.distinct > 2),  # noqa: PLR2004 - no flag
        (ColumnKind.ORDINAL, is_whole(column) and 2 < column.distinct <= MOST_GRADES),  # noqa: PLR2004 - no flag
    ):
        word = _word(tokens, names[kind.value], is_first=kind is ColumnKind.COUNT)
        if allowed and word:
            yield _named(kind, NAMED, f"its name has {word!r}")
    measure = next((token for token in tokens if token in names["measure"]), "")
    if measure and is_number and column.distinct > MOST_GRADES:
        yield _named(ColumnKind.AMOUNT, 0.88, f"its name has {measure!r}")
    unit = next((token for token in tokens if token in names["unit"]), "")
    if unit and is_whole(column) and column.distinct > 2 and not is_year(column):  # noqa: PLR2004 - no flag
        yield _named(ColumnKind.COUNT, 0.88, f"its name has {unit!r}")
    if len(tokens) > 1 and tokens[0] in names["number"] and is_whole(column) and not is_unique(column):
        yield _named(ColumnKind.COUNT, 0.9, f"its name begins with {tokens[0]!r}")
    if tokens and tokens[-1] in names["coded"] and repeats and column.distinct > 1 and not is_flag(column):
        yield _named(ColumnKind.CODE, 0.9, f"its name ends with {tokens[-1]!r}")
    if "id" in tokens and column.variety > HALF and column.distinct >= FEWEST_KEYS[ValueType.TEXT]:
        yield _named(ColumnKind.KEY, NAMED, "its name has 'id'")


def _named(kind: ColumnKind, confidence: float, sentence: str) -> FoundKind:
    return FoundKind(kind=kind, confidence=confidence, sentence=sentence, by=DecidedBy.LEXICON)


def _word(tokens: Sequence[str], words: frozenset[str], *, is_first: bool) -> str:
    """Return the word that stands where the noun does: at the end, of ``num_visits`` at the beginning."""
    places = (tokens[-1:], tokens[:1] if is_first else ())
    return next((token for place in places for token in place if token in words), "")


def _is_letter(column: ColumnFacts) -> bool:
    """Whether the values are letters such as marks at school, some with a plus or a minus."""
    shape = column.shape
    if shape is None or column.value_type is not ValueType.TEXT:
        return False
    return shape.longest <= 2 and shape.letters >= HALF and column.distinct <= MOST_GRADES  # noqa: PLR2004 - A or A+


def _is_short(column: ColumnFacts) -> bool:
    shape = column.shape
    return shape is not None and shape.longest <= 8 and shape.words < 2  # noqa: PLR2004 - one short word

"""What a word in a name says of the values, where they allow it."""

from collections.abc import Iterator, Sequence

from qidguard.sdk import ColumnFacts, ColumnKind, DecidedBy, ValueType
from qidguard_standard.recognizers.kinds.found import (
    FEWEST_KEYS,
    HALF,
    MOST_GRADES,
    MOST_YEARS,
    NAMED,
    REPEATED,
    FoundKind,
    is_flag,
    is_unique,
    is_whole,
    is_year,
)
from qidguard_standard.recognizers.kinds.tests import lists_of
from qidguard_standard.recognizers.lexicon.tokens import split_name


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
            yield FoundKind(
                kind=kind, confidence=NAMED, sentence=f"its name has {word!r}", by=DecidedBy.LEXICON
            )
    measure = next((token for token in tokens if token in names["measure"]), "")
    if measure and is_number and column.distinct > MOST_GRADES:
        sentence = f"its name has {measure!r}"
        yield FoundKind(kind=ColumnKind.AMOUNT, confidence=0.88, sentence=sentence, by=DecidedBy.LEXICON)
    unit = next((token for token in tokens if token in names["unit"]), "")
    if unit and is_whole(column) and column.distinct > 2 and not is_year(column):  # noqa: PLR2004 - no flag
        yield FoundKind(
            kind=ColumnKind.COUNT, confidence=0.88, sentence=f"its name has {unit!r}", by=DecidedBy.LEXICON
        )
    if len(tokens) > 1 and tokens[0] in names["number"] and is_whole(column) and not is_unique(column):
        sentence = f"its name begins with {tokens[0]!r}"
        yield FoundKind(kind=ColumnKind.COUNT, confidence=0.9, sentence=sentence, by=DecidedBy.LEXICON)
    if tokens and tokens[-1] in names["coded"] and repeats and column.distinct > 1 and not is_flag(column):
        sentence = f"its name ends with {tokens[-1]!r}"
        yield FoundKind(kind=ColumnKind.CODE, confidence=0.9, sentence=sentence, by=DecidedBy.LEXICON)
    if "id" in tokens and column.variety > HALF and column.distinct >= FEWEST_KEYS[ValueType.TEXT]:
        yield FoundKind(
            kind=ColumnKind.KEY, confidence=NAMED, sentence="its name has 'id'", by=DecidedBy.LEXICON
        )


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

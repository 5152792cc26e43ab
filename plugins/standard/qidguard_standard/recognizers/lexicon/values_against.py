"""What the values of a column make of what its name says: of its meaning, and of the kind of its values."""

from dataclasses import replace

from qidguard.sdk import ColumnFacts, ColumnKind, Role, ValueType
from qidguard_standard.recognizers.lexicon.context import FoundMeaning
from qidguard_standard.recognizers.lexicon.reading import ASKED
from qidguard_standard.recognizers.lexicon.vocabulary import Vocabulary

FEW_RECORDS = 20
"""With fewer records, the number of distinct values says nothing."""
DOUBTED = 0.2
"""What is taken off where few distinct values speak against a direct identifier."""
SHORTEST_NAME, MOSTLY_LETTERS, SHORTEST_KEY = 2, 0.7, 8
"""Two values may be names of so many characters, mostly letters, or keys of so many; else a yes and a no."""
SAMPLING_WEIGHT, BODY_MEASURE, LIGHTEST = "sampling_weight", "body_measure", 2
"""Concepts of weights, and what no body weighs less than."""
EVENT_DATE = "event_date"
"""The concept of days on which something happened to a person."""
DATES = frozenset({ValueType.DATE, ValueType.TIMESTAMP})
"""Types whose values are no measurement."""


def as_flag(found: FoundMeaning, column: ColumnFacts, vocabulary: Vocabulary) -> FoundMeaning:
    """Return what an ambiguous word means in a column of two values."""
    concept = vocabulary.concepts.get(found.concept.flag)
    is_flag = 1 <= column.distinct <= 2 and column.records - column.missing >= FEW_RECORDS  # noqa: PLR2004 - a yes and a no
    if concept is None or found.is_sure or not is_flag:
        return found
    why = f"{found.why}, with two values ({concept.title})"
    return replace(found, concept=concept, kind=ColumnKind.NOMINAL, why=why)


def as_weight(found: FoundMeaning, column: ColumnFacts, vocabulary: Vocabulary) -> FoundMeaning:
    """Return a weight that begins below 2 as the sampling weight that it is: nobody weighs so little."""
    concept, shape = vocabulary.concepts.get(SAMPLING_WEIGHT), column.shape
    is_light = shape is not None and shape.low is not None and shape.low < LIGHTEST and not shape.is_whole
    if concept is None or found.concept.name != BODY_MEASURE or not is_light:
        return found
    return replace(found, concept=concept, kind=concept.kind, why=f"{found.why}, yet goes below {LIGHTEST}")


def as_date(found: FoundMeaning, column: ColumnFacts, vocabulary: Vocabulary) -> FoundMeaning:
    """Return what a sensitive word means in a column of dates: the day of a diagnosis is none."""
    concept = vocabulary.concepts.get(EVENT_DATE)
    if concept is None or column.value_type not in DATES or found.concept.roles != (Role.SENSITIVE,):
        return found
    why = f"its values are dates, and {found.why}"
    return replace(found, concept=concept, kind=ColumnKind.DATE, why=why)


def against_values(found: FoundMeaning, column: ColumnFacts) -> FoundMeaning | None:
    """Return what the facts leave of a meaning; None where they rule it out."""
    present = column.records - column.missing
    if present < FEW_RECORDS:
        return found
    if Role.DIRECT_IDENTIFIER in found.concept.roles:
        if _is_yes_or_no(found, column):
            # such as a flag "telephone: yes/no"; a person decides, since no proposal never means safe
            return None
        few = f"only {column.distinct:,} distinct value{'s' * (column.distinct != 1)}"
        if column.distinct <= 2:  # noqa: PLR2004 - two names may be those of the only two persons
            return _doubted(found, few)
        if column.distinct < found.concept.least_share * present:
            return _doubted(found, few) if found.is_sure else None
        if column.distinct * 10 < present:
            confidence = max(found.confidence - DOUBTED, min(found.confidence, ASKED))
            return replace(found, why=f"{found.why}; yet it has {few}", confidence=confidence)
    misfit = _misfit(found, column)
    return _doubted(found, misfit) if misfit else found


def _is_yes_or_no(found: FoundMeaning, column: ColumnFacts) -> bool:
    """Whether two values say yes and no, or are too short to be what the name says."""
    if column.distinct > 2 or column.value_type is ValueType.EMPTY:  # noqa: PLR2004 - a yes and a no
        return False
    shape = column.shape
    if column.value_type is not ValueType.TEXT or shape is None or column.look("word_yes_no") is not None:
        return True
    if found.concept.kind is ColumnKind.TEXT:
        return shape.longest < SHORTEST_NAME or shape.letters < MOSTLY_LETTERS
    return shape.typical < SHORTEST_KEY


def _misfit(found: FoundMeaning, column: ColumnFacts) -> str:
    """Return what about the values does not fit, as one phrase; nothing where all does."""
    concept = found.concept
    if column.distinct <= 1 and (column.value_type in DATES or found.is_weak):
        return "one value only"
    if concept.types and column.value_type not in {*concept.types, ValueType.EMPTY}:
        return f"values of type {column.value_type.value}"
    # ages in years and months have more values than there are years
    is_exact = concept.kind is ColumnKind.COUNT and column.value_type is ValueType.NUMBER
    if concept.most_values and column.distinct > concept.most_values and not is_exact:
        return f"{column.distinct:,} distinct values"
    if not found.is_sure and column.distinct < concept.fewest_values:
        return f"only {column.distinct:,} distinct values, which may be a status"
    return ""


def _doubted(found: FoundMeaning, what: str) -> FoundMeaning:
    return replace(found, confidence=min(found.confidence, ASKED), why=f"{found.why}; yet it has {what}")


KIND_SAID, KIND_DOUBTED = 0.85, 0.45
"""Confidence of a kind that a sure name says, and that an unsure one does."""
FEW_CODES, MOST_FEW, SHORT, MOST_COUNTED = 60, 20, 4, 100.0
"""Codes of places are not more than this; so few numbers are hardly an amount; characters of a code."""
_NUMBERS = {ValueType.INTEGER, ValueType.NUMBER}
_OF_NUMBERS = {ColumnKind.COUNT, ColumnKind.AMOUNT}
_OF_NAMES = {ColumnKind.NOMINAL, ColumnKind.CODE, ColumnKind.ORDINAL}


def kind_in_values(kind: ColumnKind, column: ColumnFacts) -> ColumnKind | None:
    """Return the kind that a concept's values are in this column; None where they are something else.

    Example:
        >>> sex = ColumnFacts(name="sex", value_type=ValueType.INTEGER, records=90, distinct=3, missing=0)
        >>> kind_in_values(ColumnKind.NOMINAL, sex).value, kind_in_values(ColumnKind.TEXT, sex)
        ('code', None)
    """
    kind_of_values = column.value_type
    is_whole = kind_of_values is ValueType.INTEGER or (
        kind_of_values is ValueType.NUMBER and column.shape is not None and column.shape.is_whole
    )
    if kind_of_values in {ValueType.BOOLEAN, ValueType.EMPTY} or kind_of_values in DATES:
        return None
    if kind in _OF_NUMBERS:
        return _of_numbers(kind, column, is_whole=is_whole)
    if kind in _OF_NAMES:
        return _of_names(kind, column, is_whole=is_whole)
    if kind in {ColumnKind.DATE, ColumnKind.PERIOD}:
        year = column.look("kind_year")
        return ColumnKind.PERIOD if is_whole and year is not None and year.share >= 0.9 else None  # noqa: PLR2004 - shifted rows
    if kind is ColumnKind.PLACE:
        return ColumnKind.CODE if is_whole and _has_few_codes(column) else kind
    is_key = (
        kind is ColumnKind.KEY and column.distinct > MOST_FEW and (is_whole or kind_of_values not in _NUMBERS)
    )
    is_text = kind is ColumnKind.TEXT and kind_of_values is ValueType.TEXT and column.distinct > MOST_FEW
    return kind if is_key or is_text else None


def _of_numbers(kind: ColumnKind, column: ColumnFacts, *, is_whole: bool) -> ColumnKind | None:
    if column.value_type not in _NUMBERS or column.distinct <= 2:  # noqa: PLR2004 - a yes and a no
        return None
    if not is_whole:
        return ColumnKind.AMOUNT
    # whole numbers of an amount that are few may be grades or codes of it
    return None if kind is ColumnKind.AMOUNT and column.distinct < MOST_FEW else kind


def _of_names(kind: ColumnKind, column: ColumnFacts, *, is_whole: bool) -> ColumnKind | None:
    if column.value_type in _NUMBERS:
        if kind is ColumnKind.NOMINAL and not is_whole:
            return None
        if is_whole and kind is not ColumnKind.ORDINAL and _is_counted(column):
            return None
        zero, one = column.look("kind_zero"), column.look("kind_one")
        if column.distinct == 2 and zero is not None and one is not None:  # noqa: PLR2004 - a no and a yes
            return ColumnKind.NOMINAL
        return kind if kind is ColumnKind.ORDINAL else ColumnKind.CODE
    shape = column.shape
    if kind is ColumnKind.CODE and shape is not None and not shape.digits:
        return ColumnKind.NOMINAL
    return kind


def _is_counted(column: ColumnFacts) -> bool:
    """Whether the numbers are many and small, as hours of a week are, which no codes are."""
    shape = column.shape
    return shape is not None and shape.high is not None and shape.high <= MOST_COUNTED


def _has_few_codes(column: ColumnFacts) -> bool:
    shape = column.shape
    return column.distinct <= FEW_CODES and shape is not None and shape.longest < SHORT

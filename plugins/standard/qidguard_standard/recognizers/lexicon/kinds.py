"""What a name says of the kind of its values, where the values allow it."""

from qidguard.sdk import ColumnFacts, ColumnKind, ValueType

SAID, DOUBTED = 0.85, 0.45
"""Confidence of a kind that a sure name says, and that an unsure one does."""
FEW_CODES, MOST_FEW, SHORT, MOST_COUNTED = 60, 20, 4, 100.0
"""Codes of places are not more than this; so few numbers are hardly an amount; characters of a code."""
_NUMBERS = {ValueType.INTEGER, ValueType.NUMBER}
_DAYS = {ValueType.DATE, ValueType.TIMESTAMP}
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
    if kind_of_values in {ValueType.BOOLEAN, ValueType.EMPTY} or kind_of_values in _DAYS:
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

"""The type of a published column: numbers stay numbers or become text, dates stay dates, text stays text."""

from collections.abc import Iterator

from qidguard.core.column import ValueType
from qidguard.core.column_values import ColumnValues
from qidguard.testing.trial import Trial

_TEXT = {ValueType.TEXT, ValueType.EMPTY}
_ALLOWED = {
    ValueType.INTEGER: {ValueType.INTEGER, *_TEXT},
    ValueType.NUMBER: {ValueType.NUMBER, ValueType.INTEGER, *_TEXT},
    ValueType.DATE: {ValueType.DATE, *_TEXT},
    ValueType.TIMESTAMP: {ValueType.TIMESTAMP, ValueType.DATE, *_TEXT},
    ValueType.BOOLEAN: {ValueType.BOOLEAN, *_TEXT},
    ValueType.TEXT: _TEXT,
    ValueType.EMPTY: _TEXT,
}


def value_types(trial: Trial) -> Iterator[str]:
    """Yield the columns whose published type is none that follows from the source's."""
    if trial.after is None or trial.receipt is None:
        return
    if trial.after.format != trial.source.format:
        yield f"a source of {trial.source.format} is published as one of {trial.after.format}"
    own, theirs = trial.source.types(), trial.after.types()
    for name in sorted(trial.receipt.cells_changed):
        before, after = trial.before.column(name), trial.published.column(name)
        # texts of a CSV may read as numbers once a few of them are gone
        is_narrowed = trial.source.format == "csv" and before.value_type is ValueType.TEXT
        if after.value_type not in _ALLOWED[before.value_type] and not is_narrowed:
            yield f"{name!r} is of type {before.value_type} and published as {after.value_type}"
        elif before.is_numeric and own[name] != theirs[name] and _are_numbers(after):
            yield f"{name!r} is of type {before.value_type} and published as texts of numbers alone"


def _are_numbers(column: ColumnValues) -> bool:
    """Whether every value of a column of text reads as a number."""
    if column.value_type is not ValueType.TEXT or not column.distinct:
        return False
    try:
        return all(float(text or "") is not None for text in column.texts[1:])
    except ValueError:
        return False

"""DuckDB's type of a column of published values."""

from collections.abc import Sequence
from datetime import date, datetime

from qidguard.core.column import ValueType
from qidguard.core.column_values import Original, PublishedValue
from qidguard.engines.duckdb.types import value_type

TEXT = "VARCHAR"
WHOLE = "BIGINT"
WIDE = "HUGEINT"
FRACTION = "DOUBLE"
BOOLEAN = "BOOLEAN"
DATE = "DATE"
MOMENT = "TIMESTAMP"

_NARROW = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
"""Types whose values are all BIGINTs too."""

_LARGEST_WHOLE, _LARGEST_WIDE = 2**63, 2**127


def published_type(values: Sequence[PublishedValue], own: str) -> str:
    """Return the type that holds published values of a typed source, original ones among them or not.

    Original values alone keep their type. Numbers of two types become the wider, dates beside moments
    become moments, and whatever else meets becomes text.

    Args:
        values: The published values.
        own: DuckDB's type of the source's column.

    Returns:
        DuckDB's name of the type.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> published_type([Original(1), None], "SMALLINT"), published_type([Original(1), 2.5], "SMALLINT")
        ('SMALLINT', 'DOUBLE')
        >>> published_type([Original(1), "[1, 5]"], "SMALLINT")
        'VARCHAR'
    """
    plain = [value for value in values if value is not None and not isinstance(value, Original)]
    if not plain:
        return own
    kinds = {_type_of(value) for value in plain}
    if any(isinstance(value, Original) for value in values):
        kinds.add(_original_type(own))
    if kinds == {MOMENT, DATE}:
        return MOMENT
    if own in kinds and own == "TIMESTAMP_NS" and kinds <= {own, MOMENT, DATE}:
        return own
    if kinds == {WHOLE, WIDE}:
        return WIDE
    if FRACTION in kinds and kinds <= {WHOLE, WIDE, FRACTION}:
        return FRACTION
    return kinds.pop() if len(kinds) == 1 else TEXT


def _type_of(value: PublishedValue) -> str:
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        is_wide = not -_LARGEST_WHOLE <= value < _LARGEST_WHOLE
        return TEXT if not -_LARGEST_WIDE <= value < _LARGEST_WIDE else WIDE if is_wide else WHOLE
    if isinstance(value, float):
        return FRACTION
    if isinstance(value, datetime):
        return MOMENT
    return DATE if isinstance(value, date) else TEXT


def _original_type(own: str) -> str:
    """Return the type that the source's own values have beside others."""
    kind = value_type(own)
    if kind is ValueType.NUMBER:
        return FRACTION
    if kind is ValueType.INTEGER:
        # beyond these the values may not even be 128 bits wide
        return WHOLE if own in _NARROW else TEXT if own == "UHUGEINT" else WIDE
    return own

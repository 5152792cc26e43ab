"""A column as dates: typed, or in text or whole numbers whose form is found over the whole column."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING

from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.core.dates import DateReading, Doubt

MOST_READ = 0.95
"""The share of a column's values that are dates where the column is one of dates."""

_TYPED = {ValueType.DATE, ValueType.TIMESTAMP}
_DAYS_AT_MOST = 2_932_896
"""The last day of the year 9999, since 1970."""
_DAYS_AT_LEAST = -719_162


def day_numbers(values: ColumnValues) -> "NDArray[np.float64] | None":
    """Return where each value of a column of dates in text or whole numbers stands in time.

    Args:
        values: The column.

    Returns:
        Shape (codes,), NaN for NULL and for what is no date; None where fewer than 95 % of the distinct
        values are dates, where they do not say which of two readings is meant, and for other types.

    Units:
        Days since 1970, the time of day as a fraction.

    Raises:
        AttributeError: When it is given no column.

    Example:
        >>> import numpy as np
        >>> born = ColumnValues(
        ...     name="born",
        ...     value_type=ValueType.TEXT,
        ...     codes=np.array([1, 2], dtype=np.int32),
        ...     texts=(None, "13.1.1970", "2.1.1970"),
        ... )
        >>> day_numbers(born)
        array([nan, 12.,  1.])
    """
    import numpy as np

    reading = None if values.value_type in _TYPED else found_dates(values, None)
    if reading is None or reading.doubt is not None:
        return None
    return np.concatenate([[np.nan], reading.days])


def found_dates(values: ColumnValues, as_of: date | None) -> "DateReading | None":
    """Return a column read as dates; None where it is none."""
    import numpy as np

    if values.value_type not in {*_TYPED, ValueType.TEXT, ValueType.INTEGER} or not values.distinct:
        return None
    reading = read_column(values, None, None, as_of, is_declared=False)
    if values.value_type in _TYPED:
        return reading
    present = np.count_nonzero(~marks_of(values) & ~_missing(values))
    is_few = reading.read < max(1.0, MOST_READ * float(present))
    if is_few or reading.is_years or (reading.doubt and values.value_type is ValueType.INTEGER):
        return None
    return reading


def date_notes(columns: Iterable[ColumnValues], hierarchies: Mapping[str, Hierarchy]) -> tuple[str, ...]:
    """Return what is told of dates in text: several forms with their numbers, and the century of years."""
    notes = []
    for column in columns:
        declared = hierarchies.get(column.name)
        reading = None if declared is not None or column.value_type in _TYPED else found_dates(column, None)
        told = reading.told if reading is not None and reading.doubt is None else ""
        if declared is not None and declared.origin.startswith(_DECLARED):
            told = declared.origin.removeprefix(_DECLARED).removesuffix(")")
        if " as " in told or "two-digit" in told:
            notes.append(f"dates of {column.name!r} are written {told}")
    return tuple(notes)


_DECLARED = "dates ("


def question_of(name: str, doubt: "Doubt") -> str:
    """Return the sentence that asks what a column does not say."""
    if not doubt.orders:
        return (
            f"the two-digit years of column {name!r} fill a century, so that those at its ends may belong to"
            " the other end; write dates with latest, the last day that one of them may mean, such as latest:"
            " 2026-01-31"
        )
    forms = [" or ".join(part) for part in (["/".join(order) for order in doubt.orders], doubt.orders)]
    if doubt.is_mixed:
        return (
            f"some dates of column {name!r} allow one order alone and others another ({forms[0]}); write them"
            " in one order"
        )
    return (
        f"no date of column {name!r} tells whether it is written {forms[0]}; write dates with written:"
        f" {forms[1]}, or auto: frequency where these are no dates"
    )


def marks_of(values: ColumnValues) -> "NDArray[np.bool_]":
    """Return which values mark a suppressed cell."""
    import numpy as np

    if values.value_type in _TYPED and values.numbers is not None:
        # a column of dates has NaN for what marks a suppressed cell
        is_mark: NDArray[np.bool_] = np.isnan(values.numbers[1:])
        return is_mark
    return np.array([text == SUPPRESSED for text in values.texts[1:]], dtype=np.bool_)


_MISSING = frozenset({"", "?", "na", "n/a", "#n/a", "null", "nan", "none", "unknown", "-", "--", "."})


def _missing(values: ColumnValues) -> "NDArray[np.bool_]":
    """Return which values are words that often stand for a missing one."""
    import numpy as np

    return np.array([str(text).strip().lower() in _MISSING for text in values.texts[1:]], dtype=np.bool_)


def read_column(
    values: ColumnValues,
    written: str | None,
    latest: date | None,
    as_of: date | None,
    *,
    is_declared: bool,
) -> "DateReading":
    """Return the values of a column but NULL as dates; see ``read_dates``."""
    import numpy as np

    from qidguard.core.dates import DateReading, DateUnit, read_dates

    if values.value_type in _TYPED and values.numbers is not None:
        numbers = values.numbers[1:]
        # NaN and the infinite are no days
        is_read = (numbers >= _DAYS_AT_LEAST) & (numbers < _DAYS_AT_MOST + 1)
        return DateReading(
            days=np.where(is_read, numbers, np.nan),
            units=np.where(is_read, DateUnit.DAY, -1).astype(np.int8),
            forms=(),
        )
    texts = [str(text) for text in values.texts[1:]]
    return read_dates(texts, written=written, latest=latest, as_of=as_of, is_declared=is_declared)

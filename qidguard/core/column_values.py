"""The values of one column in the order of the records: as they are, and as an anonymiser publishes them."""

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from qidguard.core.column import ValueType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Original:
    """The source's own value of a code, in the source's own type.

    Args:
        code: The code in ``ColumnValues``, ≥ 0.
    """

    code: int


PublishedValue = Original | str | int | float | bool | date | None
"""A value that may be published; a moment is a ``datetime``, which is a ``date``."""


@dataclass(frozen=True, kw_only=True)
class ColumnValues:
    """One column of a table, dictionary-coded. It holds the table's values: none may reach a report.

    Args:
        name: The column's name.
        value_type: What its values are, once read; a column of texts that are all numbers is of numbers.
        codes: Shape (records,), the code of each record's value; NULL is 0. Values that a grouping takes as
            one have one code. Codes follow the natural order: of numbers and dates where the column holds
            them, else of texts.
        texts: The value of each code as text, ``texts[0]`` is None; each occurs.
        numbers: Shape (codes,), the value of each code as a number (a Boolean 0 or 1, a date or moment in
            days since 1970), NaN for NULL and for the suppression mark; None for a column of text.
    """

    name: str
    value_type: ValueType
    codes: "NDArray[np.int32]" = field(repr=False)
    texts: tuple[str | None, ...] = field(repr=False)
    numbers: "NDArray[np.float64] | None" = field(default=None, repr=False)

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.codes)

    @property
    def distinct(self) -> int:
        """Number of distinct values, NULL not counted."""
        return len(self.texts) - 1

    @property
    def is_numeric(self) -> bool:
        """Whether arithmetic makes sense: numbers, dates and moments, no Booleans and no text."""
        return self.numbers is not None and self.value_type in _ORDERED


_ORDERED = {ValueType.INTEGER, ValueType.NUMBER, ValueType.DATE, ValueType.TIMESTAMP}


@dataclass(frozen=True, kw_only=True)
class Recoded:
    """What an anonymiser publishes in place of one column.

    Args:
        codes: Shape (records,), for each record of the source, suppressed ones too, the position of its
            published value in ``values``.
        values: The published values. A column of ``Original`` values keeps its type, one of numbers or dates
            holds numbers or dates; once one of them is text, all are published as text. None is a cell
            without a value.
    """

    codes: "NDArray[np.integer]" = field(repr=False)
    values: tuple[PublishedValue, ...] = field(repr=False)

    def __post_init__(self) -> None:
        import numpy as np

        codes: object = self.codes  # a plugin may be written without a type checker
        if not isinstance(codes, np.ndarray) or codes.ndim != 1 or codes.dtype.kind not in "iu":
            raise ValueError("what is published in place of a column is coded by one whole number a record")
        if len(self.codes) and not (self.codes.min() >= 0 and self.codes.max() < len(self.values)):
            raise ValueError("a published code lies outside the published values")
        for value in self.values:
            if value is not None and not isinstance(value, (Original, str, int, float, date)):
                raise ValueError(f"a published value is text, a number or a date, no {type(value).__name__}")

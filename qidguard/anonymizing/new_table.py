"""A new table: the answer of an anonymizer whose records are none of the source's."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.core.column import ColumnValues, PublishedValue, Recoded, ValueType, published_number
from qidguard.core.new_table import NewTableKind

if TYPE_CHECKING:
    from qidguard.anonymizing.protocol import Guarantee
    from qidguard.plot.plot import Plot


@dataclass(frozen=True, kw_only=True)
class NewTable:
    """A table in the place of the source: synthetic records, or a table of counts.

    None of its records is one of the source's, so nothing is said of what was kept or changed. The policy
    has to accept such a table (``remedy: output:``), and one without a guarantee of differential privacy by
    a word of its own.

    Args:
        kind: What its records are.
        columns: Column → its values, one code for each new record, the same number in all columns. The names
            are columns of the source; no direct identifier and no entity is among them. No value is
            ``Original``, since nothing is copied.
        counts: For a table of counts, the column with the numbers: a plain identifier that is no column of
            the source. Noise may make counts negative.
        guarantees: What is claimed of the published table.
        notes: Sentences worth reading, without a value of the source.
        plots: What is drawn of it.

    Example:
        >>> import numpy as np
        >>> from qidguard.sdk import NewTable, NewTableKind, Recoded
        >>> sex = Recoded(codes=np.array([0, 1]), values=("f", "m"))
        >>> count = Recoded(codes=np.array([0, 1]), values=(412, 388))
        >>> columns = {"sex": sex, "n": count}
        >>> NewTable(kind=NewTableKind.COUNTS, columns=columns, counts="n").records
        2
    """

    kind: NewTableKind
    columns: Mapping[str, Recoded]
    counts: str | None = None
    guarantees: "tuple[Guarantee, ...]" = ()
    notes: tuple[str, ...] = ()
    plots: "tuple[Plot, ...]" = field(default=(), repr=False)

    @property
    def records(self) -> int:
        """Number of its records, ≥ 0."""
        return max((len(column.codes) for column in self.columns.values()), default=0)


def new_values(column: ColumnValues) -> tuple[PublishedValue, ...]:
    """Return for each code of a source's column the value that a new table may publish for it.

    Args:
        column: The column, whose domain is told by this: where that is not public, it has to be protected
            too.

    Returns:
        Numbers, dates and truth values where the column holds them, else texts, such as the mark of
        suppression; None for NULL, and for an infinite number or NaN, which no new table may publish.

    Raises:
        OverflowError: When a date lies outside the years 1 to 9999.

    Example:
        >>> from qidguard.anonymizing.example import held_example
        >>> new_values(held_example().column("town"))
        (None, 'A', 'B')
    """
    numbers = None if column.numbers is None else column.numbers.tolist()
    return tuple(
        text if text is None or numbers is None else _value(column.value_type, text, numbers[code])
        for code, text in enumerate(column.texts)
    )


_NOT_FINITE = {"nan", "inf", "infinity"}


def _value(kind: ValueType, text: str, number: float) -> PublishedValue:
    if kind is ValueType.NUMBER and text.lstrip("-") in _NOT_FINITE:
        return None
    if math.isnan(number) or kind is ValueType.TEXT:
        return text  # the mark of suppression has no number
    return bool(number) if kind is ValueType.BOOLEAN else published_number(number, kind)

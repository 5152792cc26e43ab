"""What a class shows of its categories: the value, a short set, the name of a group, or the mark."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from qidguard.core.column import ColumnValues, Original, PublishedValue
from qidguard.core.hierarchy import Hierarchy, set_text
from qidguard.core.parameter import Parameter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_IN_SET = 4

LARGEST_SET = Parameter(
    name="largest_set",
    type=int,
    default=MOST_IN_SET,
    minimum=1,
    meaning="most values that a published set {a, b} may have; what takes more shows the smallest group of"
    " the column's hierarchy that holds them all, or the suppression mark where no hierarchy names one",
)
"""The parameter by which anonymizers limit published sets, values."""

_MOST_ARE = 0.75


@dataclass(frozen=True, kw_only=True)
class ShortSets:
    """How a column shows the categories of a class, so that a reader can work with the cell.

    Args:
        column: The column, of text or Booleans; what is numeric is better told by an interval.
        largest_set: Most values of a set, ≥ 1.
        mark: The text of a suppressed cell.
        hierarchy: The hierarchy that the column's readers have, bound to it; None where there is none.
    """

    column: ColumnValues = field(repr=False)
    largest_set: int
    mark: str
    hierarchy: Hierarchy | None = field(default=None, repr=False)

    @cached_property
    def is_dated(self) -> bool:
        """Whether most texts are dates or months, of which a set says less than a period."""
        from qidguard.core.dates.reading import read_dates

        texts = [text for text in self.column.texts if text is not None and text != self.mark]
        reading = read_dates(texts)
        return not reading.is_years and reading.read >= _MOST_ARE * len(texts)

    @cached_property
    def _names(self) -> Hierarchy | None:
        """The hierarchy whose groups are shown."""
        if self.hierarchy is None and self.is_dated:
            from qidguard.anonymizing.hierarchy.dates import automatic_dates  # it brings policies

            return automatic_dates(self.column)
        return self.hierarchy

    def of(self, codes: Sequence[int]) -> PublishedValue:
        """Return what a class with these values shows.

        Args:
            codes: The distinct codes of its values, ascending, at least one.

        Returns:
            The value itself where there is one, be it NULL. The mark where a value is missing or suppressed
            beside others: neither is a member of a set. A set of at most ``largest_set`` values that lie in
            one group of the hierarchy below its top, or that has no hierarchy; dates written as text make no
            set, and without a hierarchy they have that of the calendar. Else the label of the smallest group
            that holds all values; where only the top does, of dates the years from the first to the last, as
            ``1948-1953``, and otherwise, or without a hierarchy, the mark.

        Raises:
            DataError: When dates as text do not say which of two readings is meant.
            IndexError: When there is no code, or one that the column does not have.

        Example:
            >>> import numpy as np
            >>> from qidguard.sdk import ValueType
            >>> job = ColumnValues(
            ...     name="job",
            ...     value_type=ValueType.TEXT,
            ...     codes=np.array([1, 2, 3]),
            ...     texts=(None, "clerk", "nurse", "smith"),
            ... )
            >>> short = ShortSets(column=job, largest_set=2, mark="*")
            >>> short.of([1, 2]), short.of([1, 2, 3]), short.of([0, 1])
            ('{clerk, nurse}', '*', '*')
        """
        if len(codes) == 1:
            return Original(int(codes[0]))
        texts = [self.column.texts[code] for code in codes]
        if None in texts or self.mark in texts:
            return self.mark
        group = self._group(codes)
        is_inside = self._names is None or group is not None
        if is_inside and len(texts) <= self.largest_set and not self.is_dated:
            return set_text(texts)
        return self._years(codes) if group is None else group

    @cached_property
    def _days(self) -> "NDArray[np.float64] | None":
        """The days of dates in text that have no hierarchy of their own."""
        if self.hierarchy is not None or not self.is_dated:
            return None
        from qidguard.anonymizing.hierarchy.dates import day_numbers  # it brings policies

        return day_numbers(self.column)

    def _years(self, codes: Sequence[int]) -> str:
        """Return the years from the first of some dates to the last; the mark where they are none."""
        import numpy as np

        if self._days is None or not np.isfinite(self._days[list(codes)]).all():
            return self.mark
        days = self._days[list(codes)]
        ends = np.floor([days.min(), days.max()]).astype("datetime64[D]").astype("datetime64[Y]")
        return f"{ends[0]}-{ends[1]}"

    def _group(self, codes: Sequence[int]) -> str | None:
        """Return the label of the smallest group below the top that holds all values."""
        if self._names is None:
            return None
        at = list(codes)
        for groups, labels in zip(self._names.groups[1:-1], self._names.labels[1:-1], strict=True):
            first = int(groups[at[0]])
            if (groups[at] == first).all():
                return labels[first]
        return None


def readable_hierarchy(values: ColumnValues, largest_set: int = MOST_IN_SET) -> Hierarchy:
    """Return the automatic hierarchy of a column, whose sets have at most so many values.

    A policy that names a hierarchy has it beside the published table; this one nobody has but the anonymizer.
    So a label is a value, an interval, a prefix, a period or a short set; the rare rest of a level is
    ``other (9 values)``: all that is not published by name.

    Args:
        values: The column.
        largest_set: Most values of a set, ≥ 1.

    Returns:
        The hierarchy, as ``automatic_hierarchy`` makes it of the column's kind.

    Units:
        Values.

    Raises:
        ValueError: When ``largest_set`` is below 1.

    NULL stays apart below the top. A column of fewer than three values has the exact level and the top alone.

    Example:
        >>> import numpy as np
        >>> job = ColumnValues(
        ...     name="job",
        ...     value_type="text",
        ...     codes=np.array([1, 1, 1, 2, 3], dtype=np.int32),
        ...     texts=(None, "clerk", "nurse", "smith"),
        ... )
        >>> readable_hierarchy(job).labels
        ((None, 'clerk', 'nurse', 'smith'), (None, 'clerk', '{nurse, smith}'), ('*',))
        >>> readable_hierarchy(job, largest_set=1).labels[1]
        (None, 'clerk', 'other (2 values)')
    """
    from qidguard.anonymizing.hierarchy.automatic import automatic_hierarchy  # it brings policies

    if largest_set < 1:
        raise ValueError(f"a set has at least one value, not {largest_set}")
    return automatic_hierarchy(values, largest_set=largest_set)

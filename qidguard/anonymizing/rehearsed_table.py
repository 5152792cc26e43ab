"""What an anonymizer makes of records in memory, without a copy, a file or an audit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.declared import LabelHierarchies
from qidguard.anonymizing.protocol import AnonymizationTask, Anonymized, Anonymizer, Records
from qidguard.anonymizing.published_values import published_column
from qidguard.anonymizing.run import answer_of
from qidguard.core.column import ColumnValues, Original, PublishedValue, Recoded
from qidguard.core.errors import DataError, NotMeasurable, PluginError
from qidguard.core.parameter import Arguments
from qidguard.core.versions import Changes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.measuring.grouped import GroupedRecords


@dataclass(frozen=True, kw_only=True)
class RehearsedTable:
    """What would be published of records: a ``qidguard.sdk.Records`` of those that are kept, in their order.

    Nothing is promised of it: no policy was asked and no audit was made. Columns are put together when they
    are first asked for. They hold values: none may reach a report.

    Args:
        before: The records as they were.
        task: What was asked of the anonymizer.
        anonymizer: Its name.
        done: What it answered, checked as for a release: suppressions, claims, notes.
        seconds: How long it took, s.
    """

    before: Records = field(repr=False)
    task: AnonymizationTask = field(repr=False)
    anonymizer: str
    done: Anonymized = field(repr=False)
    seconds: float
    _columns: dict[str, ColumnValues] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, those of the records as they were."""
        return self.before.names

    @cached_property
    def records(self) -> int:
        """Number of records that are kept, ≥ 1."""
        return int(self.kept.sum())

    @property
    def kept(self) -> "NDArray[np.bool_]":
        """Which of the records as they were are kept; shape (records as they were,)."""
        return self.done.kept

    def codes(self, columns: Sequence[str]) -> "NDArray[np.int32]":
        """Return codes of what is published, shape (kept records, columns).

        Equal published values have equal codes, NULL is 0, and suppressed cells share a code. Texts that the
        task declares to be one value are one, as they are in ``Records.codes``.

        Args:
            columns: Their names.

        Raises:
            DataError: When there is none of a name.

        Example:
            >>> from qidguard.anonymizing.example import rehearsed_example
            >>> rehearsed_example().codes(("age", "town")).tolist()
            [[1, 1], [1, 2], [2, 2], [2, 2]]
        """
        import numpy as np

        found = np.empty((self.records, len(columns)), dtype=np.int32)
        for at, name in enumerate(columns):
            if name in self.done.columns:
                found[:, at] = self.column(name).codes
            else:
                found[:, at] = self.before.codes((name,))[:, 0][self.kept]
        return found

    def column(self, name: str) -> ColumnValues:
        """Return what is published in one column.

        Args:
            name: Its name.

        Returns:
            The values that occur. Codes follow the natural order: of numbers where what is published is
            numbers and suppressed cells, else of texts. Intervals and other labels are texts.

        Raises:
            DataError: When there is none of this name.

        Example:
            >>> from qidguard.anonymizing.example import rehearsed_example
            >>> rehearsed_example().column("age").texts
            (None, '30s', '40s')
        """
        if name not in self._columns:
            if name not in self.before.names:
                raise DataError(f"the records have no column {name!r}")
            self._columns[name] = self._published(name)
        return self._columns[name]

    def classes(self, columns: Sequence[str]) -> "NDArray[np.int64]":
        """Return the class of each kept record, whole numbers ≥ 0: records alike in all columns share one.

        Args:
            columns: At least one.

        Raises:
            DataError: When there is none of a name.

        Example:
            >>> from qidguard.anonymizing.example import rehearsed_example
            >>> rehearsed_example().classes(("age", "town")).tolist()
            [0, 1, 2, 2]
        """
        return class_numbers(self.codes(columns))

    def grouped(self, qids: Sequence[str], sensitive: str | None = None) -> "GroupedRecords":
        """Return the classes over some columns, on which every metric of classes is measured.

        Args:
            qids: The columns that make the classes.
            sensitive: The attribute beside which is measured; None where there is none.

        Returns:
            The classes of the kept records; where the task has an entity column, persons are counted.

        Raises:
            DataError: When there is none of a name.

        Example:
            >>> from qidguard.anonymizing.example import rehearsed_example
            >>> rehearsed_example().grouped(("age",)).class_sizes.tolist()
            [2, 2]
        """
        from qidguard.measuring.grouped import GroupedRecords

        entity = self.task.entity
        attribute = None if sensitive is None else self.column(sensitive)
        return GroupedRecords(
            self.classes(qids),
            attribute=None if sensitive is None else self.codes((sensitive,))[:, 0],
            attribute_numbers=None if attribute is None else attribute.numbers,
            entity=None if entity is None else self.codes((entity,))[:, 0],
        )

    @cached_property
    def changes(self) -> Changes:
        """The records as they were beside what is published, for metrics of loss."""
        mark = self.task.suppression_mark
        return Changes(
            before=self.before,
            after=self,
            kept=self.kept,
            hierarchies=LabelHierarchies(self.task.hierarchies, self.before, self, mark),
            suppression_mark=mark,
            seed=self.task.seed,
        )

    def _published(self, name: str) -> ColumnValues:
        import numpy as np

        before = self.before.column(name)
        if name not in self.done.columns:
            codes: NDArray[np.integer[Any]] = before.codes[self.kept]
            values: tuple[PublishedValue, ...] = tuple(Original(code) for code in range(len(before.texts)))
        else:
            codes, values = self.done.columns[name].codes[self.kept], self.done.columns[name].values
        return published_column(before, codes, values, self._same(name, before), self.task.suppression_mark)

    def _same(self, name: str, before: ColumnValues) -> "NDArray[np.int64] | None":
        """Return for each code of a column the first of those that are one value with it, where some are."""
        import numpy as np

        if name not in self.done.columns or all(one.column != name for one in self.task.normalized):
            return None
        group = self.before.codes((name,))[:, 0]
        first = np.full(int(group.max(initial=0)) + 1, len(before.texts))
        np.minimum.at(first, group, before.codes)
        first[0] = 0
        same = np.arange(len(before.texts))
        same[before.codes] = first[group]
        return same


def rehearse_on(
    records: Records,
    anonymizer: Anonymizer,
    arguments: Arguments,
    task: AnonymizationTask,
    *,
    owner: str,
    budget_seconds: float | None = None,
) -> RehearsedTable:
    """Return what an anonymizer makes of records in memory.

    Raises:
        NotMeasurable: When it says that it cannot be done, nothing would be left, or the time is up.
        PluginError: When it fails, or its answer is none.
    """
    try:
        done, seconds = answer_of(
            anonymizer, records, arguments, task, owner=owner, budget_seconds=budget_seconds
        )
    except NotMeasurable as reason:
        raise NotMeasurable(f"{anonymizer.name}: {reason}") from None
    if not done.kept.any():
        raise NotMeasurable(f"{anonymizer.name} would suppress every record; coarsen the quasi-identifiers")
    for recoded in done.columns.values():
        if not _is_unicode(recoded):
            raise PluginError(
                f"{owner}: anonymizer {anonymizer.name!r} publishes values that no table can hold; mend the"
                " plugin"
            )
    return RehearsedTable(before=records, task=task, anonymizer=anonymizer.name, done=done, seconds=seconds)


def class_numbers(codes: "NDArray[np.int32]") -> "NDArray[np.int64]":
    """Return the number of the class of each row of codes ≥ 0: equal rows share one.

    Example:
        >>> import numpy as np
        >>> class_numbers(np.array([[1, 2], [1, 3], [1, 2]])).tolist()
        [0, 1, 0]
    """
    import numpy as np

    number = np.zeros(len(codes), dtype=np.int64)
    classes = 1
    for at in range(codes.shape[1]):
        column = codes[:, at].astype(np.int64)
        values = int(column.max(initial=0)) + 1
        if classes * values > _MOST_NUMBERS:
            number, classes = _dense(number)
        number = number * values + column
        classes *= values
    return _dense(number)[0]


_MOST_NUMBERS = 2**62


def _dense(number: "NDArray[np.int64]") -> "tuple[NDArray[np.int64], int]":
    import numpy as np

    known, dense = np.unique(number, return_inverse=True)
    return dense.astype(np.int64), max(1, len(known))


def _is_unicode(recoded: Recoded) -> bool:
    try:
        "".join(value for value in recoded.values if isinstance(value, str)).encode()
    except UnicodeEncodeError:
        return False
    return True

"""What an anonymizer makes of records in memory, without a copy, a file or an audit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.class_numbers import class_numbers
from qidguard.anonymizing.declared import changes_of
from qidguard.anonymizing.protocol import AnonymizationTask, Anonymized, NewTable, Records
from qidguard.anonymizing.rehearsed_view import RehearsedView
from qidguard.anonymizing.weighing import HeldLimit, Metrics, WeighingFigure, figures_of, held_limits
from qidguard.core.column import (
    ColumnValues,
    Original,
    PublishedValue,
    Recoded,
    ValueType,
    published_text,
)
from qidguard.core.errors import DataError, NotMeasurable
from qidguard.core.new_table import NewTableFacts
from qidguard.core.versions import Changes, ColumnSource

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from qidguard.core.measurement import Measurement
    from qidguard.core.metric import Metric
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
        metrics: Where metrics are found by name; None where nobody said.
        new_table: What it is, where its records are none of those as they were; None where they are.
    """

    before: Records = field(repr=False)
    task: AnonymizationTask = field(repr=False)
    anonymizer: str
    done: Anonymized | NewTable = field(repr=False)
    seconds: float
    metrics: Metrics | None = field(default=None, repr=False)
    new_table: NewTableFacts | None = None
    _columns: dict[str, ColumnValues] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, those of the records as they were; of a new table its own."""
        if isinstance(self.done, Anonymized):
            return self.before.names
        known = tuple(name for name in self.before.names if name in self.done.columns)
        return (*known, *(name for name in self.done.columns if name not in known))

    @cached_property
    def records(self) -> int:
        """Number of records that are kept, ≥ 1; of a new table the number of its own."""
        return int(self.kept.sum()) if isinstance(self.done, Anonymized) else self.done.records

    @property
    def kept(self) -> "NDArray[np.bool_]":
        """Which of the records as they were are kept; shape (records as they were,).

        NotMeasurable for a new table: none of them is.
        """
        if isinstance(self.done, NewTable):
            raise NotMeasurable(
                f"{self.anonymizer} made a new table, and none of its records is one of the source's"
            )
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
            if name in self.done.columns or isinstance(self.done, NewTable):
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
            if name not in self.names:
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

    def marks(self, columns: Sequence[str]) -> tuple[int, ...]:
        """Return for each column the code of the suppression mark in ``column``, −1 where it does not occur.

        Args:
            columns: Their names.

        Raises:
            DataError: When there is none of a name.

        Example:
            >>> from qidguard.anonymizing.example import rehearsed_example
            >>> rehearsed_example().marks(("age", "town"))
            (-1, -1)
        """
        mark = self.task.suppression_mark
        every = (self.column(name).texts for name in columns)
        return tuple(texts.index(mark) if mark in texts else -1 for texts in every)

    def in_class(self, columns: Sequence[str]) -> "NDArray[np.bool_]":
        """Return which kept records stand in a class of some columns, shape (kept records,).

        One whose values are all suppressed does not, unless those of every record are.

        Args:
            columns: The columns that make the classes; of none every record is in.

        Raises:
            DataError: When there is none of a name.

        Example:
            >>> from qidguard.anonymizing.example import rehearsed_example
            >>> rehearsed_example().in_class(("age", "town")).tolist()
            [True, True, True, True]
        """
        import numpy as np

        marks = self.marks(columns)
        if not marks or min(marks) < 0:
            return np.ones(self.records, dtype=np.bool_)
        codes = [self.column(name).codes for name in columns]
        found = np.zeros(self.records, dtype=np.bool_)
        for own, mark in zip(codes, marks, strict=True):
            found |= own != mark
        return found if found.any() else ~found

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

        entity = None if isinstance(self.done, NewTable) else self.task.entity
        codes, numbers, mark = None, None, -1
        order = None if sensitive is None else self.view.order(sensitive)
        is_in = self.in_class(qids)
        if sensitive is not None:
            attribute, [mark] = self.column(sensitive), self.marks((sensitive,))
            codes, numbers = attribute.codes, attribute.numbers
            if any(one.column == sensitive for one in self.task.normalized):
                # texts that are one value, which have no numbers; the mark is never one of them
                codes, numbers, is_mark = self.codes((sensitive,))[:, 0], None, attribute.codes == mark
                mark = int(codes[is_mark][0]) if is_mark.any() else -1
            codes = codes[is_in]
        return GroupedRecords(
            self.classes(qids)[is_in],
            attribute=codes,
            suppressed=mark,
            attribute_numbers=numbers,
            attribute_order=order,
            entity=None if entity is None else self.codes((entity,))[:, 0][is_in],
        )

    @cached_property
    def changes(self) -> Changes:
        """The records as they were beside what is published, for metrics of loss."""
        return changes_of(self.task, self.before, self, self.done, self.new_table)

    @cached_property
    def view(self) -> RehearsedView:
        """The published records as metrics see a table."""
        entity = None if isinstance(self.done, NewTable) else self.task.entity
        return RehearsedView(self, entity, self.task.suppression_mark)

    def measure(self, *figures: "str | Metric", qids: Sequence[str] | None = None) -> "list[Measurement]":
        """Return what metrics say of what is published, in memory: no file, no audit, no passing policy.

        Figures are to the last digit those that an audit of the published table would tell. What is asked
        together costs least.

        Args:
            figures: Metrics by name, with arguments in brackets: ``"prosecutor_share_above[threshold=0.1]"``.
            qids: Over which columns; None takes all that the task names.

        Returns:
            One measurement a figure. Beside several sensitive attributes it is the worst, or the one that has
            no number. Where there is no number it says why: metrics that need a population, earlier releases
            or what is published outside the QIDs have none here.

        Units:
            Those of the metrics.

        Raises:
            UserError: When there is no such metric, or an argument is wrong.

        NULL is a value of its own. Metrics of loss hold each record against what it was.

        Example:
            >>> from qidguard.sdk import k_anonymity_task, rehearse
            >>> from qidguard.anonymizing.example import held_example
            >>> done = rehearse(held_example(), "mondrian", k_anonymity_task(2, ["age", "town"]))
            >>> [(one.metric, one.value) for one in done.measure("k_anonymity", "ncp")]
            [('k_anonymity', 2), ('ncp', 0.25)]
        """
        asked = [WeighingFigure.read(one, self.metrics) for one in figures]
        return figures_of([(self.view, self.task)], asked, qids or self.task.quasi_identifiers)[0]

    def limits(self) -> tuple[HeldLimit, ...]:
        """Return each limit of the task beside what is measured in memory, and whether it holds.

        Example:
            >>> from qidguard.sdk import k_anonymity_task, rehearse
            >>> from qidguard.anonymizing.example import held_example
            >>> done = rehearse(held_example(), "mondrian", k_anonymity_task(2, ["age", "town"]))
            >>> [(held.measurement.value, held.is_met) for held in done.limits()]
            [(2, True)]
        """
        return held_limits([(self.view, self.task)])[0]

    def to_frame(self) -> "pd.DataFrame":
        """Return what is published as a table in memory; it holds values, and no audit has seen it.

        Returns:
            The kept records in their order, every column that is held: numbers where all of a column are
            numbers, else texts; None or NaN for NULL.

        Example:
            >>> from qidguard.anonymizing.example import rehearsed_example
            >>> rehearsed_example().to_frame().values.tolist()
            [['30s', 'A'], ['30s', 'B'], ['40s', 'B'], ['40s', 'B']]
        """
        import pandas as pd

        return pd.DataFrame({name: _values(self.column(name)) for name in self.names})

    def _published(self, name: str) -> ColumnValues:
        import numpy as np

        if isinstance(self.done, NewTable):
            return made_column(self.before, name, self.done.columns[name], self.task.suppression_mark)
        before = self.before.column(name)
        if name not in self.done.columns:
            codes: NDArray[np.integer[Any]] = before.codes[self.kept]
            values: tuple[PublishedValue, ...] = tuple(Original(code) for code in range(len(before.texts)))
        else:
            recoded = self.done.columns[name]
            codes, values = recoded.codes[self.kept], recoded.values  # noqa: PD011 - no data frame
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


def _values(column: ColumnValues) -> "NDArray[Any]":
    import numpy as np

    if column.value_type is ValueType.NUMBER and column.numbers is not None:
        return column.numbers[column.codes]
    if column.value_type is ValueType.INTEGER:
        whole = (None if text is None else int(text) for text in column.texts)
        return np.array(list(whole), dtype=object)[column.codes]
    return np.array(column.texts, dtype=object)[column.codes]


def published_column(
    before: ColumnValues,
    codes: "NDArray[np.integer[Any]]",
    values: Sequence[PublishedValue],
    same: "NDArray[np.int64] | None",
    mark: str,
) -> ColumnValues:
    """Return what is published of records: values in the place of a column, by the position of each.

    ``same`` gives for each code of the column the first of those that are one value with it, where some are.
    """
    import numpy as np

    occurs = np.flatnonzero(np.bincount(codes))
    used = [values[at] for at in occurs.tolist()]
    told = [_told(value, before, same, mark) for value in used]
    kind = _kind(told)
    texts = _one_text(told, used)
    numbers = {text: one.number for text, one in zip(texts, told, strict=True) if text is not None}
    has_numbers = kind not in {ValueType.TEXT, ValueType.EMPTY}
    declared = {text: at for at, text in enumerate(before.declared)}

    def by_order(text: str) -> tuple[bool, float, str]:
        number = numbers[text] if has_numbers else declared.get(text, math.nan)
        return (*_place(number), text)

    order = sorted(numbers, key=by_order)
    place: dict[str | None, int] = {None: 0} | {text: at for at, text in enumerate(order, start=1)}
    by_value = np.zeros(len(values), dtype=np.int32)
    by_value[occurs] = [place[text] for text in texts]
    return ColumnValues(
        name=before.name,
        value_type=kind,
        codes=by_value[codes],
        texts=(None, *order),
        numbers=np.array([math.nan, *(numbers[text] for text in order)]) if has_numbers else None,
        declared=before.declared,
    )


def made_column(before: ColumnSource, name: str, recoded: Recoded, mark: str) -> ColumnValues:
    """Return what a new table publishes in a column, which the source has unless it holds counts."""
    import numpy as np

    if name in before.names:
        known = before.column(name)
    else:
        nothing = np.zeros(0, dtype=np.int32)
        known = ColumnValues(name=name, value_type=ValueType.EMPTY, codes=nothing, texts=(None,))
    return published_column(known, recoded.codes, recoded.values, None, mark)


def _place(number: float) -> tuple[bool, float]:
    """Return what values are ordered by: numbers first, then what has none."""
    return (True, 0.0) if math.isnan(number) else (False, number)


@dataclass(frozen=True, kw_only=True)
class _ToldValue:
    """A published value: its text, None for NULL; its number, NaN where it has none; what it is."""

    text: str | None
    number: float
    kind: ValueType | None


def _told(
    value: PublishedValue, before: ColumnValues, same: "NDArray[np.int64] | None", mark: str
) -> _ToldValue:
    if isinstance(value, Original):
        code = int(value.code) if same is None else int(same[value.code])
        number = math.nan if before.numbers is None else float(before.numbers[code])
        text = before.texts[code]
        return _ToldValue(text=text, number=number, kind=None if text in {None, mark} else before.value_type)
    if value is None or value == mark:
        return _ToldValue(text=value if isinstance(value, str) else None, number=math.nan, kind=None)
    if isinstance(value, str):
        return _ToldValue(text=value, number=math.nan, kind=ValueType.TEXT)
    if isinstance(value, date):
        is_moment = isinstance(value, datetime)
        moment = datetime.fromisoformat(published_text(value))
        days = (moment - datetime(1970, 1, 1)) / timedelta(days=1)  # noqa: DTZ001 - both are in UTC
        kind = ValueType.TIMESTAMP if is_moment else ValueType.DATE
        return _ToldValue(text=published_text(value), number=days, kind=kind)
    if isinstance(value, bool):
        return _ToldValue(text=published_text(value), number=float(value), kind=ValueType.BOOLEAN)
    kind = ValueType.INTEGER if isinstance(value, int) else ValueType.NUMBER
    return _ToldValue(text=published_text(value), number=float(value), kind=kind)


_WIDER = {
    frozenset({ValueType.INTEGER, ValueType.NUMBER}): ValueType.NUMBER,
    frozenset({ValueType.DATE, ValueType.TIMESTAMP}): ValueType.TIMESTAMP,
}


def _kind(told: Sequence[_ToldValue]) -> ValueType:
    """Return what published values are together."""
    kinds = frozenset(one.kind for one in told if one.kind is not None)
    if len(kinds) == 1:
        return next(iter(kinds))
    is_empty = all(one.text is None for one in told)
    return ValueType.EMPTY if is_empty else _WIDER.get(kinds, ValueType.TEXT)


def _one_text(told: Sequence[_ToldValue], values: Sequence[PublishedValue]) -> list[str | None]:
    """Return the text of each, where a fraction that is published has that of an equal one of the source."""
    pairs = list(zip(told, values, strict=True))
    own = {
        one.number: one.text
        for one, value in pairs
        if isinstance(value, Original) and one.kind is ValueType.NUMBER
    }
    return [
        own.get(one.number, one.text)
        if one.kind in _PLAIN_NUMBERS and not isinstance(value, Original)
        else one.text
        for one, value in pairs
    ]


_PLAIN_NUMBERS = {ValueType.INTEGER, ValueType.NUMBER}

"""A rehearsed table as metrics see an opened one: statistics, classes and codes from arrays in memory."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from qidguard.core.column import ColumnFacts, ColumnValues
from qidguard.core.errors import DataError, NotMeasurable
from qidguard.core.order import ValueOrder, strays_of, why_no_numbers
from qidguard.core.statistic import ClassValue, Number, Statistic, StatisticValues
from qidguard.core.versions import Changes
from qidguard.core.view import Cells, Codes, Grouping

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.anonymizing.rehearsed_table import RehearsedTable
    from qidguard.measuring.grouped import GroupedRecords


class RehearsedView:
    """A ``qidguard.engines.base.Table`` of a rehearsed one; what only an audit knows is not measurable.

    That is a population, earlier releases, and what is published outside the QIDs.

    Args:
        published: What would be published.
        entity: Its entity column; None where each record is a person.
    """

    sampling_fraction: float | None = None
    history = None
    is_interrupted = False
    has_population = False
    notes: tuple[str, ...] = ()

    def __init__(self, published: "RehearsedTable", entity: str | None, mark: str) -> None:
        self._published = published
        self._entity = entity
        self._mark = mark
        self._orders: dict[str, ValueOrder] = {}
        self._grouped: dict[Grouping, GroupedRecords] = {}
        self._statistics: dict[Grouping, dict[Statistic, Number | None]] = {}

    @property
    def records(self) -> int:
        """Number of records."""
        return self._published.records

    @property
    def has_entities(self) -> bool:
        """Whether persons are entities."""
        return self._entity is not None

    @property
    def entities(self) -> int | None:
        """Number of distinct entities; None where each record is a person."""
        return None if self._entity is None else self._published.column(self._entity).distinct

    @property
    def missing_entities(self) -> int:
        """Number of records without an entity."""
        return 0 if self._entity is None else int((self._published.column(self._entity).codes == 0).sum())

    @cached_property
    def columns(self) -> tuple[ColumnFacts, ...]:
        """Counts of every column; what recognizers look for is not looked for."""
        return tuple(self._facts(self._published.column(name)) for name in self._published.names)

    @property
    def changes(self) -> Changes:
        """The original beside it."""
        return self._published.changes

    def statistics(self, grouping: Grouping, wanted: Sequence[Statistic]) -> StatisticValues:
        """Return the statistics of one grouping, by one statement."""
        if any(statistic.needs_population for statistic in wanted):
            raise NotMeasurable("a rehearsal has no population table; measure it in an audit")
        known = self._statistics.get(grouping, {})
        if all(statistic in known for statistic in wanted):
            return {statistic.name: known[statistic] for statistic in wanted}
        return self._of(grouping).statistics(wanted)

    @staticmethod
    def take(asked: "Mapping[tuple[RehearsedView, Grouping], Sequence[Statistic]]") -> None:
        """Take statistics of several views and groupings in as few statements as there can be.

        What cannot be taken together is left to be asked for one by one, which tells why.
        """
        from qidguard.measuring.grouped import GroupedRecords

        together: dict[tuple[bool, bool], list[tuple[RehearsedView, Grouping]]] = {}
        for view, grouping in asked:
            kind = (view.has_entities, grouping.sensitive is not None)
            together.setdefault(kind, []).append((view, grouping))
        for places in together.values():
            wanted = tuple(dict.fromkeys(statistic for place in places for statistic in asked[place]))
            if len({statistic.name for statistic in wanted}) < len(wanted):
                continue
            with suppress(NotMeasurable, DataError):
                groups = [view._of(grouping) for view, grouping in places]  # noqa: SLF001 - of this class
                found = GroupedRecords.statistics_of_each(groups, wanted)
                for (view, grouping), values in zip(places, found, strict=True):
                    known = view._statistics.setdefault(grouping, {})  # noqa: SLF001 - of this class
                    known.update({statistic: values[statistic.name] for statistic in wanted})

    def class_values(self, grouping: Grouping, value: ClassValue) -> "NDArray[np.float64]":
        """Return a class value for every class, next to its size; shape (classes, 2)."""
        import numpy as np

        grouped = self._of(grouping)
        return np.column_stack([grouped.class_values(value), grouped.class_sizes])[grouped.is_learned]

    def class_sizes(self, qids: tuple[str, ...]) -> "NDArray[np.int64]":
        """Return the size of every class, in persons."""
        return self._of(Grouping(qids=qids)).class_sizes

    def cells(self, grouping: Grouping) -> Cells:
        """Return the cells of a grouping that names an attribute."""
        return self._of(grouping).cells()

    def codes(self, qids: tuple[str, ...], beside: tuple[str, ...] = ()) -> Codes:
        """Return columns as codes, rows that are equal (and of one entity) collapsed, in their order."""
        import numpy as np

        names = (*qids, *beside)
        keys = [self._published.column(name).codes for name in names]
        if self._entity is not None:
            keys.append(self._published.codes((self._entity,))[:, 0])
        is_in = self._published.in_class(qids)
        rows, counts = np.unique(np.stack(keys, axis=1)[is_in], axis=0, return_counts=True)
        return Codes(
            codes=rows[:, : len(names)].astype(np.int32),
            records=counts.astype(np.int64),
            entity=None if self._entity is None else np.unique(rows[:, -1], return_inverse=True)[1] + 1,
            suppressed=self._published.marks(names),
        )

    def order(self, name: str) -> ValueOrder:
        """Return the order of a column's values, or why they have none."""
        if name not in self._orders:
            self._orders[name] = self._published.column(name).order(self._mark)
        return self._orders[name]

    def is_marked(self, name: str) -> bool:
        """Whether the suppression mark stands in a column."""
        return self._published.marks((name,)) != (-1,)

    def suppressed_records(self, qids: tuple[str, ...]) -> int:
        """Return how many records stand in no class, every one of their QIDs being suppressed."""
        return int((~self._published.in_class(qids)).sum())

    def numbers(self, name: str) -> "NDArray[np.float64]":
        """Return for each code of a column its value as a number, NaN for missing."""
        numbers = self._published.column(name).numbers
        if numbers is None:
            texts = [text for text in self._published.column(name).texts if text not in {None, self._mark}]
            raise NotMeasurable(why_no_numbers(name, len(texts), strays_of(texts)))
        return numbers

    def close(self) -> None:
        """Give nothing back: nothing was opened."""

    def _of(self, grouping: Grouping) -> "GroupedRecords":
        if grouping not in self._grouped:
            self._grouped[grouping] = self._published.grouped(grouping.qids, grouping.sensitive)
        return self._grouped[grouping]

    def _facts(self, column: ColumnValues) -> ColumnFacts:
        [mark] = self._published.marks((column.name,))
        return ColumnFacts(
            name=column.name,
            value_type=column.value_type,
            records=self.records,
            distinct=column.distinct,
            missing=int((column.codes == 0).sum()),
            suppressed=int((column.codes == mark).sum()),
        )

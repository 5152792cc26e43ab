"""Classes held in arrays: records that somebody has put into classes already, measured without a database."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from qidguard.core.errors import NotMeasurable
from qidguard.core.metric import Metric, TableFunction
from qidguard.core.order import ValueOrder
from qidguard.core.parameter import Arguments
from qidguard.core.statistic import ClassValue, Number, Statistic, StatisticValues
from qidguard.core.view import Cells, Codes, Grouping
from qidguard.engines.classes import AttributeValues, Chunk, Floats, Ints, Unsupported
from qidguard.engines.duckdb.class_statistics import (
    ClassStatistic,
    class_statistic,
    take_statistics,
)
from qidguard.measuring.answers import checked, code_of, estimated, of_nothing_to_learn
from qidguard.measuring.lattice.chunks import cell_chunks
from qidguard.measuring.lattice.levels import whole_level
from qidguard.measuring.lattice.partition import NOTHING, Partition
from qidguard.measuring.lattice.records import LatticeRecords, attribute_values, without_mark

if TYPE_CHECKING:
    from qidguard.core.column import ColumnFacts


class GroupedView:
    """A ``TableView`` of classes; whatever needs a column of the table is not measurable over it."""

    sampling_fraction: float | None = None
    history = None
    changes = None
    is_interrupted = False

    def __init__(
        self, chunk: Chunk, records: LatticeRecords, values: AttributeValues | None, sizes: Ints
    ) -> None:
        self._chunk = chunk
        self._sizes = sizes
        self._records = records
        self._values = values

    @property
    def has_entities(self) -> bool:
        """Whether persons are entities."""
        return self._records.entity is not None

    @property
    def columns(self) -> "tuple[ColumnFacts, ...]":
        """Classes have no columns: NotMeasurable."""
        _refuse()

    def class_sizes(self, qids: tuple[str, ...]) -> Ints:
        """Return the size of every class, in persons."""
        if len(qids) != 1:
            _refuse()
        return self._sizes

    def cells(self, grouping: Grouping) -> Cells:
        """Return the cells of the classes."""
        cells, values = self._chunk.cells, self._values
        if grouping.sensitive is None or cells is None or values is None:
            _refuse()
        lengths = np.diff(cells.starts, append=len(cells.n))
        return Cells(
            class_id=np.repeat(np.arange(len(cells.starts)), lengths),
            value=cells.value,
            n=cells.n,
            size=self._chunk.size,
            table_n=values.persons,
            has_missing=bool(len(values.code)) and int(values.code[0]) == 0,
        )

    def codes(self, qids: tuple[str, ...], beside: tuple[str, ...] = ()) -> Codes:  # noqa: ARG002 - as above
        """Classes have no columns: NotMeasurable."""
        _refuse()

    def order(self, name: str) -> "ValueOrder":  # noqa: ARG002 - the view of a table has this signature
        """Classes have no columns: NotMeasurable."""
        _refuse()

    def numbers(self, name: str) -> Floats:  # noqa: ARG002 - the view of a table has this signature
        """Classes have no columns: NotMeasurable."""
        _refuse()


def _refuse() -> NoReturn:
    raise NotMeasurable("it needs the table's columns, and only classes are held; measure the table itself")


_OWNER = "the offering plugin"
_QID, _ATTRIBUTE = "class", "attribute"
"""What the one QID and the attribute are called toward a metric: arrays have no names."""


class GroupedRecords:
    """Records in classes, or rows that each stand for equal records; figures are those of the engine's SQL.

    The rows are the whole table: shares of the table are taken over them. NULL in the attribute (code 0) is
    a value of its own, and a suppressed value is none: figures beside the attribute are of the classes where
    it has one. Where persons are entities, a class counts distinct ones.

    Args:
        class_of: Shape (rows,), the class of each row, whole numbers ≥ 0 with or without gaps.
        weights: Shape (rows,), how many records each row stands for, ≥ 1; None where each stands for one.
            Where there are entities it plays no part.
        attribute: Shape (rows,), the code of the sensitive (target, treatment) attribute; 0 is NULL and the
            others follow the order of the values, as in ``ColumnValues``. None where there is none.
        suppressed: The attribute's code for a suppressed value; −1 where there is none.
        attribute_numbers: Shape (codes,), the value of each code as a number, NaN for NULL.
        attribute_order: The order of the attribute's values, for metrics that need one.
        entity: Shape (rows,), the code of each row's person; None where each record is one.

    Raises:
        ValueError: When arrays differ in length, or a class, code or weight is too small.

    Example:
        >>> import numpy as np
        >>> GroupedRecords(np.array([0, 0, 1]), entity=np.array([1, 1, 2])).class_sizes.tolist()
        [1, 1]
    """

    def __init__(
        self,
        class_of: "NDArray[np.integer[Any]]",
        *,
        weights: "NDArray[np.integer[Any]] | None" = None,
        attribute: "NDArray[np.integer[Any]] | None" = None,
        suppressed: int = -1,
        attribute_numbers: "NDArray[np.float64] | None" = None,
        attribute_order: ValueOrder | None = None,
        entity: "NDArray[np.integer[Any]] | None" = None,
    ) -> None:
        for name, array, least in (
            ("class_of", class_of, 0),
            ("weights", weights, 1),
            ("attribute", attribute, 0),
            ("entity", entity, 0),
        ):
            _check(name, array, len(class_of), least)
        group, classes = _dense(class_of)
        code, codes, has_suppressed = None, np.zeros(0, dtype=np.int64), False
        if attribute is not None:
            code, codes, has_suppressed = without_mark(*_dense(attribute), suppressed)
        who, entities = (None, np.zeros(0, dtype=np.int64)) if entity is None else _dense(entity)
        is_weighted = weights is not None and entity is None and bool((weights != 1).any())
        self._classes = len(classes)
        self._numbers = attribute_numbers
        self._order = attribute_order
        self._records = LatticeRecords(
            columns=(group,),
            cardinalities=(len(classes),),
            weights=weights.astype(np.float64) if is_weighted and weights is not None else None,
            attribute=code,
            attribute_codes=codes,
            entity=who,
            entities=len(entities),
            has_suppressed=has_suppressed,
        )

    @cached_property
    def class_sizes(self) -> Ints:
        """Persons in each class that occurs, in the order of the classes' numbers; shape (classes,)."""
        if self._records.has_suppressed:
            return self._alone.class_sizes
        return self._chunk.size if self._classes else np.zeros(0, dtype=np.int64)

    @cached_property
    def is_learned(self) -> NDArray[np.bool_]:
        """Whether a class has a value of the attribute that is not suppressed; shape (classes,)."""
        if not self._records.has_suppressed or self._records.attribute is None:
            return np.ones(self._classes, dtype=np.bool_)
        is_value = self._records.attribute != self._records.suppressed
        return np.bincount(self._records.columns[0].compress(is_value), minlength=self._classes) > 0

    def class_values(self, value: ClassValue) -> Floats:
        """Return a class value for every class.

        Args:
            value: An aggregate over the cells of a class.

        Returns:
            Shape (classes,), in the order of the classes' numbers; NaN for NULL, and where every value of the
            attribute is suppressed; nothing for no records.

        Units:
            Those of the class value.

        Raises:
            NotMeasurable: When it needs an attribute or its numbers and there are none, or its SQL is
                outside what arrays can evaluate.

        Example:
            >>> import numpy as np
            >>> from qidguard.core.statistic import ClassValue
            >>> two = GroupedRecords(np.array([0, 0, 1]), attribute=np.array([1, 2, 2]))
            >>> two.class_values(ClassValue(name="values", sql="count(n)")).tolist()
            [2.0, 1.0]
        """
        statistic = Statistic(name="any", sql=f"min({value.name})", values=(value,))
        values = np.full(self._classes, np.nan)
        if not self.is_learned.any():
            return values
        # each class as a set of its own, so that the least of a class value is the class value
        each = np.arange(len(self._chunk.size))
        try:
            chunk = replace(self._chunk, sets=each, starts=each)
            [found] = take_statistics([self._ready(statistic)], (chunk, self._values))
        except Unsupported:
            raise NotMeasurable(_OUTSIDE) from None
        values[self.is_learned] = [np.nan if one is None else one for one in found]
        return values

    def figure(self, metric: Metric, arguments: Arguments) -> Number:
        """Return the figure of a metric over these classes.

        Args:
            metric: Any metric of any plugin.
            arguments: Its arguments, checked by its parameters.

        Returns:
            The figure, to the last digit the one that the engine's SQL gives.

        Units:
            The metric's own.

        Raises:
            NotMeasurable: When there are no records, the metric has no figure for these classes, needs an
                attribute that is not there, or needs more of the table than its classes.
            PluginError: When the metric fails or gives no number inside its range.

        Example:
            >>> import numpy as np
            >>> from qidguard.anonymizing.example import CLASSES_QUESTION
            >>> GroupedRecords(np.array([4, 4, 7])).figure(CLASSES_QUESTION.metric, {})
            2
        """
        if not self._classes:
            raise NotMeasurable("The table has no records, so there is nothing to measure.")
        if metric.attribute is not None and self._records.attribute is None:
            raise NotMeasurable(f"metric {metric.name!r} is measured beside an attribute; give one")
        if metric.is_of_size:
            raise NotMeasurable(f"metric {metric.name!r} counts QIDs, and only their classes are held")
        if metric.needs_rest:
            raise NotMeasurable(f"metric {metric.name!r} is of the other columns, and only classes are held")
        if metric.needs_order and (self._order is None or self._order.by is None):
            raise NotMeasurable(_NO_ORDER if self._order is None else self._order.why_not)
        if metric.attribute is None and self._records.has_suppressed:
            return self._alone.figure(metric, arguments)
        if not self.is_learned.any():
            return of_nothing_to_learn(metric, _ATTRIBUTE)
        method = metric.method
        with code_of(metric, _OWNER):
            if isinstance(method, TableFunction):
                found = method.measure(self._view, self._grouping, arguments)
                return estimated(metric, found).value
            return checked(metric, method.compute(self.statistics(method.needs(arguments)), arguments))

    def statistics(self, wanted: Sequence[Statistic]) -> StatisticValues:
        """Return statistics of these classes, all by one statement.

        Args:
            wanted: The statistics; two of one name, or with class values of one name, are the same.

        Returns:
            Name → number, to the last digit the one that the engine's SQL gives.

        Units:
            Those of the statistics.

        Raises:
            NotMeasurable: When there are no records, one needs a population, an attribute or its numbers and
                there are none, or its SQL is outside what arrays can evaluate.

        Example:
            >>> import numpy as np
            >>> from qidguard.core.statistic import CLASSES, SMALLEST_CLASS
            >>> GroupedRecords(np.array([4, 4, 7])).statistics((CLASSES, SMALLEST_CLASS))
            {'classes': 2, 'smallest_class': 1}
        """
        return self.statistics_of_each([self], wanted)[0]

    @staticmethod
    def statistics_of_each(
        many: "Sequence[GroupedRecords]", wanted: Sequence[Statistic]
    ) -> list[StatisticValues]:
        """Return statistics of several groups of classes by one statement, which costs little more than one.

        Args:
            many: The classes: all of them beside an attribute or none, all with entities or none.
            wanted: The statistics; two of one name, or with class values of one name, are the same.

        Returns:
            For each the name → number, as ``statistics`` gives it.

        Raises:
            NotMeasurable: As ``statistics``, of any of them.

        Example:
            >>> import numpy as np
            >>> from qidguard.core.statistic import SMALLEST_CLASS
            >>> both = [GroupedRecords(np.array([0, 0])), GroupedRecords(np.array([0, 1]))]
            >>> GroupedRecords.statistics_of_each(both, (SMALLEST_CLASS,))
            [{'smallest_class': 2}, {'smallest_class': 1}]
        """
        if not all(one._classes for one in many):  # noqa: SLF001 - it is our own, as below
            raise NotMeasurable("The table has no records, so there is nothing to measure.")
        if not many or not wanted:
            return [{} for _ in many]
        if not all(one.is_learned.any() for one in many):
            nothing = dict.fromkeys(statistic.name for statistic in wanted)
            return [one.statistics(wanted) if one.is_learned.any() else nothing for one in many]
        try:
            ready = [[one._ready(s) for one in many][0] for s in wanted]  # noqa: RUF015, SLF001 - each is checked
            taken = take_statistics(ready, *((one._chunk, one._values) for one in many))  # noqa: SLF001
        except Unsupported:
            raise NotMeasurable(_OUTSIDE) from None
        by_group = zip(*taken, strict=True)
        return [{s.name: value for s, value in zip(wanted, row, strict=True)} for row in by_group]

    def cells(self) -> Cells:
        """Return the cells of these classes.

        Raises:
            NotMeasurable: When there is no attribute.

        Example:
            >>> import numpy as np
            >>> GroupedRecords(np.array([0, 0, 1]), attribute=np.array([1, 2, 2])).cells().n.tolist()
            [1, 1, 1]
        """
        return self._view.cells(self._grouping)

    def _ready(self, statistic: Statistic) -> ClassStatistic:
        ready = class_statistic(
            statistic,
            has_attribute=self._records.attribute is not None,
            has_entities=self._records.entity is not None,
        )
        if ready.needs_numbers and self._numbers is None:
            raise NotMeasurable("the attribute holds no numbers to do arithmetic with")
        return ready

    @cached_property
    def _chunk(self) -> Chunk:
        return _chunk(self._records)

    @cached_property
    def _alone(self) -> "GroupedRecords":
        """The same classes without the attribute."""
        read = self._records
        weights = None if read.weights is None else read.weights.astype(np.int64)
        return GroupedRecords(read.columns[0], weights=weights, entity=read.entity)

    @cached_property
    def _values(self) -> AttributeValues | None:
        return None if self._records.attribute is None else attribute_values(self._records, self._numbers)

    @property
    def _grouping(self) -> Grouping:
        return Grouping(qids=(_QID,), sensitive=None if self._records.attribute is None else _ATTRIBUTE)

    @property
    def _view(self) -> GroupedView:
        return GroupedView(self._chunk, self._records, self._values, self.class_sizes)


_NO_ORDER = "nobody said in which order the attribute's values stand; give attribute_order"
_OUTSIDE = "its statistics are outside what arrays can evaluate; measure it on the table itself"


def _chunk(records: LatticeRecords) -> Chunk:
    """Return the classes of records whose one column holds them."""
    level = whole_level(records)
    everyone = Partition(
        level.first, records.weights, records.columns[0], records.cardinalities[0], level, NOTHING
    )
    return next(cell_chunks(records, iter([(everyone, [(0, 0)])])))


def _dense(codes: "NDArray[np.integer[Any]]") -> tuple[Ints, Ints]:
    """Number the codes that occur, in their order; return the numbers and the codes."""
    largest = int(codes.max(initial=0))
    if largest > 4 * len(codes) + 4096:  # beyond, sorting costs less than an array of all codes
        known, number = np.unique(codes, return_inverse=True)
        return number.astype(np.int64), known.astype(np.int64)
    known = np.flatnonzero(np.bincount(codes, minlength=1))
    if len(known) == largest + 1:
        return codes.astype(np.int64), known
    place = np.zeros(largest + 1, dtype=np.int64)
    place[known] = np.arange(len(known))
    return place.take(codes), known


def _check(name: str, array: "NDArray[np.integer[Any]] | None", rows: int, least: int) -> None:
    if array is None:
        return
    if array.ndim != 1 or len(array) != rows or array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers, one for each of the {rows} rows")
    if rows and int(array.min()) < least:
        raise ValueError(f"{name} must be at least {least}")

"""Metrics: arithmetic over statistics, with a unit, a range and a direction."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from qidguard.core.annotation import field_misfits
from qidguard.core.measurement import Estimate
from qidguard.core.parameter import Arguments, Parameter
from qidguard.core.role import Role
from qidguard.core.statistic import ClassValue, Number, Statistic, StatisticValues
from qidguard.core.view import Grouping

if TYPE_CHECKING:
    from qidguard.core.view import TableView


class Direction(StrEnum):
    """Which way a figure gets safer."""

    HIGHER_IS_SAFER = "higher_is_safer"
    LOWER_IS_SAFER = "lower_is_safer"
    NEITHER = "neither"


class OverTime(StrEnum):
    """Whom a metric over several releases watches: who is in more than one, or who came or left between."""

    STAYED = "stayed"
    CAME_OR_LEFT = "came_or_left"


class Unit(StrEnum):
    """What a figure counts. ``persons`` prints as records, or entities where the table has them."""

    PERSONS = "persons"
    SHARE = "share"
    CLASSES = "classes"
    VALUES = "values"
    COLUMNS = "columns"
    NATS = "nats"
    BITS = "bits"
    RATIO = "ratio"
    SCORE = "score"


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """What ``qidguard explain`` says of a metric; every field is filled."""

    meaning: str
    formula: str
    source: str
    good_value: str
    missing: str
    empty: str
    single_class: str

    def __post_init__(self) -> None:
        for field in self.__dataclass_fields__:
            if not getattr(self, field).strip():
                raise ValueError(f"explanation lacks its {field}")


@dataclass(frozen=True, kw_only=True)
class GroupBy:
    """How a metric comes out of group-by statistics.

    Args:
        statistics: The statistics it needs, or a function of its arguments that returns them.
        compute: Statistic values and arguments → number; raises NotMeasurable where none exists.
        distribution: The class value whose distribution over classes people may want to see.
    """

    statistics: tuple[Statistic, ...] | Callable[[Arguments], tuple[Statistic, ...]]
    compute: Callable[[StatisticValues, Arguments], Number]
    distribution: ClassValue | None = None

    def needs(self, arguments: Arguments) -> tuple[Statistic, ...]:
        """Return the statistics for these arguments.

        Args:
            arguments: Parameter name → checked value, as ``qidguard.core.parameter.bind`` gives them.

        Returns:
            The statistics, each once.

        Units:
            Those of the statistics.

        Raises:
            KeyError: When an argument that the metric reads is not there.

        Example:
            >>> from qidguard.core.statistic import CLASSES
            >>> GroupBy(statistics=(CLASSES,), compute=lambda s, _: s["classes"]).needs({}) == (CLASSES,)
            True
        """
        return self.statistics if isinstance(self.statistics, tuple) else self.statistics(arguments)


@dataclass(frozen=True, kw_only=True)
class TableFunction:
    """How a metric that is no group-by comes out of the table itself; its docstring says why it is none."""

    measure: Callable[["TableView", Grouping, Arguments], Number | Estimate]


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A named figure of a table and its roles.

    Args:
        name: As written in policies, a plain identifier in snake_case.
        title: The field's standard term.
        unit: What the figure counts.
        minimum: Smallest value it can take, in its unit.
        maximum: Largest value it can take (may be infinite).
        direction: Which way it gets safer.
        method: Group-by statistics, or a function of the table.
        explanation: The words for ``qidguard explain``.
        parameters: What a policy may set.
        is_sensitive: Measured once per sensitive attribute; the same as ``attribute=Role.SENSITIVE``.
        attribute: The role of the one column that is measured beside the QIDs: sensitive, target,
            treatment or weight. It stands in ``Grouping.sensitive``.
        needs_population: Measured against the policy's population table.
        needs_history: Measured against the earlier releases of the data set.
        needs_original: Measured against the original table that the audited one was made from.
        compares_tables: Of a metric that needs the original: it compares the two tables as wholes, such as
            their distributions, and never one record with its own original. So it has a figure for a new
            table, too, whose records are none of the original's.
        needs_every_column: Measured over all columns of the table, whichever are QIDs.
        needs_order: Measured over the order of the attribute's values: numbers, dates, or an order that is
            declared. Beside an attribute without one it is not measured.
        needs_rest: Measured over what is published outside the QIDs: the grouping that it is given names
            these columns, sensitive ones left out, and the view is a ``RestView``. Where nothing is, the
            figure is the safest there is.
        is_costly: It takes many times as long as reading the tables does, as training a model on them: a
            trial measures it only where that is asked for. A limit on it is measured as ever.
        over_time: Of a metric that limits what releases reveal together: whom it watches.
        is_whole: Its figure is a whole number, so that a limit between two of them is a slip.
        is_monotone: Coarser QIDs never make the figure less safe, in a table without suppressed values.
        is_of_size: The figure depends on the number of QIDs only, not on which they are.
        change_of: The metric whose change since a search's current set this is; empty for any other metric.
            Such a metric has a figure inside a search only.
    """

    name: str
    title: str
    unit: Unit
    minimum: float
    maximum: float
    direction: Direction
    method: GroupBy | TableFunction
    explanation: Explanation
    parameters: tuple[Parameter, ...] = ()
    is_sensitive: bool = False
    needs_population: bool = False
    needs_history: bool = False
    needs_original: bool = False
    compares_tables: bool = False
    needs_every_column: bool = False
    needs_order: bool = False
    needs_rest: bool = False
    is_costly: bool = False
    over_time: tuple[OverTime, ...] = ()
    is_whole: bool = False
    is_monotone: bool = False
    attribute: Role | None = None
    change_of: str = ""
    is_of_size: bool = False

    def __post_init__(self) -> None:
        if self.attribute is None and self.is_sensitive is True:
            object.__setattr__(self, "attribute", Role.SENSITIVE)
        object.__setattr__(self, "is_sensitive", self.attribute is Role.SENSITIVE or self.is_sensitive)
        # a plugin may be written without a type checker, and a metric of wrong types must not judge
        for field, words in field_misfits(self).items():
            raise TypeError(f"metric {self.name!r}: {field} must be {words}")
        if not (self.name.isidentifier() and self.name.isascii() and self.name == self.name.lower()):
            raise ValueError(f"metric name {self.name!r} is not a lower-case identifier")
        if self.attribute not in _ATTRIBUTES or (self.is_sensitive and self.attribute is not Role.SENSITIVE):
            raise ValueError(f"metric {self.name}: no metric is measured beside a {self.attribute} column")
        if self.needs_order and self.attribute is None:
            raise ValueError(f"metric {self.name}: an order is of an attribute; name its role")
        if not self.minimum <= self.maximum:
            raise ValueError(f"metric {self.name}: minimum {self.minimum} is above maximum {self.maximum}")


_ATTRIBUTES = (None, Role.SENSITIVE, Role.TARGET, Role.TREATMENT, Role.WEIGHT)

"""Metrics that have a value in every class: a parameter picks the headline over the classes.

The value is SQL over the cells of a class, or a function where SQL cannot give it. Of a target's numbers it
is said which are taken, and how large they may be so that sums of them stay exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.sdk import (
    Arguments,
    ClassValue,
    Explanation,
    GroupBy,
    Grouping,
    Metric,
    NotMeasurable,
    Parameter,
    Role,
    Statistic,
    StatisticValues,
    TableFunction,
    TableView,
    exact_sum,
    value_of,
)
from qidguard_qidlearning.metrics.wording import ATTRIBUTE_NULL, EMPTY, NUMBER_NULL, QID_NULL, ClassScale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = tuple[NDArray[np.float64], NDArray[np.int64]]

MINIMUM = "minimum"
MAXIMUM = "maximum"
MEAN = "mean"
WEIGHTED_MEAN = "weighted_mean"

_STEP = 1e9
"""Up to here a term of a sum is added up to 18 decimals, beyond it to 9: either sum stays exact."""


def headline_statistics(value: ClassValue, arguments: Arguments) -> tuple[Statistic, ...]:
    """Return the statistics from which ``headline`` is computed.

    One for an extreme; for a mean its sum, counted fine and coarse, and its weight.
    """
    name, wanted = value.name, arguments["statistic"]
    if wanted in {MINIMUM, MAXIMUM}:
        return (Statistic(name=f"{wanted}_{name}", sql=f"{wanted[:3]}({name})", values=(value,)),)
    is_weighted = wanted == WEIGHTED_MEAN
    term = f"{name} * size" if is_weighted else name
    # NULL is not ≥ 0, so a class without a value has no weight
    weight = f"sum(CASE WHEN {name} >= 0 THEN size ELSE 0 END)" if is_weighted else f"count({name})"
    pieces = {
        "largest": f"max({term})",
        "fine": exact_sum(f"CASE WHEN {term} > {_STEP} THEN {_STEP} ELSE {term} END"),
        "coarse": exact_sum(f"{term} / {_STEP}"),
        "weight": weight,
    }
    return tuple(
        Statistic(name=f"{wanted}_{name}_{piece}", sql=sql, values=(value,)) for piece, sql in pieces.items()
    )


def headline(values: StatisticValues, value: ClassValue, arguments: Arguments) -> int | float:
    """Return the figure that the argument ``statistic`` asks for, over the classes that have a value."""
    name, wanted = value.name, arguments["statistic"]
    if wanted in {MINIMUM, MAXIMUM}:
        return value_of(values, f"{wanted}_{name}")
    weight = value_of(values, f"{wanted}_{name}_weight")
    if weight == 0:
        raise NotMeasurable("The table has no records with a value, so there is nothing to measure.")
    if value_of(values, f"{wanted}_{name}_largest") <= _STEP:
        return value_of(values, f"{wanted}_{name}_fine") / weight
    return value_of(values, f"{wanted}_{name}_coarse") * _STEP / weight


LIMIT = 1e9
"""Largest absolute number, in the target's unit."""

# CASE keeps NULL as it is, where greatest and least would take the limit for it
NUMBER = f"CASE WHEN number > {LIMIT} THEN {LIMIT} WHEN number < -{LIMIT} THEN -{LIMIT} ELSE number END"
"""The number in SQL; never beyond the limit, where a sum of squares would overflow."""

_REACH = ClassValue(name="largest_number", sql="max(abs(number))")

LARGEST_NUMBER = Statistic(name="largest_number_of_table", sql="max(largest_number)", values=(_REACH,))
"""The largest absolute number of the target, in its own unit; None where it has none."""


def refuse_large_numbers(values: StatisticValues) -> None:
    """Refuse a target without numbers, or with numbers too large to be added up exactly: NotMeasurable."""
    largest = values[LARGEST_NUMBER.name]
    if largest is None:
        raise NotMeasurable(
            "The table has no records with a number in the target, so there is none to measure."
        )
    if largest > LIMIT:
        raise NotMeasurable(
            f"The target's numbers reach beyond {LIMIT:.0e}, where sums lose digits; give it in"
            " a larger unit."
        )


@dataclass(frozen=True, kw_only=True)
class ClassFunction:
    """Measures a headline over the values of the classes, which need more than their cells: no group-by.

    ``class_values`` gives the value and the size (persons) of every class; shape (classes,) each.
    """

    class_values: "Callable[[TableView, Grouping], Values]"

    def __call__(self, view: TableView, grouping: Grouping, arguments: Arguments) -> float:
        """Return the figure that ``statistic`` asks for; NotMeasurable where there is no record."""
        values, sizes = self.class_values(view, grouping)
        if not len(values):
            raise NotMeasurable("The table has no records, so there is nothing to measure.")
        wanted = arguments["statistic"]
        if wanted == MINIMUM:
            return float(values.min())
        if wanted == MAXIMUM:
            return float(values.max())
        if wanted == MEAN:
            return float(values.mean())
        return float(values @ sizes / sizes.sum())


def _of_cells(value: ClassValue, *, takes_numbers: bool) -> GroupBy:
    def needs(arguments: Arguments) -> tuple[Statistic, ...]:
        statistics = headline_statistics(value, arguments)
        return (LARGEST_NUMBER, *statistics) if takes_numbers else statistics

    def compute(values: StatisticValues, arguments: Arguments) -> int | float:
        if takes_numbers:
            refuse_large_numbers(values)
        return headline(values, value, arguments)

    return GroupBy(statistics=needs, compute=compute, distribution=value)


def class_metric(  # noqa: PLR0913 - each is a fact of the metric, as in Metric itself
    *,
    name: str,
    title: str,
    value: ClassValue | ClassFunction,
    statistic: str,
    scale: ClassScale,
    meaning: str,
    formula: str,
    source: str,
    good_value: str,
    single_class: str,
    missing: str = "",
    attribute: Role | None = None,
    takes_numbers: bool = False,
) -> Metric:
    """Return a metric whose headline is a figure over the values of the classes, by default ``statistic``.

    A class has a value ≥ 0, or NULL where it has none; scale and formula are those of one class. It is not
    marked monotone, for the extremes and means behave each in their own way. What NULL gives follows from the
    attribute, unless ``missing`` says it.
    """
    by_attribute = NUMBER_NULL if takes_numbers else ATTRIBUTE_NULL
    return Metric(
        name=name,
        title=title,
        **scale,
        method=_of_cells(value, takes_numbers=takes_numbers)
        if isinstance(value, ClassValue)
        else TableFunction(measure=value),
        parameters=(
            Parameter(
                name="statistic",
                type=str,
                default=statistic,
                choices=(MINIMUM, MAXIMUM, MEAN, WEIGHTED_MEAN),
                meaning="which figure over the classes is the headline, in the metric's unit: minimum, "
                "maximum, mean (each class counts once) or weighted_mean (each class counts with its "
                "persons)",
            ),
        ),
        attribute=attribute,
        explanation=Explanation(
            meaning=meaning,
            formula=formula,
            source=source,
            good_value=good_value,
            missing=missing or (by_attribute if attribute else QID_NULL),
            empty=EMPTY,
            single_class=single_class,
        ),
    )

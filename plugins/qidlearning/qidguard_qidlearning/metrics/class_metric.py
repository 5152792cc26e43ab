"""A metric that has a value in every class: its distribution is kept, and a parameter picks the headline."""

from qidguard import (
    Arguments,
    ClassValue,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    Role,
    Statistic,
    StatisticValues,
    Unit,
)
from qidguard_qidlearning.metrics.class_headline import headline, headline_statistics, statistic_parameter
from qidguard_qidlearning.metrics.target_number import LARGEST_NUMBER, refuse_large_numbers


def class_metric(  # noqa: PLR0913 - each is a fact of the metric, as in Metric itself
    *,
    name: str,
    title: str,
    value: ClassValue,
    statistic: str,
    unit: Unit,
    minimum: float,
    maximum: float,
    explanation: Explanation,
    direction: Direction = Direction.NEITHER,
    attribute: Role | None = None,
    takes_numbers: bool = False,
) -> Metric:
    """Return a metric whose headline is a figure over the values of the classes.

    Args:
        name: The metric's name.
        title: The field's term.
        value: What a class has, ≥ 0, or NULL where it has none.
        statistic: The headline by default: minimum, maximum, mean or weighted_mean.
        unit: The unit of the class value and so of the headline.
        minimum: Smallest value of a class.
        maximum: Largest value of a class.
        explanation: Words; its formula is that of one class.
        direction: Which way it gets safer.
        attribute: The role of the column it is measured beside, if any.
        takes_numbers: Whether the class value is taken over that column's numbers.

    Returns:
        The metric; it is not marked monotone, for the extremes and means behave each in their own way.

    Units:
        Those given.

    Raises:
        ValueError: When the default statistic is unknown.

    Example:
        >>> from qidguard_qidlearning.metrics.l_diversity import L_DIVERSITY
        >>> L_DIVERSITY.parameters[0].default
        'minimum'
    """

    def needs(arguments: Arguments) -> tuple[Statistic, ...]:
        statistics = headline_statistics(value, arguments)
        return (LARGEST_NUMBER, *statistics) if takes_numbers else statistics

    def compute(values: StatisticValues, arguments: Arguments) -> int | float:
        if takes_numbers:
            refuse_large_numbers(values)
        return headline(values, value, arguments)

    return Metric(
        name=name,
        title=title,
        unit=unit,
        minimum=minimum,
        maximum=maximum,
        direction=direction,
        method=GroupBy(statistics=needs, compute=compute, distribution=value),
        parameters=(statistic_parameter(statistic),),
        attribute=attribute,
        explanation=explanation,
    )

"""A metric that has a value in every class: its distribution is kept, and a parameter picks the headline."""

from qidguard.sdk import (
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
    """Return a metric whose headline is a figure over the values of the classes, by default ``statistic``.

    A class has a value ≥ 0, or NULL where it has none; unit, minimum, maximum and formula are those of one
    class. It is not marked monotone, for the extremes and means behave each in their own way.
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

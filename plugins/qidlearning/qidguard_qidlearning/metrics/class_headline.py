"""The headline of a metric that has a value in every class: a figure over the classes, chosen by name."""

from qidguard.sdk import (
    Arguments,
    ClassValue,
    NotMeasurable,
    Parameter,
    Statistic,
    StatisticValues,
    exact_sum,
    value_of,
)

MINIMUM = "minimum"
MAXIMUM = "maximum"
MEAN = "mean"
WEIGHTED_MEAN = "weighted_mean"

_STEP = 1e9
"""Up to here a term of a sum is added up to 18 decimals, beyond it to 9: either sum stays exact."""


def statistic_parameter(default: str) -> Parameter:
    """Return the parameter ``statistic``, which says what figure over the classes is the headline."""
    choices = (MINIMUM, MAXIMUM, MEAN, WEIGHTED_MEAN)
    if default not in choices:
        raise ValueError(f"the default of statistic must be one of {choices}, not {default!r}")
    return Parameter(
        name="statistic",
        type=str,
        default=default,
        choices=choices,
        meaning="which figure over the classes is the headline, in the metric's unit: minimum, maximum, mean "
        "(each class counts once) or weighted_mean (each class counts with its persons)",
    )


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

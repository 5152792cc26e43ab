"""The headline of a metric that has a value in every class: a figure over the classes, chosen by name."""

from qidguard import Arguments, ClassValue, NotMeasurable, Parameter, Statistic, StatisticValues, exact_sum
from qidguard_qidlearning.metrics.class_statistics import figure

MINIMUM = "minimum"
MAXIMUM = "maximum"
MEAN = "mean"
WEIGHTED_MEAN = "weighted_mean"

_STEP = 1e9
"""Up to here a term of a sum is added up to 18 decimals, beyond it to 9: either sum stays exact."""


def statistic_parameter(default: str) -> Parameter:
    """Return the parameter ``statistic``, which says what figure over the classes is the headline.

    Args:
        default: One of its choices.

    Returns:
        The parameter.

    Units:
        None.

    Raises:
        ValueError: When the default is no choice.

    Example:
        >>> statistic_parameter("mean").default
        'mean'
    """
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

    Args:
        value: The value of a class, ≥ 0, or NULL where the class has none.
        arguments: ``statistic`` as checked by its parameter.

    Returns:
        One statistic for an extreme; for a mean its sum, counted fine and coarse, and its weight.

    Units:
        Those of the class value, times persons for a weighted mean.

    Raises:
        KeyError: When there is no argument ``statistic``.

    Example:
        >>> value = ClassValue(name="values", sql="count(n)")
        >>> [s.sql for s in headline_statistics(value, {"statistic": "minimum"})]
        ['min(values)']
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
    """Return the figure over the classes that the argument ``statistic`` asks for.

    Args:
        values: The values of ``headline_statistics``.
        value: The value of a class.
        arguments: ``statistic`` as checked by its parameter.

    Returns:
        The minimum, maximum, mean or weighted mean over the classes that have a value.

    Units:
        Those of the class value.

    Raises:
        NotMeasurable: When the table has no records, or no class has a value.

    Example:
        >>> value = ClassValue(name="values", sql="count(n)")
        >>> headline({"minimum_values": 2}, value, {"statistic": "minimum"})
        2
    """
    name, wanted = value.name, arguments["statistic"]
    if wanted in {MINIMUM, MAXIMUM}:
        return figure(values, f"{wanted}_{name}")
    weight = figure(values, f"{wanted}_{name}_weight")
    if weight == 0:
        raise NotMeasurable("The table has no records with a value, so there is nothing to measure.")
    if figure(values, f"{wanted}_{name}_largest") <= _STEP:
        return figure(values, f"{wanted}_{name}_fine") / weight
    return figure(values, f"{wanted}_{name}_coarse") * _STEP / weight

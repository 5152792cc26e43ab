"""The numbers of a target: which are taken, and how large they may be so that sums of them stay exact."""

from qidguard.sdk import ClassValue, NotMeasurable, Statistic, StatisticValues

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

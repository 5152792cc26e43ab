"""Intersection k-anonymity: the smallest joint class of the people who are in several releases.

Each release may be k-anonymous by itself and still isolate people together: whoever is known to be in class A
of one and class B of another is in A ∩ B (Ganta, Kasiviswanathan & Smith 2008).

Example:
    >>> INTERSECTION_K_ANONYMITY.unit.value, INTERSECTION_K_ANONYMITY.needs_history
    ('persons', True)
"""

import math

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    OverTime,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.metrics.wording import EMPTY
from qidguard_standard.over_time.joint import FOLLOWED, INTERSECTION_SOURCE, MOST_RECENT, joint_sizes


def _smallest(view: TableView, grouping: Grouping, arguments: Arguments) -> int:
    joint = joint_sizes(view, grouping, arguments)
    smallest = joint.smallest(joint.classes.is_now & joint.classes.is_before)
    return joint.persons_now if smallest is None else smallest


INTERSECTION_K_ANONYMITY = Metric(
    name="intersection_k_anonymity",
    title="intersection k-anonymity",
    unit=Unit.PERSONS,
    minimum=1,
    maximum=math.inf,
    direction=Direction.HIGHER_IS_SAFER,
    is_whole=True,
    method=TableFunction(measure=_smallest),
    parameters=(MOST_RECENT,),
    needs_history=True,
    over_time=(OverTime.STAYED,),
    # coarser QIDs may be answered by another combination of an earlier release, whose classes are finer
    is_monotone=False,
    explanation=Explanation(
        meaning="Whoever is in this table and in an earlier release looks like at least k−1 others in all "
        "of them together. Two releases that are each 5-anonymous can isolate people where their classes "
        "cross: who is known to be in one class of each hides only in what the two have in common. Those "
        "who came or left are measured by differencing_k_anonymity.",
        formula="min over persons who are in the table and in an earlier release of the size of their "
        "joint class: the persons who share their class in every release, absence being a class of its "
        "own. Where nobody is in both, and before the first release, it is the number of persons in the "
        "table, the largest a class could be",
        source=INTERSECTION_SOURCE,
        good_value="The k that each release must have by itself: an attacker who holds them all is the one "
        "to fear. A release with the records and the classes of the one before gives that one's k.",
        missing=FOLLOWED,
        empty=EMPTY,
        single_class="The persons who share their class in the earlier releases; with a single class in "
        "each of them, the persons who are in the same releases.",
    ),
)
"""The size of the smallest joint class among the persons of several releases."""

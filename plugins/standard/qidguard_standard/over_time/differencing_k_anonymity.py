"""Differencing k-anonymity: the smallest joint class of the people who came or left.

Who holds two releases subtracts a class of one from the same class of the other and is left with those who
came or left, however large both classes are: the tracker of Denning, Denning & Schwartz 1979, applied to
microdata.

Example:
    >>> DIFFERENCING_K_ANONYMITY.unit.value, DIFFERENCING_K_ANONYMITY.needs_history
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
from qidguard_standard.over_time.joint import (
    BY_COUNTS,
    DIFFERENCING_SOURCE,
    FOLLOWED,
    INTERSECTION_SOURCE,
    MOST_RECENT,
    joint_sizes,
    size_changes,
)


def _smallest(view: TableView, grouping: Grouping, arguments: Arguments) -> int:
    joint = joint_sizes(view, grouping, arguments)
    smallest = joint.smallest(joint.classes.is_absent)
    by_counts = [int(changes.min()) for changes in size_changes(view, grouping, arguments) if len(changes)]
    return min([joint.persons if smallest is None else smallest, *by_counts])


DIFFERENCING_K_ANONYMITY = Metric(
    name="differencing_k_anonymity",
    title="differencing k-anonymity",
    unit=Unit.PERSONS,
    minimum=1,
    maximum=math.inf,
    direction=Direction.HIGHER_IS_SAFER,
    is_whole=True,
    method=TableFunction(measure=_smallest),
    parameters=(MOST_RECENT,),
    needs_history=True,
    over_time=(OverTime.CAME_OR_LEFT,),
    # as for the intersection: coarser QIDs may be answered by finer classes of an earlier release
    is_monotone=False,
    explanation=Explanation(
        meaning="Whoever came or left between releases looks like at least k−1 others who did so too. Who "
        "holds a class of 20 persons and the same class of 21 a day later knows that one of them is new, "
        f"and reads that person's record off the difference, although both classes are large. {BY_COUNTS}",
        formula="min over persons who are absent from at least one of the releases, the table being one of "
        "them, of the size of their joint class: the persons who share their class in every release, "
        "absence being a class of its own. Where nobody came or left it is the number of persons. Without "
        "an entity column it is no more than min |size now − size then| over the earlier releases and the "
        "classes that differ in size, one that a release lacks having size 0",
        source=f"{DIFFERENCING_SOURCE}; {INTERSECTION_SOURCE}",
        good_value="The k that each release must have by itself. It is hard to reach where people come one "
        "by one: hold newcomers back until k of them share a class, or publish less often.",
        missing=FOLLOWED,
        empty=EMPTY,
        single_class="The smallest number of persons who came and left together.",
    ),
)
"""The size of the smallest joint class of who came or left, or the smallest change of a class, if less."""

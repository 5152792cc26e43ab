"""Persons isolated over releases: how many people the releases together leave in a class below k.

Example:
    >>> PERSONS_ISOLATED_OVER_RELEASES.unit.value, PERSONS_ISOLATED_OVER_RELEASES.needs_history
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
    SMALLEST_JOINT_CLASS,
    isolated,
    joint_sizes,
)


def _isolated(view: TableView, grouping: Grouping, arguments: Arguments) -> int:
    return isolated(view, grouping, arguments, joint_sizes(view, grouping, arguments))


PERSONS_ISOLATED_OVER_RELEASES = Metric(
    name="persons_isolated_over_releases",
    title="persons isolated over releases",
    unit=Unit.PERSONS,
    minimum=0,
    maximum=math.inf,
    direction=Direction.LOWER_IS_SAFER,
    is_whole=True,
    method=TableFunction(measure=_isolated),
    parameters=(SMALLEST_JOINT_CLASS, MOST_RECENT),
    needs_history=True,
    over_time=(OverTime.STAYED, OverTime.CAME_OR_LEFT),
    # as for the intersection: coarser QIDs may be answered by finer classes of an earlier release
    is_monotone=False,
    explanation=Explanation(
        meaning="How many people share their class in all releases together with fewer than k−1 others, by "
        "intersection or because they came or left. Whoever earlier releases isolate already is counted "
        "too: what was published stays published, and most_recent says how much of it the attacker is "
        f"taken to hold. {BY_COUNTS}",
        formula="number of persons of any release whose joint class has fewer than k persons: the persons "
        "who share their class in every release, absence being a class of its own. Without an entity column "
        "it is no less than the sum of |size now − size then| over the classes where that is below k and "
        "not 0, in any one earlier release",
        source=f"{INTERSECTION_SOURCE}; {DIFFERENCING_SOURCE}",
        good_value="0 means that all releases together are k-anonymous for this k.",
        missing=FOLLOWED,
        empty=EMPTY,
        single_class="The persons who are in the same releases as fewer than k−1 others.",
    ),
)
"""The number of persons in joint classes of fewer than k."""

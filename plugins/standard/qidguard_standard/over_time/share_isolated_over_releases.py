"""Share of persons isolated over releases: which part of the people the releases together leave below k.

Example:
    >>> SHARE_ISOLATED_OVER_RELEASES.unit.value, SHARE_ISOLATED_OVER_RELEASES.needs_history
    ('share', True)
"""

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
    DIFFERENCING_SOURCE,
    FOLLOWED,
    INTERSECTION_SOURCE,
    MOST_RECENT,
    SMALLEST_JOINT_CLASS,
    isolated,
    joint_sizes,
)


def _share(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
    joint = joint_sizes(view, grouping, arguments)
    return min(isolated(view, grouping, arguments, joint) / joint.persons, 1.0)


SHARE_ISOLATED_OVER_RELEASES = Metric(
    name="share_isolated_over_releases",
    title="share of persons isolated over releases",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=TableFunction(measure=_share),
    parameters=(SMALLEST_JOINT_CLASS, MOST_RECENT),
    needs_history=True,
    over_time=(OverTime.STAYED, OverTime.CAME_OR_LEFT),
    # as for the intersection: coarser QIDs may be answered by finer classes of an earlier release
    is_monotone=False,
    explanation=Explanation(
        meaning="Which part of all the people who are in any of the releases share their class in all of "
        "them together with fewer than k−1 others. It tells a few newcomers from a whole table that two "
        "ways of coarsening have laid open.",
        formula="persons of any release whose joint class has fewer than k persons / persons of any "
        "release; a joint class is the persons who share their class in every release, absence being a "
        "class of its own. Without an entity column the former are no fewer than the persons by whom classes "
        "differ in size, as persons_isolated_over_releases counts them",
        source=f"{INTERSECTION_SOURCE}; {DIFFERENCING_SOURCE}",
        good_value="0 means that all releases together are k-anonymous for this k.",
        missing=FOLLOWED,
        empty=EMPTY,
        single_class="The part of the persons who are in the same releases as fewer than k−1 others.",
    ),
)
"""The share of persons in joint classes of fewer than k."""

"""What the releases together say of persons: their joint classes, and who came or left.

Intersection k-anonymity: the smallest joint class of the people who are in several releases.

Each release may be k-anonymous by itself and still isolate people together: whoever is known to be in class A
of one and class B of another is in A ∩ B (Ganta, Kasiviswanathan & Smith 2008).

Differencing k-anonymity: the smallest joint class of the people who came or left.

Who holds two releases subtracts a class of one from the same class of the other and is left with those who
came or left, however large both classes are: the tracker of Denning, Denning & Schwartz 1979, applied to
microdata.

Persons isolated over releases: how many people the releases together leave in a class below k.

Share of persons isolated over releases: which part of the people the releases together leave below k.

l-diversity of leaving batches: the fewest sensitive values among persons who left one class together.

Whoever holds two releases subtracts the later from the earlier and is left with those who went. They may be
k, and still all have one illness, which no measure of either release sees.

Example:
    >>> INTERSECTION_K_ANONYMITY.unit.value, INTERSECTION_K_ANONYMITY.needs_history
    ('persons', True)
    >>> DIFFERENCING_K_ANONYMITY.unit.value, DIFFERENCING_K_ANONYMITY.needs_history
    ('persons', True)
    >>> PERSONS_ISOLATED_OVER_RELEASES.unit.value, PERSONS_ISOLATED_OVER_RELEASES.needs_history
    ('persons', True)
    >>> SHARE_ISOLATED_OVER_RELEASES.unit.value, SHARE_ISOLATED_OVER_RELEASES.needs_history
    ('share', True)
    >>> LEAVING_BATCH_L_DIVERSITY.unit.value, LEAVING_BATCH_L_DIVERSITY.needs_history
    ('values', True)
"""

import numpy as np

from qidguard.sdk import (
    Arguments,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    OverTime,
    TableFunction,
    TableView,
)
from qidguard_standard.metrics.wording import EMPTY, PERSONS_HIGHER, PERSONS_LOWER, SHARE_LOWER, VALUES_HIGHER
from qidguard_standard.over_time.joint import (
    BY_COUNTS,
    BY_PERSONS,
    DIFFERENCING_SOURCE,
    FOLLOWED,
    INTERSECTION_SOURCE,
    MOST_RECENT,
    SMALLEST_JOINT_CLASS,
    history_of,
    isolated,
    joint_sizes,
    size_changes,
)


def _intersection_k_anonymity_smallest(view: TableView, grouping: Grouping, arguments: Arguments) -> int:
    joint = joint_sizes(view, grouping, arguments)
    smallest = joint.smallest(joint.classes.is_now & joint.classes.is_before)
    return joint.persons_now if smallest is None else smallest


INTERSECTION_K_ANONYMITY = Metric(
    name="intersection_k_anonymity",
    title="intersection k-anonymity",
    **PERSONS_HIGHER,
    is_whole=True,
    method=TableFunction(measure=_intersection_k_anonymity_smallest),
    parameters=(MOST_RECENT,),
    needs_history=True,
    over_time=(OverTime.STAYED,),
    # not marked monotone: coarser QIDs may be answered by another combination of an earlier release, whose
    # classes are finer
    explanation=Explanation(
        meaning="Whoever is in this table and in an earlier release looks like at least k−1 others in all of "
        "them together. Two releases that are each 5-anonymous can isolate people where their classes cross: "
        "who is known to be in one class of each hides only in what the two have in common. Those who came "
        "or left are measured by differencing_k_anonymity.",
        formula="min over persons who are in the table and in an earlier release of the size of their joint "
        "class: the persons who share their class in every release, absence being a class of its own. Where "
        "nobody is in both, and before the first release, it is the number of persons in the table, the "
        "largest a class could be",
        source=INTERSECTION_SOURCE,
        good_value="The k that each release must have by itself: an attacker who holds them all is the one "
        "to fear. A release with the records and the classes of the one before gives that one's k.",
        **BY_PERSONS,
        single_class="The persons who share their class in the earlier releases; with a single class in each "
        "of them, the persons who are in the same releases.",
    ),
)


def _differencing_k_anonymity_smallest(view: TableView, grouping: Grouping, arguments: Arguments) -> int:
    joint = joint_sizes(view, grouping, arguments)
    smallest = joint.smallest(joint.classes.is_absent)
    by_counts = [int(changes.min()) for changes in size_changes(view, grouping, arguments) if len(changes)]
    return min([joint.persons if smallest is None else smallest, *by_counts])


DIFFERENCING_K_ANONYMITY = Metric(
    name="differencing_k_anonymity",
    title="differencing k-anonymity",
    **PERSONS_HIGHER,
    is_whole=True,
    method=TableFunction(measure=_differencing_k_anonymity_smallest),
    parameters=(MOST_RECENT,),
    needs_history=True,
    over_time=(OverTime.CAME_OR_LEFT,),
    # not marked monotone: as for the intersection: coarser QIDs may be answered by finer classes of an
    # earlier release
    explanation=Explanation(
        meaning="Whoever came or left between releases looks like at least k−1 others who did so too. Who "
        "holds a class of 20 persons and the same class of 21 a day later knows that one of them is new, and "
        f"reads that person's record off the difference, although both classes are large. {BY_COUNTS}",
        formula="min over persons who are absent from at least one of the releases, the table being one of "
        "them, of the size of their joint class: the persons who share their class in every release, absence "
        "being a class of its own. Where nobody came or left it is the number of persons. Without an entity "
        "column it is no more than min |size now − size then| over the earlier releases and the classes that "
        "differ in size, one that a release lacks having size 0",
        source=f"{DIFFERENCING_SOURCE}; {INTERSECTION_SOURCE}",
        good_value="The k that each release must have by itself. It is hard to reach where people come one "
        "by one: hold newcomers back until k of them share a class, or publish less often.",
        **BY_PERSONS,
        single_class="The smallest number of persons who came and left together.",
    ),
)


def _isolated(view: TableView, grouping: Grouping, arguments: Arguments) -> int:
    return isolated(view, grouping, arguments, joint_sizes(view, grouping, arguments))


PERSONS_ISOLATED_OVER_RELEASES = Metric(
    name="persons_isolated_over_releases",
    title="persons isolated over releases",
    **PERSONS_LOWER,
    is_whole=True,
    method=TableFunction(measure=_isolated),
    parameters=(SMALLEST_JOINT_CLASS, MOST_RECENT),
    needs_history=True,
    over_time=(OverTime.STAYED, OverTime.CAME_OR_LEFT),
    # not marked monotone: as for the intersection: coarser QIDs may be answered by finer classes of an
    # earlier release
    explanation=Explanation(
        meaning="How many people share their class in all releases together with fewer than k−1 others, by "
        "intersection or because they came or left. Whoever earlier releases isolate already is counted too: "
        "what was published stays published, and most_recent says how much of it the attacker is taken to "
        f"hold. {BY_COUNTS}",
        formula="number of persons of any release whose joint class has fewer than k persons: the persons "
        "who share their class in every release, absence being a class of its own. Without an entity column "
        "it is no less than the sum of |size now − size then| over the classes where that is below k and not "
        "0, in any one earlier release",
        source=f"{INTERSECTION_SOURCE}; {DIFFERENCING_SOURCE}",
        good_value="0 means that all releases together are k-anonymous for this k.",
        **BY_PERSONS,
        single_class="The persons who are in the same releases as fewer than k−1 others.",
    ),
)


def _share(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
    joint = joint_sizes(view, grouping, arguments)
    return min(isolated(view, grouping, arguments, joint) / joint.persons, 1.0)


SHARE_ISOLATED_OVER_RELEASES = Metric(
    name="share_isolated_over_releases",
    title="share of persons isolated over releases",
    **SHARE_LOWER,
    method=TableFunction(measure=_share),
    parameters=(SMALLEST_JOINT_CLASS, MOST_RECENT),
    needs_history=True,
    over_time=(OverTime.STAYED, OverTime.CAME_OR_LEFT),
    # not marked monotone: as for the intersection: coarser QIDs may be answered by finer classes of an
    # earlier release
    explanation=Explanation(
        meaning="Which part of all the people who are in any of the releases share their class in all of "
        "them together with fewer than k−1 others. It tells a few newcomers from a whole table that two ways "
        "of coarsening have laid open.",
        formula="persons of any release whose joint class has fewer than k persons / persons of any release; "
        "a joint class is the persons who share their class in every release, absence being a class of its "
        "own. Without an entity column the former are no fewer than the persons by whom classes differ in "
        "size, as persons_isolated_over_releases counts them",
        source=f"{INTERSECTION_SOURCE}; {DIFFERENCING_SOURCE}",
        good_value="0 means that all releases together are k-anonymous for this k.",
        **BY_PERSONS,
        single_class="The part of the persons who are in the same releases as fewer than k−1 others.",
    ),
)


def _fewest(view: TableView, grouping: Grouping, arguments: Arguments) -> int:
    """Return the fewest values of a batch; batches are no group-by of one table."""
    history = history_of(view)
    cells = view.cells(grouping)
    if not len(cells.size):
        raise NotMeasurable("The table has no records, so there is nothing to measure.")
    if grouping.sensitive is None:
        raise NotMeasurable("it is measured beside a sensitive attribute, and none is declared")
    left = history.left(grouping.qids, grouping.sensitive, most_recent=arguments["most_recent"] or None)
    if not len(left.batch):
        return int(np.count_nonzero(cells.table_n))
    pairs = np.unique(np.stack([left.batch, left.value], axis=1), axis=0)
    return int(np.unique(pairs[:, 0], return_counts=True)[1].min())


LEAVING_BATCH_L_DIVERSITY = Metric(
    name="leaving_batch_l_diversity",
    title="l-diversity of leaving batches",
    **VALUES_HIGHER,
    is_whole=True,
    method=TableFunction(measure=_fewest),
    parameters=(MOST_RECENT,),
    is_sensitive=True,
    needs_history=True,
    # not marked monotone: coarser QIDs may be answered by another combination of an earlier release, whose
    # classes are finer
    explanation=Explanation(
        meaning="Those who left one class together since the release before have at least so many different "
        "sensitive values. Who holds both releases subtracts one from the other and reads what the leavers "
        "had; l-diversity of each release does not see it, for it looks at who is shown.",
        formula="min over the joint classes of the earlier releases of the number of distinct sensitive "
        "values, as the latest release shows them, of its persons who are not in the table. Where nobody "
        "left, and before the first release, it is the number of distinct values of the table",
        source=f"{DIFFERENCING_SOURCE}; Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, "
        "l-diversity: privacy beyond k-anonymity",
        good_value="The l that each release must have by itself.",
        missing=f"{FOLLOWED} A missing sensitive value is a value; the values of an entity with several "
        "records are one value together.",
        empty=EMPTY,
        single_class="The distinct values of all who left.",
    ),
)

METRICS: tuple[Metric, ...] = (
    INTERSECTION_K_ANONYMITY,
    DIFFERENCING_K_ANONYMITY,
    PERSONS_ISOLATED_OVER_RELEASES,
    SHARE_ISOLATED_OVER_RELEASES,
    LEAVING_BATCH_L_DIVERSITY,
)

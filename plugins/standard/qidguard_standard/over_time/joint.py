"""Joint classes: who shares their class with whom in every release at once.

Whoever is known to be in class A of one release and in class B of the next hides among A ∩ B only, and
whoever is known to have come or left hides among those who did. Joint classes are no group-by of one table,
so the metrics over them are functions of the table's history.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Arguments, Grouping, History, JointClasses, NotMeasurable, Parameter, TableView
from qidguard_standard.metrics.wording import EMPTY, QID_NULL, MetricEdges

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_RECENT = Parameter(
    name="most_recent",
    type=int,
    default=0,
    minimum=0,
    meaning="number of earlier releases that the attacker holds, the latest ones; 0 means all of them",
)
"""The parameter of the metrics over joint classes."""

SMALLEST_JOINT_CLASS = Parameter(
    name="k", type=int, minimum=2, meaning="smallest joint class that counts as protected, persons"
)
"""The parameter k of the metrics that count below it; no source sets it, so a policy must."""

FOLLOWED = (
    f"{QID_NULL} An entity is followed by the value of the entity column, and one with several records by "
    "the set of its classes. Without an entity column a record is followed by its content, in which texts "
    "that source.normalize declares to be one value are one: a record that changed otherwise in any column "
    "counts as gone and as come."
)
"""How persons are followed from release to release, for ``missing`` of an explanation."""

BY_PERSONS: MetricEdges = {"missing": FOLLOWED, "empty": EMPTY}
"""Of metrics of persons whom the releases show."""

INTERSECTION_SOURCE = (
    "Ganta, Kasiviswanathan & Smith 2008, Composition attacks and auxiliary information in data privacy "
    "(KDD; the intersection attack); Wang & Fung 2006, Anonymizing sequential releases (KDD); Byun, Sohn, "
    "Bertino & Li 2006, Secure anonymization for incremental datasets (SDM); Xiao & Tao 2007, "
    "m-invariance: toward privacy preserving re-publication of dynamic datasets (SIGMOD); Fung, Wang, Fu "
    "& Pei 2008, Anonymity for continuous data publishing (EDBT; forward, cross and backward attacks)"
)
"""The literature on intersecting the classes of several releases."""

BY_COUNTS = (
    "Where no entity column tells who came and who left, the sizes of the classes of the same "
    "quasi-identifiers are compared with those of each earlier release, too: whatever values were re-worded, "
    "a class that has one person more tells of one. Of a release that kept classes of other "
    "quasi-identifiers there is nothing to compare but the records that are found again."
)
"""What is counted without following anybody, for ``meaning`` of an explanation."""

DIFFERENCING_SOURCE = (
    "Denning, Denning & Schwartz 1979, The tracker: a threat to statistical database security (ACM "
    "Transactions on Database Systems 4, 76–96)"
)
"""The literature on subtracting one set from another."""


@dataclass(frozen=True, kw_only=True)
class JointSizes:
    """The joint classes with their sizes.

    Args:
        classes: Every person of any release, with the number of their joint class.
        size: Shape (persons,), the persons in each person's joint class, ≥ 1.
    """

    classes: JointClasses
    size: "NDArray[np.int64]"

    @property
    def persons(self) -> int:
        """Number of persons of any release, ≥ 1."""
        return len(self.size)

    @property
    def persons_now(self) -> int:
        """Number of persons in the table itself, ≥ 1."""
        return int(np.count_nonzero(self.classes.is_now))

    def smallest(self, is_counted: "NDArray[np.bool_]") -> int | None:
        """Return the size of the smallest joint class of the persons counted; None where there is none."""
        return int(self.size[is_counted].min()) if is_counted.any() else None

    def below(self, k: int) -> int:
        """Return the number of persons of any release whose joint class has fewer than ``k`` persons."""
        return int(np.count_nonzero(self.size < k))


def history_of(view: TableView) -> History:
    """Return the earlier releases of a table.

    Example:
        >>> from types import SimpleNamespace
        >>> history_of(SimpleNamespace(history="all of them"))
        'all of them'
    """
    if view.history is None:
        raise NotMeasurable(
            "it is measured against the earlier releases of the data set, and this audit has none to look at;"
            " run qidguard release"
        )
    return view.history


def joint_sizes(view: TableView, grouping: Grouping, arguments: Arguments) -> JointSizes:
    """Return the joint classes over the table and its earlier releases.

    Example:
        >>> from types import SimpleNamespace
        >>> yes = np.ones(3, dtype=np.bool_)
        >>> classes = JointClasses(joint=np.array([0, 1, 1]), is_now=yes, is_before=yes, is_absent=~yes)
        >>> history = SimpleNamespace(joint_classes=lambda qids, most_recent: classes)
        >>> view = SimpleNamespace(history=history)
        >>> joint_sizes(view, Grouping(qids=("age",)), {"most_recent": 0}).size.tolist()
        [1, 2, 2]
    """
    classes = history_of(view).joint_classes(grouping.qids, most_recent=arguments["most_recent"] or None)
    if not classes.is_now.any():
        raise NotMeasurable("The table has no records, so there is nothing to measure.")
    return JointSizes(classes=classes, size=np.bincount(classes.joint)[classes.joint])


def size_changes(
    view: TableView, grouping: Grouping, arguments: Arguments
) -> "tuple[NDArray[np.int64], ...]":
    """Return by how many persons classes differ in size from those of each earlier release, without zeros.

    Example:
        >>> from types import SimpleNamespace
        >>> history = SimpleNamespace(size_changes=lambda qids, most_recent: (np.array([1, 4]),))
        >>> view = SimpleNamespace(history=history)
        >>> [changes.tolist() for changes in size_changes(view, Grouping(qids=("age",)), {"most_recent": 0})]
        [[1, 4]]
    """
    return history_of(view).size_changes(grouping.qids, most_recent=arguments["most_recent"] or None)


def isolated(view: TableView, grouping: Grouping, arguments: Arguments, joint: JointSizes) -> int:
    """Return the persons in joint classes below k, or those by whom small changes of sizes tell, if more.

    Example:
        >>> from types import SimpleNamespace
        >>> history = SimpleNamespace(size_changes=lambda qids, most_recent: (np.array([1, 4, 9]),))
        >>> no = np.zeros(2, dtype=np.bool_)
        >>> classes = JointClasses(joint=np.array([0, 1]), is_now=~no, is_before=no, is_absent=no)
        >>> joint = JointSizes(classes=classes, size=np.array([1, 1]))
        >>> view, arguments = SimpleNamespace(history=history), {"most_recent": 0, "k": 5}
        >>> isolated(view, Grouping(qids=("age",)), arguments, joint)
        5
    """
    k = arguments["k"]
    told = [int(changes[changes < k].sum()) for changes in size_changes(view, grouping, arguments)]
    return max([joint.below(k), *told])

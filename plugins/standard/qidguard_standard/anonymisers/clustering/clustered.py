"""What all clustering anonymisers do around the clustering: read, cluster, publish, check."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from qidguard import Anonymised, Arguments, Records, Task
from qidguard_standard.anonymisers.clustering.classes import ClassRule, class_rule
from qidguard_standard.anonymisers.clustering.partitioned import changed_columns, partitioned
from qidguard_standard.anonymisers.clustering.space import Space, space
from qidguard_standard.anonymisers.clustering.wanted import wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray

Clustering = Callable[[Space, ClassRule], "NDArray[np.int64]"]
"""Gives each point its class; the rule is in the order of points."""


def clustered(
    records: Records,
    arguments: Arguments,
    task: Task,
    cluster: Clustering,
    *,
    needs_all_sensitive: bool = False,
) -> Anonymised:
    """Return what is published of a table whose records were clustered.

    Args:
        records: The table.
        arguments: Checked: ``k``, ``publish`` and perhaps ``l`` and ``distance``.
        task: What is to be reached.
        cluster: Forms the classes.
        needs_all_sensitive: Whether the rule holds every sensitive attribute, wanted or not.

    Returns:
        Every record, its QIDs published by class.

    Units:
        None.

    Raises:
        NotMeasurable: When what is wanted is not said, or cannot be.

    Example:
        >>> clustered.__name__
        'clustered'
    """
    asked = wanted(arguments, task)
    columns = changed_columns(records, task)
    rule = class_rule(records, asked, task, task.sensitive if needs_all_sensitive else asked.sensitive)
    points = space(columns, task, arguments.get("distance", "absolute"))
    task.progress.step("clustering", 0, points.records)
    found = cluster(points, rule.of(points.order))
    task.progress.step("clustering", points.records, points.records)
    classes = np.empty_like(found)
    classes[points.order] = found
    return partitioned(records, columns, classes, rule, task, arguments["publish"])

"""MDAV microaggregation for records of mixed type (Domingo-Ferrer & Torra 2005)."""

from typing import ClassVar

from qidguard import Anonymised, Arguments, Parameter, Records, Task
from qidguard_standard.anonymisers.clustering.clustered import clustered
from qidguard_standard.anonymisers.clustering.mdav_kernel import mdav_kernel
from qidguard_standard.anonymisers.clustering.partitioned import publish_parameter
from qidguard_standard.anonymisers.clustering.space import DISTANCE
from qidguard_standard.anonymisers.clustering.wanted import K, L


class Mdav:
    """Maximum distance to average vector: classes of k records, each published as its centre.

    The records farthest from the centre are grouped first, each with its k − 1 nearest; see ``mdav_classes``.
    A distance adds |Δ| in standard deviations for numbers and dates to 0 or 1 for categories, or the share
    of the levels of a hierarchy where the task has one. ``distance: squared`` takes the squares of numbers,
    as Domingo-Ferrer & Torra do; ``distance: loss`` weighs columns as NCP does, which suits published sets.
    With l a class takes, beyond its k nearest, the nearest records with sensitive values that it lacks.

    Records with equal QIDs stand in the order of the table, which decides only who shares a class; ties
    between different ones are decided by their content. Time grows with the square of the records: beyond
    100,000 use ``blocks``.

    Literature: Domingo-Ferrer & Torra 2005, Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation, Data Mining and Knowledge Discovery 11.

    Example:
        >>> Mdav().name
        'mdav'
    """

    name: ClassVar[str] = "mdav"
    title: ClassVar[str] = "MDAV microaggregation: centres of k records that are near one another"
    parameters: ClassVar[tuple[Parameter, ...]] = (K, L, DISTANCE, publish_parameter("means"))

    def anonymize(self, records: Records, arguments: Arguments, task: Task) -> Anonymised:
        """Return every record, its QIDs published by class.

        Args:
            records: The table.
            arguments: ``k``, persons; ``l``, values; ``distance``; ``publish``.
            task: Combinations, entity, sensitive attributes, limits, hierarchies. Nothing is random.

        Returns:
            What is published, over all QIDs together, which keeps k and l for every combination.

        Units:
            None.

        Raises:
            NotMeasurable: When neither argument nor policy says k, or the table has fewer persons, or too few
                sensitive values.

        Example:
            >>> [parameter.name for parameter in Mdav().parameters]
            ['k', 'l', 'distance', 'publish']
        """
        return clustered(
            records,
            arguments,
            task,
            lambda points, rule: mdav_kernel(points.records, points.records, rule.wanted.k)(
                points, rule, task.progress, self.name
            ),
        )

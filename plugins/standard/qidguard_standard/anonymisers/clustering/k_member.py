"""k-member clustering with diversity of sensitive values (Byun et al. 2007)."""

from typing import ClassVar

from qidguard import Anonymised, Arguments, Parameter, Records, Task
from qidguard_standard.anonymisers.clustering.clustered import clustered
from qidguard_standard.anonymisers.clustering.hull import ground
from qidguard_standard.anonymisers.clustering.k_member_classes import Growth, k_member_classes
from qidguard_standard.anonymisers.clustering.partitioned import publish_parameter
from qidguard_standard.anonymisers.clustering.wanted import K, L

DIVERSITY = Parameter(
    name="diversity",
    type=float,
    default=0.0,
    minimum=0.0,
    meaning="what a record costs whose sensitive values the class has already, in whole columns of lost "
    "information; 0 looks at similarity alone",
)


class KMember:
    """k-member clustering: each class takes, one by one, the record that adds least to its loss.

    The loss is NCP: the range of numbers and dates, and the number of categories, that the class spans, each
    as a share of the table's; a hierarchy plays no part. ``diversity`` weighs similarity against sensitive
    values that are new to the class, for compact and diverse classes. ``l`` is held by keeping the last
    places of a class for records whose values it lacks. See ``k_member_classes``.

    The record that the first class is far from is drawn by the seed. Ties are decided by content; records
    with equal QIDs stand in the order of the table. Time grows with the square of the records.

    Literature: Byun, Kamra, Bertino & Li 2007, Efficient k-anonymization using clustering techniques, DASFAA.

    Example:
        >>> KMember().name
        'k_member'
    """

    name: ClassVar[str] = "k_member"
    title: ClassVar[str] = "k-member clustering: classes that grow by the record that costs least"
    parameters: ClassVar[tuple[Parameter, ...]] = (K, L, DIVERSITY, publish_parameter("sets"))

    def anonymize(self, records: Records, arguments: Arguments, task: Task) -> Anonymised:
        """Return every record, its QIDs published by class.

        Args:
            records: The table.
            arguments: ``k``, persons; ``l``, values; ``diversity``, columns; ``publish``.
            task: Combinations, entity, sensitive attributes, limits and seed.

        Returns:
            What is published, over all QIDs together, which keeps k and l for every combination.

        Units:
            None.

        Raises:
            NotMeasurable: When neither argument nor policy says k, or the table has fewer persons, or too few
                sensitive values.

        Example:
            >>> KMember().parameters[2].name
            'diversity'
        """
        return clustered(
            records,
            arguments,
            task,
            lambda points, rule: k_member_classes(
                ground(points),
                Growth(rule=rule, diversity=arguments["diversity"]),
                task.seed,
                task.progress,
                self.name,
            ),
            needs_all_sensitive=arguments["diversity"] > 0,
        )

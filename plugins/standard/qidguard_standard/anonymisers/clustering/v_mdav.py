"""V-MDAV microaggregation: classes of k to 2k − 1 records (Solanas & Martínez-Ballesté 2006)."""

from typing import ClassVar

from qidguard import Anonymised, Arguments, Parameter, Records, Task
from qidguard_standard.anonymisers.clustering.clustered import clustered
from qidguard_standard.anonymisers.clustering.partitioned import publish_parameter
from qidguard_standard.anonymisers.clustering.space import DISTANCE
from qidguard_standard.anonymisers.clustering.v_mdav_classes import v_mdav_classes
from qidguard_standard.anonymisers.clustering.wanted import K, L

GAIN = Parameter(
    name="gain",
    type=float,
    default=0.2,
    minimum=0.0,
    meaning="γ, a ratio of distances: how much nearer to the class than to others a record must be to join"
    " it beyond k; 0.2 suits scattered records, 1.1 clustered ones",
)


class VMdav:
    """Variable-size MDAV: near neighbours join a class beyond k; see ``v_mdav_classes``.

    Distances, ties and l are those of ``mdav``. Time grows with the square of the records and with k.

    Literature: Solanas & Martínez-Ballesté 2006, V-MDAV: a multivariate microaggregation with variable group
    size, COMPSTAT.

    Example:
        >>> VMdav().name
        'v_mdav'
    """

    name: ClassVar[str] = "v_mdav"
    title: ClassVar[str] = "V-MDAV microaggregation: centres of k to 2k − 1 records"
    parameters: ClassVar[tuple[Parameter, ...]] = (K, L, GAIN, DISTANCE, publish_parameter("means"))

    def anonymize(self, records: Records, arguments: Arguments, task: Task) -> Anonymised:
        """Return every record, its QIDs published by class.

        Args:
            records: The table.
            arguments: ``k``, persons; ``l``, values; ``gain``, a ratio; ``distance``; ``publish``.
            task: Combinations, entity, sensitive attributes, limits, hierarchies. Nothing is random.

        Returns:
            What is published, over all QIDs together, which keeps k and l for every combination.

        Units:
            None.

        Raises:
            NotMeasurable: When neither argument nor policy says k, or the table has fewer persons, or too few
                sensitive values.

        Example:
            >>> VMdav().parameters[2].name
            'gain'
        """
        return clustered(
            records,
            arguments,
            task,
            lambda points, rule: v_mdav_classes(points, rule, arguments["gain"], task.progress, self.name),
        )

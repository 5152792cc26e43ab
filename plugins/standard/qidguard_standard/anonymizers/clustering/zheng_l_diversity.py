"""Clustering for k-anonymity and l-diversity together (Zheng et al. 2019)."""

from typing import ClassVar

from qidguard.sdk import AnonymizationTask, Anonymized, Arguments, NotMeasurable, Parameter, Records
from qidguard_standard.anonymizers.clustering.class_sizes import DrawsClassSizes
from qidguard_standard.anonymizers.clustering.hull import ground
from qidguard_standard.anonymizers.clustering.k_member import Growth, k_member_classes
from qidguard_standard.anonymizers.clustering.partitioned import clustered, publish_parameters
from qidguard_standard.anonymizers.clustering.wanted import K, L, wanted


class ZhengLDiversity(DrawsClassSizes):
    """l-diversity by improved clustering: the cheapest record joins until there are k persons and l values.

    Earlier methods give the last places of a class to records with other sensitive values, however far they
    are. This one takes the record that adds least to the loss whatever its values, and only goes on for
    longer. So a class may have more than k records, up to very many where a sensitive value is rare.

    Built from the paper's abstract and from what is published of its results; deviations, where these say
    nothing: loss is NCP as in ``k_member``; each class starts with the record that is farthest from the one
    placed last, as Byun et al. 2007 have it; with several sensitive attributes each must have l values;
    records that are too few for a class join those whose loss grows least.

    Literature: Zheng, Ma, Wang, Jia & Li 2019, Effective l-diversity anonymization algorithm based on
    improved clustering, CSS.
    """

    name: ClassVar[str] = "zheng_l_diversity"
    title: ClassVar[str] = (
        "l-diversity clustering: classes grow by the cheapest record until they are diverse"
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (K, L, *publish_parameters("means"))

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return every record, its QIDs published by class.

        Example:
            >>> ZhengLDiversity().parameters[1].name
            'l'
        """
        if not wanted(arguments, task).l:
            raise NotMeasurable(
                "l is set to 2 or more neither here nor as a distinct_l_diversity limit of the policy; set l,"
                " or use k_member"
            )
        return clustered(
            records,
            arguments,
            task,
            lambda points, rule: k_member_classes(
                ground(points), Growth(rule=rule, reserves=False), task.seed, task.progress, self.name
            ),
        )

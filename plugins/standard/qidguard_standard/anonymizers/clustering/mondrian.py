"""Mondrian: cut the records in two along one quasi-identifier, again and again (LeFevre et al. 2006)."""

from typing import ClassVar

from qidguard.sdk import AnonymizationTask, Anonymized, Arguments, Parameter, Records, changeable_columns
from qidguard_standard.anonymizers.clustering.axis import axis
from qidguard_standard.anonymizers.clustering.class_sizes import DrawsClassSizes
from qidguard_standard.anonymizers.clustering.classes import class_rule
from qidguard_standard.anonymizers.clustering.cuts import Cuts
from qidguard_standard.anonymizers.clustering.partitioned import (
    partitioned,
    publish_parameters,
)
from qidguard_standard.anonymizers.clustering.wanted import K, L, T, as_they_are, wanted


class Mondrian(DrawsClassSizes):
    """Mondrian multidimensional partitioning.

    All records are one class. A class is cut in two beside its median on one QID, as long as both halves keep
    k, l and t. The columns are tried in the order of their NCP range, the widest first, and of the first
    ``look_ahead`` that can be cut the one whose halves lose least is taken. Numbers and dates are cut in
    their own order; categories have none, so they stand in the order of how frequent they are in the table,
    which lets a cut split off the values that most records have. The original paper cuts the widest column
    only (``look_ahead: 1``) and orders categories by a hierarchy.

    Strict: records with the same value are never separated, and what is published does not depend on the
    order of records. Relaxed: a class is cut at its middle record, and those with the median's value go to
    both sides. They are told apart by their other QIDs and then by their place in the table, so that the
    order of records that agree in all QIDs decides which of them goes where.

    Literature: LeFevre, DeWitt & Ramakrishnan 2006, Mondrian multidimensional k-anonymity, ICDE.
    """

    name: ClassVar[str] = "mondrian"
    is_first_choice: ClassVar[bool] = True
    title: ClassVar[str] = "Mondrian: classes by repeated cuts at the median"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        K,
        L,
        T,
        Parameter(
            name="is_strict",
            type=bool,
            default=True,
            meaning="whether records with the same value of the cut column stay together",
        ),
        Parameter(
            name="look_ahead",
            type=int,
            default=4,
            minimum=1,
            meaning="columns tried on each class, the widest first; the cut that loses least is taken",
        ),
        *publish_parameters("sets"),
    )

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return every record, its QIDs published by class.

        Example:
            >>> Mondrian().name
            'mondrian'
        """
        asked = wanted(arguments, task)
        columns = changeable_columns(records, task, as_they_are(asked, task))
        rule = class_rule(records, asked, task, asked.sensitive)
        cuts = Cuts(
            rule=rule,
            axes=tuple(axis(column, task.suppression_mark) for column in columns),
            is_strict=arguments["is_strict"],
            look_ahead=arguments["look_ahead"],
        )
        classes = cuts.partition(task.progress, self.name)
        return partitioned(records, columns, classes, rule, task, arguments)

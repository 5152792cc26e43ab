"""The hybrid scheme as an anonymizer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    Anonymizer,
    Arguments,
    Bound,
    Guarantee,
    Limit,
    NotMeasurable,
    Parameter,
    PrivacyGuarantee,
    Records,
    class_numbers,
)
from qidguard_hybrid_dp.asked import PARAMETERS, asked_of
from qidguard_hybrid_dp.clusters.kinds import persons_of
from qidguard_hybrid_dp.patterns.forest import ForestMemory
from qidguard_hybrid_dp.receipt import guarantee_of, notes_on
from qidguard_hybrid_dp.run import HybridRun
from qidguard_hybrid_dp.workflow import Treated, run_workflow

if TYPE_CHECKING:
    from qidguard.sdk import Plot, RehearsedTable


class HybridDp:
    """Hybrid differential privacy and k-anonymity: noise for numbers, clusters of k for categories.

    Records whose values of all pattern-friendly QIDs are super major do not violate; all others do. Each
    numeric QID gets Laplace noise from OpenDP, with an ε for each of the two partitions. Categorical QIDs
    are generalized to the lowest common level of clusters of k persons; where k persons agree they stay.

    The guarantee holds for numeric values alone, by declared bounds. Clusters, partitions and levels depend
    on no number. k holds over the categorical QIDs where ``cluster`` is ``both``, over all QIDs where
    ``strict`` publishes intervals. Sensitive attributes and the entity are never changed.

    Literature: Majeed & Hwang 2023, Differential privacy and k-anonymity-based privacy preserving data
    publishing scheme with minimal loss of statistical information, Fig. 3, Algorithms 1 and 2.
    """

    name: ClassVar[str] = "hybrid_dp"
    title: ClassVar[str] = "hybrid: noise with a guarantee for numbers, clusters of k for categories"
    parameters: ClassVar[tuple[Parameter, ...]] = PARAMETERS

    def __init__(self) -> None:
        """Remember what forests say, since a release asks for guarantee, table and plots."""
        self._memory = ForestMemory()

    def privacy_guarantee(
        self, records: Records, arguments: Arguments, task: AnonymizationTask
    ) -> PrivacyGuarantee:
        """Return mechanism, scale, bounds and ε of each numeric QID in each partition.

        Raises:
            NotMeasurable: As of ``anonymize``.
        """
        return guarantee_of(self._run(records, arguments, task))

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return every record, its numbers with noise and its categories by cluster.

        NULL is a value of its own in categorical QIDs and stays NULL in numeric ones.

        Raises:
            DeclarationError: When k is not set; a numeric QID has no bounds, or there is none; an ε is not
                above 0; a parameter names a column that it cannot be about; strict cannot use a hierarchy.
            NotMeasurable: When k is above the number of persons, or a person has too many records.

        Example:
            >>> HybridDp().parameters[1].name
            'bounds'
        """
        done = run_workflow(self._run(records, arguments, task))
        return Anonymized(
            kept=np.ones(records.records, dtype=np.bool_),
            columns=done.columns,
            guarantees=tuple(_claims(done)),
            notes=notes_on(done),
        )

    def plots(self, done: "RehearsedTable", arguments: Arguments) -> "Sequence[Plot]":
        """Return the value categories, the shares of the partitions, and the noise of each."""
        from qidguard_hybrid_dp.plots import plots_of

        return plots_of(self._run(done.before, arguments, done.task))

    def _run(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> HybridRun:
        return HybridRun(records=records, asked=asked_of(arguments, task), task=task, memory=self._memory)


def _claims(done: Treated) -> list[Guarantee]:
    """Return k over what each combination has of clustered columns, where it holds as counted anew."""
    if (done.labels < 0).any():
        return []
    asked = done.run.asked
    clustered = done.columns if asked.is_strict else done.qids.categorical
    found = []
    for combination in dict.fromkeys(done.run.task.combinations):
        over = tuple(name for name in combination if name in clustered)
        if not over:
            continue
        classes = class_numbers(np.stack([done.columns[name].codes for name in over], axis=1))
        smallest = int(persons_of(classes, done.run.persons).min())
        if smallest >= asked.k:
            limit = Limit(bound=Bound.AT_LEAST, value=asked.k)
            found.append(Guarantee(metric="k_anonymity", limit=limit, qids=over))
        elif asked.is_strict:
            raise NotMeasurable(
                f"strict = true needs k = {asked.k} persons in each class, and one would have {smallest},"
                " since missing numbers tell its records apart; fill these in, or leave strict out"
            )
    return found


ANONYMIZERS: tuple[Anonymizer, ...] = (HybridDp(),)

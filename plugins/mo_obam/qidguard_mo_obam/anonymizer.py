"""MO-OBAM as an anonymizer."""

from typing import ClassVar

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    Anonymizer,
    Arguments,
    NotMeasurable,
    Parameter,
    Recoded,
    Records,
    Solutions,
    class_numbers,
)
from qidguard_mo_obam.asked import PARAMETERS, OptimizationRequest, asked_of, cluster_limits, guarantees
from qidguard_mo_obam.moves.limits import ClusterLimits
from qidguard_mo_obam.problem import problem_of
from qidguard_mo_obam.published import notes_on, published
from qidguard_mo_obam.several import weighed_against_entropy
from qidguard_mo_obam.solving import Solved, improved
from qidguard_mo_obam.watch import Watch


class MoObam:
    """MO-OBAM: each record is published as the center of its cluster, at most n_C clusters of least loss.

    The loss is IL = (10) / (11) of the paper: Σ (x − center)² over numeric QIDs and the number of mismatches
    over categorical ones, by the deviation of the table from its own means and modes. Centers are rounded
    means and modes. Each cluster has at least k persons, always; with λ the entropy of sensitive values
    counts beside the loss. The entity is never changed, nor a sensitive attribute that is no QID.

    The receipt says how far from the least loss the result can be, by a Lagrangian bound over all centers
    that could be published. Records of one combination are in several clusters only where k or λ needs it;
    with λ the front of loss and entropy is found, and objective (18) takes one of it.

    Literature: Wei, Benson, Agor & Capan 2025, Multi-objective optimization-based anonymization of structured
    data for machine learning, equations (1) to (18).
    """

    name: ClassVar[str] = "mo_obam"
    title: ClassVar[str] = "MO-OBAM: at most n_C clusters of least loss, shown as centers, with a proven gap"
    parameters: ClassVar[tuple[Parameter, ...]] = PARAMETERS

    def anonymize(
        self, records: Records, arguments: Arguments, task: AnonymizationTask
    ) -> Anonymized | Solutions:
        """Return every record, its QIDs published by cluster.

        NULL is a value of its own in categorical QIDs. A cluster in which it stands beside other values shows
        NULL in a column of numbers, dates or Booleans, and the suppression mark in other columns.
        A table of one combination is published as it is.

        Raises:
            NotMeasurable: When k is not set, or is above the number of persons; when n_c clusters are asked
                for exactly and there are fewer combinations, or n_c · k is above the number of persons; when
                λ is set without a sensitive attribute that varies; when no QID may be changed.

        Example:
            >>> MoObam().parameters[0].name
            'n_c'
        """
        asked = asked_of(arguments, task)
        watch = Watch(task.progress, asked.seconds)
        watch.step("reading combinations", 0, 1)
        limits = cluster_limits(records, arguments, task, asked.k)
        has_sensitive = asked.weight > 0 or bool(limits.sensitive)
        problem = problem_of(
            records,
            task,
            asked.units,
            with_sensitive=has_sensitive,
            # a QID shown by cluster has one value there, so none of its limits would hold beside the others
            as_they_are={task.sensitive[one.attribute] for one in limits.sensitive},
        )

        watch.step("reading combinations", 1, 1)

        def publish(done: Solved) -> Anonymized:
            return _published(records, done, asked, limits, task)

        if asked.weight > 0:
            return weighed_against_entropy(problem, asked, limits, task, publish, watch)
        return publish(improved(problem, asked, limits, task.seed, watch))


def _published(
    records: Records, done: Solved, asked: OptimizationRequest, limits: ClusterLimits, task: AnonymizationTask
) -> Anonymized:
    """Return what a solution publishes, after its classes were counted from that."""
    columns = published(records, done.problem, done.assignment, task.suppression_mark)
    formed = _checked(records, columns, limits, task)
    return Anonymized(
        kept=np.ones(records.records, dtype=np.bool_),
        columns=columns,
        guarantees=guarantees(limits, task),
        notes=notes_on(done, asked, formed, task.seed, has_limits=bool(limits.sensitive)),
    )


def _checked(
    records: Records, columns: dict[str, Recoded], limits: ClusterLimits, task: AnonymizationTask
) -> int:
    """Return how many classes are published; NotMeasurable where one of them misses a limit, counted anew.

    QIDs that stay as they are, the entity or one of which l or t is asked, may part what is one cluster.
    """
    codes = [
        columns[name].codes if name in columns else records.codes((name,))[:, 0]
        for name in task.quasi_identifiers
    ]
    number = class_numbers(np.stack(codes, axis=1))
    sizes = np.bincount(number)
    if task.entity is not None:
        person = records.codes((task.entity,))[:, 0]
        sizes = np.bincount(np.unique(np.stack([number, person], axis=1), axis=0)[:, 0])
    below = int(np.count_nonzero(sizes < limits.k))
    if below:
        raise NotMeasurable(
            f"{below:,} of {len(sizes):,} published classes have fewer than k = {limits.k} persons, parted by"
            " quasi-identifiers that stay as they are; have these declared no quasi-identifiers, or lower k"
        )
    tables = []
    for name in task.sensitive if limits.sensitive else ():
        codes_of = records.column(name).codes.astype(np.int64)
        span = int(codes_of.max(initial=0)) + 1
        table = np.bincount(number * span + codes_of, minlength=len(sizes) * span)
        tables.append(table.reshape(len(sizes), span))
    missed = int(np.count_nonzero(limits.missed_by(sizes, tables)))
    if missed:
        raise NotMeasurable(
            f"{missed:,} of {len(sizes):,} published classes miss a limit of a sensitive attribute, parted by"
            " quasi-identifiers that stay as they are; have these declared no quasi-identifiers"
        )
    return len(sizes)


ANONYMIZERS: tuple[Anonymizer, ...] = (MoObam(),)

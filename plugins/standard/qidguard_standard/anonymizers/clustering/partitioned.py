"""What is published of a table whose records are put into classes, by whatever method."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    Arguments,
    Bound,
    ColumnValues,
    Guarantee,
    Limit,
    NotMeasurable,
    Parameter,
    Recoded,
    Records,
)
from qidguard_standard.anonymizers.clustering.classes import ClassRule, Members, class_rule, members
from qidguard_standard.anonymizers.clustering.published import published_means, published_sets
from qidguard_standard.anonymizers.clustering.space import Space, space
from qidguard_standard.anonymizers.clustering.wanted import Wanted, wanted
from qidguard_standard.metrics.class_numbers import class_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray


_PUBLISHERS: dict[str, Callable[[ColumnValues, Members, str], Recoded]] = {
    "sets": published_sets,
    "means": published_means,
}


def publish_parameter(default: str) -> Parameter:
    """Return the parameter that says how a class is published."""
    return Parameter(
        name="publish",
        type=str,
        default=default,
        choices=("sets", "means"),
        meaning="what a class shows: sets of its categories and intervals of its numbers, or means: the mode"
        " and the mean",
    )


def changed_columns(records: Records, task: AnonymizationTask) -> tuple[ColumnValues, ...]:
    """Return the quasi-identifiers that may be changed: neither the entity nor a sensitive attribute."""
    left_alone = {task.entity, *task.sensitive}
    columns = tuple(records.column(name) for name in task.quasi_identifiers if name not in left_alone)
    if not columns:
        raise NotMeasurable("there is no quasi-identifier that may be changed; declare one")
    return columns


def partitioned(
    records: Records,
    columns: tuple[ColumnValues, ...],
    classes: "NDArray[np.int64]",
    rule: ClassRule,
    task: AnonymizationTask,
    publish: str,
) -> Anonymized:
    """Return what is published of a partition.

    Classes that publish the same cells are one class to whoever reads them. That only adds persons and
    sensitive values; its distance from the table is measured anew, as all that is claimed is.

    Example:
        >>> publish_parameter("sets").choices
        ('sets', 'means')
    """
    by_class, show = members(classes), _PUBLISHERS[publish]
    recoded = {column.name: show(column, by_class, task.suppression_mark) for column in columns}
    codes = {name: one.codes for name, one in recoded.items()}
    codes |= {name: records.column(name).codes for name in task.quasi_identifiers if name not in codes}
    _check(codes, rule, task)
    return Anonymized(
        kept=np.ones(records.records, dtype=np.bool_),
        columns=recoded,
        guarantees=guarantees(rule.wanted, task),
        notes=(f"{by_class.count:,} classes were formed",),
    )


def _check(codes: "dict[str, NDArray[np.integer]]", rule: ClassRule, task: AnonymizationTask) -> None:
    """Raise NotMeasurable where a class of what is published does not keep the rule."""
    every = [task.quasi_identifiers]
    if rule.wanted.t and rule.entity is not None:
        # a union of classes keeps k and l, and t too where records are persons: then all QIDs speak for fewer
        every += list(dict.fromkeys(task.combinations))
    for qids in every:
        seen = class_numbers(np.stack([codes[name] for name in qids], axis=1))
        fine = rule.keeps(seen, int(seen.max(initial=-1)) + 1)
        if not fine.all():
            raise NotMeasurable(
                f"{np.count_nonzero(~fine):,} of {len(fine):,} published classes miss {_words(rule.wanted)};"
                " loosen it, or have fewer columns declared quasi-identifiers"
            )


def _words(wanted: Wanted) -> str:
    parts = [f"k = {wanted.k}"]
    parts += [f"l = {value} of {name!r}" for name, value in sorted(wanted.l.items())]
    parts += [f"t = {value:g} of {name!r}" for name, value in sorted(wanted.t.items())]
    return " or ".join(parts)


def guarantees(wanted: Wanted, task: AnonymizationTask) -> tuple[Guarantee, ...]:
    """Return the claims of a table whose classes keep what is wanted, for each combination.

    Example:
        >>> task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
        >>> [claim.metric for claim in guarantees(Wanted(k=5), task)]
        ['k_anonymity']
    """
    at_least, at_most = Bound.AT_LEAST, Bound.AT_MOST
    claims = []
    for qids in dict.fromkeys(task.combinations):
        claims.append(Guarantee(metric="k_anonymity", limit=Limit(bound=at_least, value=wanted.k), qids=qids))
        claims += [
            Guarantee(
                metric="distinct_l_diversity",
                limit=Limit(bound=at_least, value=least),
                qids=qids,
                sensitive=name,
            )
            for name, least in wanted.l.items()
        ]
        claims += [
            Guarantee(metric="t_closeness", limit=Limit(bound=at_most, value=t), qids=qids, sensitive=name)
            for name, t in wanted.t.items()
        ]
    return tuple(claims)


Clustering = Callable[[Space, ClassRule], "NDArray[np.int64]"]
"""Gives each point its class; the rule is in the order of points."""


def clustered(
    records: Records,
    arguments: Arguments,
    task: AnonymizationTask,
    cluster: Clustering,
    *,
    needs_all_sensitive: bool = False,
) -> Anonymized:
    """Return what is published of a table whose records were clustered."""
    asked = wanted(arguments, task)
    columns = changed_columns(records, task)
    rule = class_rule(records, asked, task, task.sensitive if needs_all_sensitive else asked.sensitive)
    points = space(columns, task, arguments.get("distance", "absolute"))
    task.progress.step("clustering", 0, points.records)
    clusters = cluster(points, rule.of(points.order))
    task.progress.step("clustering", points.records, points.records)
    classes = np.empty_like(clusters)
    classes[points.order] = clusters
    return partitioned(records, columns, classes, rule, task, arguments["publish"])

"""Turn classes of records into what is published, and check what is claimed of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from qidguard import (
    Anonymised,
    Bound,
    ColumnValues,
    Guarantee,
    Limit,
    NotMeasurable,
    Parameter,
    Recoded,
    Records,
    Task,
)
from qidguard_standard.anonymisers.clustering.classes import ClassRule
from qidguard_standard.anonymisers.clustering.members import Members, members
from qidguard_standard.anonymisers.clustering.published_means import published_means
from qidguard_standard.anonymisers.clustering.published_sets import published_sets
from qidguard_standard.anonymisers.clustering.wanted import Wanted
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


def changed_columns(records: Records, task: Task) -> tuple[ColumnValues, ...]:
    """Return the quasi-identifiers that may be changed: neither the entity nor a sensitive attribute.

    Raises:
        NotMeasurable: when there is none.
    """
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
    task: Task,
    publish: str,
) -> Anonymised:
    """Return what is published of a partition.

    Classes that publish the same cells are one class to whoever reads them. That only adds persons and
    sensitive values; its distance from the table is measured anew, as all that is claimed is.

    Args:
        records: The table.
        columns: The columns to be published by class.
        classes: Shape (records,), the class of each record.
        rule: What every class has to keep.
        task: Combinations and suppression mark.
        publish: ``sets`` or ``means``.

    Returns:
        Every record, with k, l and t claimed for each combination.

    Units:
        None.

    Raises:
        NotMeasurable: When a published class does not keep the rule.

    Example:
        >>> publish_parameter("sets").choices
        ('sets', 'means')
    """
    by_class, show = members(classes), _PUBLISHERS[publish]
    recoded = {column.name: show(column, by_class, task.suppression_mark) for column in columns}
    codes = {name: one.codes for name, one in recoded.items()}
    codes |= {name: records.column(name).codes for name in task.quasi_identifiers if name not in codes}
    _check(codes, rule, task)
    return Anonymised(
        kept=np.ones(records.records, dtype=np.bool_),
        columns=recoded,
        guarantees=guarantees(rule.wanted, task),
        notes=(f"{by_class.count:,} classes were formed",),
    )


def _check(codes: "dict[str, NDArray[np.integer]]", rule: ClassRule, task: Task) -> None:
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


def guarantees(wanted: Wanted, task: Task) -> tuple[Guarantee, ...]:
    """Return the claims of a table whose classes keep what is wanted, for each combination.

    Args:
        wanted: What the classes keep.
        task: Its combinations.

    Returns:
        k for each combination, and l and t for each of the attributes that they were wanted for.

    Units:
        k: persons; l: values; t: a share.

    Raises:
        Nothing.

    Example:
        >>> task = Task(combinations=(("age",),), entity=None, sensitive=(), seed=0)
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

"""What is published of a table whose records are put into classes, by whatever method."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    LARGEST_SET,
    AnonymizationTask,
    Anonymized,
    Arguments,
    Bound,
    ColumnKind,
    ColumnValues,
    Guarantee,
    Hierarchy,
    Limit,
    NotMeasurable,
    Parameter,
    Recoded,
    Records,
    ShortSets,
    changeable_columns,
    class_numbers,
    readable_hierarchy,
)
from qidguard_standard.anonymizers.clustering.classes import ClassRule, Members, class_rule, members
from qidguard_standard.anonymizers.clustering.published import published_means, published_sets
from qidguard_standard.anonymizers.clustering.sensitive_qid import by_part
from qidguard_standard.anonymizers.clustering.space import Space, space
from qidguard_standard.anonymizers.clustering.wanted import Wanted, as_they_are, wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray


_PUBLISHERS: dict[str, Callable[[ColumnValues, Members, ShortSets], Recoded]] = {
    "sets": published_sets,
    "means": published_means,
}


def publish_parameters(default: str) -> tuple[Parameter, ...]:
    """Return the parameters that say how a class is published.

    Example:
        >>> publish_parameters("sets")[0].choices
        ('sets', 'means')
    """
    publish = Parameter(
        name="publish",
        type=str,
        default=default,
        choices=("sets", "means"),
        meaning="what a class shows: sets, short sets of its categories and intervals of its numbers, or"
        " means, the mode and the mean, by which a column of numbers stays one",
    )
    return publish, LARGEST_SET


def partitioned(
    records: Records,
    columns: tuple[ColumnValues, ...],
    classes: "NDArray[np.int64]",
    rule: ClassRule,
    task: AnonymizationTask,
    arguments: Arguments,
    kept: "NDArray[np.bool_] | None" = None,
) -> Anonymized:
    """Return what is published of a partition; of some records only, where ``kept`` says which.

    Classes that publish the same cells are one class to whoever reads them. That only adds persons and
    sensitive values; its distance from the table is measured anew, as all that is claimed is.
    """
    whole = np.ones(records.records, dtype=np.bool_)
    at = np.flatnonzero(whole if kept is None else kept)
    if kept is not None:
        rule, classes = rule.of(at), classes[at]
        columns = tuple(replace(column, codes=column.codes[at]) for column in columns)
    by_class, show = members(classes), _PUBLISHERS[arguments["publish"]]
    recoded = {
        column.name: show(
            column,
            by_class,
            ShortSets(
                column=column,
                largest_set=arguments["largest_set"],
                mark=task.suppression_mark,
                hierarchy=_hierarchy(column, task),
            ),
        )
        for column in columns
    }
    codes = {name: one.codes for name, one in recoded.items()}
    codes |= {name: records.column(name).codes[at] for name in task.quasi_identifiers if name not in codes}
    _check(codes, rule, task)
    formed = "1 class was formed" if by_class.count == 1 else f"{by_class.count:,} classes were formed"
    notes = (formed, *_suppressed(columns, recoded, task, arguments))
    return Anonymized(
        kept=whole if kept is None else kept,
        columns={name: _of_all(one, at, records.records) for name, one in recoded.items()},
        guarantees=guarantees(rule.wanted, task),
        notes=notes,
    )


def _of_all(recoded: Recoded, at: "NDArray[np.int64]", records: int) -> Recoded:
    """Return what some records publish as codes of all of them; the others, which are not kept, have 0."""
    if len(at) == records:
        return recoded
    codes = np.zeros(records, dtype=recoded.codes.dtype)
    codes[at] = recoded.codes
    return replace(recoded, codes=codes)


def _hierarchy(column: ColumnValues, task: AnonymizationTask) -> Hierarchy | None:
    """Return the hierarchy by which a class of more values than a set may have is named.

    Codes, places and grades have groups that anybody knows; of names nobody has said which belong together.
    """
    declared = task.hierarchies.get(column.name)
    is_grouped = column.kind in _GROUPED or bool(column.declared)
    if declared is not None or not is_grouped or column.is_numeric:
        return declared
    made = readable_hierarchy(column)
    return None if made.origin.endswith("others)") or made.levels == _TOP_ALONE else made


_TOP_ALONE = 2
_GROUPED = {ColumnKind.CODE, ColumnKind.PLACE, ColumnKind.ORDINAL}


def _suppressed(
    columns: tuple[ColumnValues, ...],
    recoded: "dict[str, Recoded]",
    task: AnonymizationTask,
    arguments: Arguments,
) -> list[str]:
    """Return for each column without a hierarchy how many cells show the mark in the place of a set."""
    notes = []
    for column in columns:
        shown = recoded[column.name]
        is_mark = np.array([value == task.suppression_mark for value in shown.values], dtype=np.bool_)
        count = int(np.count_nonzero(is_mark[shown.codes]))
        if count and not column.is_numeric and column.name not in task.hierarchies:
            notes.append(
                f"{column.name!r} shows the suppression mark in {count:,} records, whose classes have more"
                f" than {arguments['largest_set']} values, dates as text or a missing one; a hierarchy of"
                " the column would name groups in its place"
                if arguments["publish"] == "sets"
                else f"{column.name!r} shows the suppression mark in {count:,} records, in whose classes it"
                " is missing for some and there for others"
            )
    return notes


def _check(codes: "dict[str, NDArray[np.integer]]", rule: ClassRule, task: AnonymizationTask) -> None:
    """Raise NotMeasurable where a class of what is published does not keep the rule."""
    every = [task.quasi_identifiers]
    if rule.wanted.t and rule.entity is not None:
        # a union of classes keeps k and l, and t too where records are persons: then all QIDs speak for fewer
        every += list(dict.fromkeys(task.combinations))
    for qids in every:
        # what parts a class is left to the rule, which holds it apart from what is to be learned of it
        shown = [codes[name] for name in qids if name not in rule.apart]
        if not shown:
            continue
        seen = class_numbers(np.stack(shown, axis=1))
        fine = rule.keeps(seen, int(seen.max(initial=-1)) + 1)
        if not fine.all():
            fixed = [name for name in qids if name == task.entity or name in rule.apart]
            parted = f", parted by {' and '.join(map(repr, fixed))}, published as it is" if fixed else ""
            raise NotMeasurable(
                f"{np.count_nonzero(~fine):,} of {len(fine):,} published classes miss"
                f" {_words(rule.wanted)}{parted}; loosen it, or have fewer columns declared quasi-identifiers"
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
                qids=beside,
                sensitive=name,
            )
            for name, least in wanted.l.items()
            if (beside := _beside(qids, name))
        ]
        claims += [
            Guarantee(metric="t_closeness", limit=Limit(bound=at_most, value=t), qids=beside, sensitive=name)
            for name, t in wanted.t.items()
            if (beside := _beside(qids, name))
        ]
    return tuple(claims)


def _beside(qids: tuple[str, ...], attribute: str) -> tuple[str, ...]:
    """Return the QIDs that are known where an attribute is to be learned."""
    return tuple(name for name in qids if name != attribute)


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
    columns = changeable_columns(records, task, as_they_are(asked, task))
    rule = class_rule(records, asked, task, task.sensitive if needs_all_sensitive else asked.sensitive)
    points = space(columns, task, arguments.get("distance", "squared"))
    task.progress.step("clustering", 0, points.records)
    clusters = by_part(points, rule.of(points.order), lambda rows, one: cluster(points.of(rows), one))
    task.progress.step("clustering", points.records, points.records)
    classes = np.empty_like(clusters)
    classes[points.order] = clusters
    return partitioned(records, columns, classes, rule, task, arguments)

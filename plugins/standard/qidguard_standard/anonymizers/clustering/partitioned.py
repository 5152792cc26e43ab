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
    ColumnKind,
    ColumnValues,
    Hierarchy,
    NotMeasurable,
    Parameter,
    Plot,
    Recoded,
    Records,
    RehearsedTable,
    ShortSets,
    changeable_columns,
    class_numbers,
    readable_hierarchy,
)
from qidguard_standard.anonymizers.clustering.class_sizes import class_size_plot
from qidguard_standard.anonymizers.clustering.classes import ClassRule, Members, class_rule, members
from qidguard_standard.anonymizers.clustering.crowd import Crowd, centers
from qidguard_standard.anonymizers.clustering.published import published_means, published_sets
from qidguard_standard.anonymizers.clustering.space import Space, space
from qidguard_standard.anonymizers.clustering.wanted import as_they_are, guarantees, wanted

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
        guarantees=guarantees(rule.wanted, dict.fromkeys(task.combinations)),
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
                f" {' or '.join(rule.wanted.words)}{parted}; loosen it, or have fewer columns declared"
                " quasi-identifiers"
            )


Inside = Callable[["NDArray[np.int64]", ClassRule], "NDArray[np.int64]"]
"""Gives some of the points their classes; the rule is in their order."""
Clustering = Callable[[Space, ClassRule], "NDArray[np.int64]"]
"""Gives each point its class; the rule is in the order of points."""


def by_part(space: Space, rule: ClassRule, inside: Inside) -> "NDArray[np.int64]":
    """Return the class of each point, shape (records,), from 0: of each part by itself, then joined.

    A quasi-identifier that is sensitive, too, and of which l or t is asked, is published as it is, so to a
    reader each of its values is a class by itself, which has to keep k. What is learned of it is learned
    beside the other QIDs, over several of these. So records that agree in it are put into classes first, and
    then near classes of different values show the same in all other columns.
    """
    if not rule.apart:
        return inside(np.arange(space.records), rule)
    part = class_numbers(np.stack([rule.sensitive[name] for name in rule.apart], axis=1))
    classes, count = np.empty(space.records, dtype=np.int64), 0
    parts: list[int] = []
    for number in range(int(part.max()) + 1):
        rows = np.flatnonzero(part == number)
        own = inside(rows, rule.inside(rows))
        classes[rows] = own + count
        count += int(own.max()) + 1
        parts += [number] * (count - len(parts))
    return _joined(space, rule, classes, np.array(parts))[classes]


def _joined(
    space: Space, rule: ClassRule, classes: "NDArray[np.int64]", parts: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """Return the group of each class, shape (classes,), from 0: each keeps the rule, or there is one.

    A group that does not keep it joins that of the nearest class of a part that it lacks, one that nobody
    joined yet if there is any; where it lacks none, of the nearest of all. Those of the rarest part begin,
    for the others have to come to them.
    """
    count = len(parts)
    crowd = Crowd(centers(space, classes, count))
    group = np.arange(count)
    rarest_first = np.argsort(np.bincount(parts)[parts], kind="stable")
    while True:
        fine = rule.keeps(group[classes], count)
        lacking = [one for one in rarest_first.tolist() if not fine[group[one]]]
        if not lacking or (group == group[0]).all():
            return np.unique(group, return_inverse=True)[1].reshape(-1)
        grown: set[int] = set()
        for one in lacking:
            mine = group == group[one]
            if int(group[one]) in grown or mine.all():
                continue
            others = ~mine & ~np.isin(parts, parts[mine])
            free = others & ~np.isin(group, list(grown))
            distances = crowd.distances(crowd.at(one))
            distances[~free if free.any() else ~others if others.any() else mine] = np.inf
            target = int(group[int(distances.argmin())])
            group[mine] = target
            grown.add(target)


Classing = Callable[[tuple[ColumnValues, ...], ClassRule], "NDArray[np.int64]"]
"""Gives each record its class by its changeable columns; the rule is in the order of records."""


def classed(records: Records, arguments: Arguments, task: AnonymizationTask, classes: Classing) -> Anonymized:
    """Return what is published of a table whose records were put into classes."""
    asked = wanted(arguments, task)
    columns = changeable_columns(records, task, as_they_are(asked, task))
    # who weighs diversity looks at attributes of which nothing is asked, too
    sensitive = task.sensitive if arguments.get("diversity") else asked.sensitive
    rule = class_rule(records, asked, task, sensitive)
    return partitioned(records, columns, classes(columns, rule), rule, task, arguments)


def clustered(
    records: Records, arguments: Arguments, task: AnonymizationTask, cluster: Clustering
) -> Anonymized:
    """Return what is published of a table whose records were clustered."""

    def classes(columns: tuple[ColumnValues, ...], rule: ClassRule) -> "NDArray[np.int64]":
        points = space(columns, task, arguments.get("distance", "squared"))
        task.progress.step("clustering", 0, points.records)
        clusters = by_part(points, rule.of(points.order), lambda rows, one: cluster(points.of(rows), one))
        task.progress.step("clustering", points.records, points.records)
        return points.by_record(clusters)

    return classed(records, arguments, task, classes)


class DrawsClassSizes:
    """An anonymizer of classes of at least k persons, which draws how large they became."""

    def plots(self, done: RehearsedTable, arguments: Arguments) -> tuple[Plot, ...]:
        """Return the distribution of the class sizes."""
        sizes = done.grouped(done.task.quasi_identifiers).class_sizes
        return (class_size_plot(np.asarray(sizes), wanted(arguments, done.task).k),)


class Clusterer(DrawsClassSizes):
    """An anonymizer that clusters records as points, and publishes them by class."""

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return every record, its QIDs published by class."""
        return clustered(
            records, arguments, task, lambda points, rule: self.cluster(points, rule, arguments, task)
        )

    def cluster(
        self, points: Space, rule: ClassRule, arguments: Arguments, task: AnonymizationTask
    ) -> "NDArray[np.int64]":
        """Return the class of each point; the rule is in the order of points."""
        raise NotImplementedError

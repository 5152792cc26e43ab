"""The table as the model sees it: its distinct combinations of quasi-identifiers and their weights."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    ColumnValues,
    NotMeasurable,
    Records,
    ValueType,
    changeable_columns,
    class_numbers,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

Units = Literal["raw", "standardized"]

_LARGEST_TABLE = 2**27
"""Cells of a table of sensitive values that is still held, 1 GiB."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusteringProblem:
    """A table as m distinct combinations of its QIDs; every array has one row a combination.

    A row may also be a part of a combination, where the records of one are put into several clusters
    (``parted``): then equal rows occur, and all that is said holds for rows.

    Args:
        combination: Shape (records,), the row of each record, 0..m − 1.
        records: Shape (m,), records of each row, ≥ 1.
        persons: Shape (m,), persons, each counted at one of their rows only: a sum over a cluster never says
            too many.
        numbers: Shape (m, numeric QIDs), in the column's own unit, dates and moments in days; NaN for NULL
            and for whatever else is no finite number.
        codes: Shape (m, categorical QIDs), the codes of ``ColumnValues``; NULL is 0.
        values: Number of codes of each categorical QID, that of NULL included whether it occurs or not.
        is_integral: Shape (numeric QIDs,), whether published centers are rounded to whole numbers.
        number_weight: Shape (numeric QIDs,), ≥ 0: 1 in raw units; by 1 / its own part of (11) standardized.
        code_weight: Shape (categorical QIDs,), the same.
        deviation: Equation (11) under these weights, over records, ≥ 0.
        sensitive: For each sensitive attribute an array of shape (m, values): records with each value.
        names: The columns, numeric QIDs first, then categorical ones.
        sensitive_codes: For each sensitive attribute the value of each record, shape (records,).
        person: Shape (records,), the number of each record's person where the person is counted at its row,
            −1 elsewhere; None where each record is a person.
    """

    combination: "NDArray[np.int64]" = field(repr=False)
    records: "NDArray[np.int64]" = field(repr=False)
    persons: "NDArray[np.int64]" = field(repr=False)
    numbers: "NDArray[np.float64]" = field(repr=False)
    codes: "NDArray[np.int64]" = field(repr=False)
    values: tuple[int, ...]
    is_integral: "NDArray[np.bool_]"
    number_weight: "NDArray[np.float64]"
    code_weight: "NDArray[np.float64]"
    deviation: float
    sensitive: "tuple[NDArray[np.int64], ...]" = field(repr=False)
    names: tuple[str, ...] = ()
    sensitive_codes: "tuple[NDArray[np.int64], ...]" = field(default=(), repr=False)
    person: "NDArray[np.int64] | None" = field(default=None, repr=False)

    @property
    def rows(self) -> int:
        """Number of rows: m, or more where combinations are parted."""
        return len(self.records)

    @cached_property
    def known(self) -> "NDArray[np.bool_]":
        """Shape (m, numeric QIDs): whether there is a number."""
        return np.isfinite(self.numbers)

    @cached_property
    def means(self) -> "NDArray[np.float64]":
        """Shape (numeric QIDs,): the mean of each column's numbers over records, 0 where there is none."""
        total = np.where(self.known, self.numbers, 0.0).T @ self.records
        means: NDArray[np.float64] = total / np.maximum(self.known.T @ self.records, 1)
        return means

    @cached_property
    def own(self) -> "NDArray[np.float64]":
        """Shape (m, numeric QIDs): squared distance from the column's mean, 0 for NULL; not weighted."""
        squares: NDArray[np.float64] = np.where(self.known, self.numbers - self.means, 0.0) ** 2
        return squares

    @cached_property
    def variances(self) -> "NDArray[np.float64]":
        """Shape (numeric QIDs,): the variance of each column: what a number in NULL's place costs."""
        variances: NDArray[np.float64] = (self.own.T @ self.records) / np.maximum(
            self.known.T @ self.records, 1
        )
        return variances

    @cached_property
    def totals(self) -> "tuple[NDArray[np.int64], ...]":
        """For each sensitive attribute the records with each value, shape (values,)."""
        return tuple(table.sum(axis=0) for table in self.sensitive)

    def parted(self, row: "NDArray[np.int64]") -> "ClusteringProblem":
        """Return the same table with other rows, each with all of its records in one of the present rows.

        Args:
            row: Shape (records,), the new row of each record; every number from 0 on occurs. The records by
                which a person is counted stay in one row.
        """
        count = int(row.max(initial=-1)) + 1
        old = np.zeros(count, dtype=np.int64)
        old[row] = self.combination
        return replace(
            self,
            combination=row,
            records=np.bincount(row, minlength=count),
            persons=_persons(row, count, self.person),
            numbers=self.numbers[old],
            codes=self.codes[old],
            sensitive=tuple(_table(row, count, codes) for codes in self.sensitive_codes)
            if self.sensitive
            else (),
        )


def problem_of(
    records: Records,
    task: AnonymizationTask,
    units: Units = "raw",
    *,
    with_sensitive: bool = True,
    as_they_are: Collection[str] = (),
) -> ClusteringProblem:
    """Return a table as the model sees it.

    Numbers, dates and moments are numeric QIDs; everything else is categorical. The entity is left out, for
    it is never changed, and so is what ``as_they_are`` names. A person with several records counts at the row
    with most of them, of several any, always the same.

    Args:
        records: The table.
        task: Names the QIDs, the sensitive attributes and the entity.
        units: ``raw`` as in the paper, so that the column with the largest numbers decides, or
            ``standardized``: each column's part of (11) is 1, a column of one value weighs nothing.
        with_sensitive: Whether the sensitive values are counted for each row.
        as_they_are: QIDs that are not to be changed.

    Returns:
        The problem; rows stand in the order of the columns' codes, so the order of records decides nothing.

    Units:
        Those of the columns; days for dates and moments.

    Raises:
        NotMeasurable: When no QID may be changed, or a table of sensitive values would be larger than 1 GiB.

    NULL is a value of its own of a categorical QID and NaN in a numeric one. A column of one value adds
    nothing to (11), which is 0 where every column has one.

    Example:
        >>> from qidguard.sdk import k_anonymity_task, records_of
        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [30, 30, 40, 50], "sex": ["f", "f", "m", "f"]})
        >>> problem = problem_of(records_of(table), k_anonymity_task(2, ["age", "sex"]))
        >>> problem.records.tolist(), problem.numbers[:, 0].tolist(), problem.deviation
        ([2, 1, 1], [30.0, 40.0, 50.0], 276.0)
    """
    columns = changeable_columns(records, task, as_they_are)
    row = class_numbers(np.array([column.codes for column in columns]).T)
    count = int(row.max(initial=-1)) + 1
    sizes = np.bincount(row, minlength=count)
    sample = np.zeros(count, dtype=np.int64)
    sample[row[::-1]] = np.arange(len(row))[::-1]
    numeric = [one for one in columns if one.is_numeric and one.numbers is not None]
    coded = [one for one in columns if not (one.is_numeric and one.numbers is not None)]
    numbers = np.array([_numbers(one)[one.codes[sample]] for one in numeric]).reshape(len(numeric), count).T
    codes = np.array([one.codes[sample] for one in coded], dtype=np.int64).reshape(len(coded), count).T
    sensitive = [records.column(name).codes.astype(np.int64) for name in task.sensitive]
    person = _counted(row, records, task)
    problem = ClusteringProblem(
        combination=row,
        records=sizes,
        persons=_persons(row, count, person),
        person=person,
        numbers=np.ascontiguousarray(numbers),
        codes=np.ascontiguousarray(codes),
        values=tuple(len(one.texts) for one in coded),
        is_integral=np.array([one.value_type in _WHOLE for one in numeric], dtype=np.bool_),
        number_weight=np.ones(len(numeric)),
        code_weight=np.ones(len(coded)),
        deviation=0.0,
        sensitive=tuple(
            _table(row, count, values, name)
            for values, name in zip(sensitive, task.sensitive, strict=True)
            if with_sensitive
        ),
        names=tuple(one.name for one in (*numeric, *coded)),
        sensitive_codes=tuple(sensitive),
    )
    return weighed(problem, units)


def counted_in(
    table: "NDArray[np.int64]", assignment: "NDArray[np.int64]", clusters: int
) -> "NDArray[np.int64]":
    """Return the records of each cluster with each value, of those of each row."""
    counted = np.zeros((clusters, table.shape[1]), dtype=np.int64)
    np.add.at(counted, assignment, table)
    return counted


def weighed(problem: ClusteringProblem, units: Units) -> ClusteringProblem:
    """Return the same table with its columns weighed in other units."""
    sizes = problem.records
    spreads = problem.own.T @ sizes
    most = [np.bincount(codes, weights=sizes).max(initial=0) for codes in problem.codes.T]
    others = sizes.sum() - np.array(most, dtype=np.float64)
    if units == "raw":
        return replace(
            problem,
            number_weight=np.ones(len(spreads)),
            code_weight=np.ones(len(others)),
            deviation=float(spreads.sum() + others.sum()),
        )
    return replace(
        problem,
        number_weight=_inverse(spreads),
        code_weight=_inverse(others),
        deviation=float(np.count_nonzero(spreads > 0) + np.count_nonzero(others > 0)),
    )


_WHOLE = {ValueType.INTEGER, ValueType.DATE}


_LARGEST = 1e140
"""Of larger numbers the squares of many records cannot be summed."""


def _numbers(column: ColumnValues) -> "NDArray[np.float64]":
    numbers = np.asarray(column.numbers, dtype=np.float64)
    if np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0) > _LARGEST:
        raise NotMeasurable(
            f"column {column.name!r} has numbers too large to be squared; declare it no quasi-identifier"
        )
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _inverse(spreads: "NDArray[np.float64]") -> "NDArray[np.float64]":
    inverse = np.zeros(len(spreads))
    np.divide(1.0, spreads, out=inverse, where=spreads > 0)
    return inverse


def _counted(
    row: "NDArray[np.int64]", records: Records, task: AnonymizationTask
) -> "NDArray[np.int64] | None":
    """Return the person of each record where the person is counted, −1 elsewhere."""
    if task.entity is None:
        return None
    person = np.unique(records.codes((task.entity,))[:, 0], return_inverse=True)[1].reshape(-1)
    # any order of rows would do but their own: those who are counted would all be young
    drawn = np.random.default_rng(0).permutation(int(row.max(initial=-1)) + 1)[row]
    pairs, pair, there = np.unique(
        np.stack([person, drawn], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    best = np.lexsort((pairs[:, 1], -there, pairs[:, 0]))
    _, first = np.unique(pairs[best, 0], return_index=True)
    is_home = np.zeros(len(pairs), dtype=np.bool_)
    is_home[best[first]] = True
    return np.where(is_home[pair.reshape(-1)], person, -1)


def _persons(row: "NDArray[np.int64]", count: int, person: "NDArray[np.int64] | None") -> "NDArray[np.int64]":
    """Return the persons that are counted at each row."""
    if person is None:
        return np.bincount(row, minlength=count)
    counted = np.flatnonzero(person >= 0)
    _, first = np.unique(person[counted], return_index=True)
    return np.bincount(row[counted[first]], minlength=count)


def _table(
    row: "NDArray[np.int64]", count: int, values: "NDArray[np.int64]", name: str = ""
) -> "NDArray[np.int64]":
    """Return the records of each row with each value."""
    span = int(values.max(initial=0)) + 1
    if count * span > _LARGEST_TABLE:
        raise NotMeasurable(
            f"the sensitive attribute {name!r} has {span - 1:,} values in {count:,} combinations, too many to"
            " weigh its entropy; group its values, or leave out lambda"
        )
    return np.bincount(row * span + values, minlength=count * span).reshape(count, span)

"""A problem and its limits as the moves see them: arrays side by side, and what is near to what."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.moves.limits import ClusterLimits, SensitiveLimit
from qidguard_mo_obam.moves.near import nearest_of
from qidguard_mo_obam.moves.state import Given
from qidguard_mo_obam.problem import ClusteringProblem
from qidguard_mo_obam.watch import UNWATCHED, Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray


def given_of(
    problem: ClusteringProblem,
    limits: ClusterLimits,
    whole: ClusteringProblem | None = None,
    watch: Watch = UNWATCHED,
) -> Given:
    """Return a problem's rows as units; rows of one combination are parts of it.

    The first of its limits are those of the sensitive attributes themselves, whose entropies count. Where the
    problem is a part of a whole, shares and variances are the whole's.
    """
    point, unit_start, unit_of = _points(problem)
    first = unit_of[unit_start[:-1]]
    shift = np.rint(problem.means)
    numbers = np.ascontiguousarray(np.where(problem.known, problem.numbers - shift, np.nan)[first])
    span = np.array([int(column.max(initial=0)) + 1 for column in problem.codes.T], dtype=np.int64)
    code_start = np.concatenate(([0], np.cumsum(span))).astype(np.int64)
    own = (SensitiveLimit(attribute=at) for at in range(len(problem.sensitive)))
    every = (*own, *limits.sensitive)
    table = problem if whole is None else whole
    totals = table.totals
    tables = [limit.grouped(problem.sensitive[limit.attribute], totals[limit.attribute]) for limit in every]
    in_all = [limit.grouped(totals[limit.attribute][None, :], totals[limit.attribute])[0] for limit in every]
    value_start = np.concatenate(([0], np.cumsum([table.shape[1] for table in tables]))).astype(np.int64)
    held = np.concatenate([*tables, np.zeros((problem.rows, 0), dtype=np.int64)], axis=1)
    row, value = np.nonzero(held)
    sizes = np.arange(int(problem.records.sum()) + 1, dtype=np.float64)
    codes = np.ascontiguousarray(problem.codes[first] + code_start[:-1])
    numeric = np.stack(
        [problem.number_weight, table.variances, problem.is_integral, table.means - shift], axis=1
    ).astype(np.float64)
    code_weight = problem.code_weight.astype(np.float64)
    return Given(
        k=limits.k,
        units=np.stack([point, problem.records, problem.persons], axis=1).astype(np.int64),
        numbers=numbers,
        numeric=numeric,
        codes=codes,
        code_weight=code_weight,
        code_start=code_start,
        start=np.searchsorted(row, np.arange(problem.rows + 1)).astype(np.int64),
        held=np.stack([value, held[row, value]], axis=1).astype(np.int64),
        value_start=value_start,
        limits=np.array(
            [[one.distinct, one.entropy, one.distance, one.ordered, one.largest] for one in every]
        ).reshape(len(every), 5),
        share=np.concatenate([*in_all, np.zeros(0)]) / max(1, int(table.records.sum())),
        bits=sizes * np.log2(np.maximum(sizes, 1.0)),
        near=nearest_of(problem, first, numbers, numeric[:, :2].copy(), codes, code_weight, watch),
        unit_start=unit_start,
        unit_of=unit_of,
    )


def _points(
    problem: ClusteringProblem,
) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]":
    """Return the distinct combination of each row, and the rows of each as starts and order."""
    keys = np.concatenate(
        [np.where(problem.known, problem.numbers, 0.0), problem.known, problem.codes], axis=1
    )
    order = np.lexsort(keys.T) if keys.shape[1] else np.arange(problem.rows)
    is_new = np.append(True, (keys[order][1:] != keys[order][:-1]).any(axis=1))[: problem.rows]
    point = np.empty(problem.rows, dtype=np.int64)
    point[order] = np.cumsum(is_new) - 1
    starts = np.append(np.flatnonzero(is_new), problem.rows).astype(np.int64)
    return point, starts, order.astype(np.int64)

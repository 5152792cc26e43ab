"""A problem and its limits as the moves see them: arrays side by side, and what is near to what."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.moves.compiled import USES_NUMBA, compiled
from qidguard_mo_obam.moves.limits import ClusterLimits, SensitiveLimit
from qidguard_mo_obam.moves.state import Given
from qidguard_mo_obam.problem import Problem
from qidguard_mo_obam.watch import Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEIGHBORS = 16
"""Combinations whose clusters a unit may move to; more of them find little more and take longer."""


_PAIRS = 2**22 if USES_NUMBA else 2**16
"""Pairs of combinations that are compared between two steps of progress."""


def given_of(
    problem: Problem, limits: ClusterLimits, whole: Problem | None = None, watch: Watch | None = None
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
    every = (*_own_limits(problem), *limits.sensitive)
    table = problem if whole is None else whole
    totals = table.totals
    tables = [limit.grouped(problem.sensitive[limit.attribute], totals[limit.attribute]) for limit in every]
    in_all = [limit.grouped(totals[limit.attribute][None, :])[0] for limit in every]
    value_start = np.concatenate(([0], np.cumsum([table.shape[1] for table in tables]))).astype(np.int64)
    held = np.concatenate([*tables, np.zeros((problem.rows, 0), dtype=np.int64)], axis=1)
    row, value = np.nonzero(held)
    sizes = np.arange(int(problem.records.sum()) + 1, dtype=np.float64)
    codes = np.ascontiguousarray(problem.codes[first] + code_start[:-1])
    numeric = np.stack(
        [problem.number_weight, table.variances, problem.is_integral, table.means - shift], axis=1
    ).astype(np.float64)
    code_weight = problem.code_weight.astype(np.float64)
    near = np.empty((len(first), min(NEIGHBORS, len(first))), dtype=np.int64)
    rule, step = numeric[:, :2].copy(), max(1, _PAIRS // max(1, len(first)))
    for at in range(0, len(first), step):
        if at and watch is not None:
            watch.step("comparing combinations", at, len(first))
        nearest(numbers, rule, codes, code_weight, near, at, min(at + step, len(first)))
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
        near=near,
        unit_start=unit_start,
        unit_of=unit_of,
    )


def _own_limits(problem: Problem) -> tuple[SensitiveLimit, ...]:
    return tuple(SensitiveLimit(attribute=at) for at in range(len(problem.sensitive)))


def _points(
    problem: Problem,
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


@compiled
def nearest(  # noqa: C901 - one loop, compiled
    numbers: "NDArray[np.float64]",
    rule: "NDArray[np.float64]",
    codes: "NDArray[np.int64]",
    code_weight: "NDArray[np.float64]",
    found: "NDArray[np.int64]",
    first: int,
    end: int,
) -> None:
    """Find the nearest combinations of some, each itself first, then the first of equally near ones.

    ``found`` has shape (m, count).
    """
    count = found.shape[1]
    least = np.empty(count)
    for a in range(first, end):
        for j in range(count):
            least[j], found[a, j] = np.inf, -1
        for b in range(len(numbers)):
            far = -1.0 if a == b else 0.0
            for q in range(len(rule)):
                x, y = numbers[a, q], numbers[b, q]
                if np.isnan(x) or np.isnan(y):
                    if np.isnan(x) != np.isnan(y):
                        far += rule[q, 0] * rule[q, 1]
                else:
                    far += rule[q, 0] * (x - y) * (x - y)
                if far >= least[count - 1]:
                    break
            for j in range(len(code_weight)):
                if codes[a, j] != codes[b, j]:
                    far += code_weight[j]
            if far < least[count - 1]:
                at = count - 1
                while at > 0 and least[at - 1] > far:
                    least[at] = least[at - 1]
                    found[a, at] = found[a, at - 1]
                    at -= 1
                least[at] = far
                found[a, at] = b

"""Rows cut into parts of near ones, and by such parts the nearest combinations of each."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.moves.compiled import USES_NUMBA, compiled
from qidguard_mo_obam.problem import ClusteringProblem
from qidguard_mo_obam.watch import Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEIGHBORS = 16
"""Combinations whose clusters a unit may move to; more of them find little more and take longer."""
_CELL = 32
"""Most combinations of a part that is passed over at once where all of it is too far."""
_AT_ONCE = 2**12 if USES_NUMBA else 2**7
"""Combinations whose neighbors are found between two steps of progress."""
_NOWHERE = 1e150
"""Stands for the ends of no numbers: beyond all that a table may hold."""


def parts_of(problem: ClusteringProblem, rows: "NDArray[np.int64]", most: int) -> "list[NDArray[np.int64]]":
    """Return the rows in parts of at most so many, each cut in halves where it loses most as one.

    Parts that were one before they were cut follow one another.
    """
    waiting, done = [rows], []
    while waiting:
        rows = waiting.pop()
        if len(rows) <= most:
            done.append(rows)
            continue
        order = rows[np.argsort(_axis(problem, rows), kind="stable")]
        waiting += [order[len(order) // 2 :], order[: len(order) // 2]]
    return done


def _axis(problem: ClusteringProblem, rows: "NDArray[np.int64]") -> "NDArray[np.float64] | NDArray[np.int64]":
    """Return the column along which these rows lose most when they are published as one."""
    records = problem.records[rows]
    best, axis = -1.0, np.zeros(len(rows))
    for at, weight in enumerate(problem.number_weight):
        numbers = np.where(problem.known[rows, at], problem.numbers[rows, at], problem.means[at])
        mean = float(np.average(numbers, weights=records))
        lost = float(weight * ((numbers - mean) ** 2 * records).sum())
        if lost > best:
            best, axis = lost, numbers
    for at, weight in enumerate(problem.code_weight):
        codes = problem.codes[rows, at]
        lost = float(weight * (records.sum() - np.bincount(codes, weights=records).max()))
        if lost > best:
            best, axis = lost, codes
    return axis


def nearest_of(
    problem: ClusteringProblem,
    first: "NDArray[np.int64]",
    numbers: "NDArray[np.float64]",
    rule: "NDArray[np.float64]",
    codes: "NDArray[np.int64]",
    code_weight: "NDArray[np.float64]",
    watch: Watch,
) -> "NDArray[np.int64]":
    """Return the combinations that are nearest to each, itself first; shape (m, ≤ ``NEIGHBORS``).

    Of equally near ones it is any, always the same. Each is compared with the combinations of those parts
    that are not too far as a whole, by the least and largest number and the categories in them.

    Args:
        problem: The table.
        first: Shape (m,), a row of each combination.
        numbers: Shape (m, numeric), NaN for NULL.
        rule: Shape (numeric, 2), the weight of a squared difference, and what stands for it beside NULL.
        codes: Shape (m, categorical), places in all categories side by side.
        code_weight: Shape (categorical,), what another category costs.
        watch: Hears of steps.
    """
    count = len(first)
    found = np.empty((count, min(NEIGHBORS, count)), dtype=np.int64)
    if count == 0:
        return found
    place = np.zeros(problem.rows, dtype=np.int64)
    place[first] = np.arange(count)
    parts = parts_of(problem, first, _CELL)
    start = np.concatenate(([0], np.cumsum([len(part) for part in parts])))
    order = place[np.concatenate(parts)]
    is_null = np.isnan(numbers)
    ends = np.stack(
        [
            np.minimum.reduceat(np.where(is_null, _NOWHERE, numbers)[order], start[:-1], axis=0),
            np.maximum.reduceat(np.where(is_null, -_NOWHERE, numbers)[order], start[:-1], axis=0),
            np.maximum.reduceat(is_null[order], start[:-1], axis=0),
        ]
    )
    of = np.repeat(np.arange(len(parts)), np.diff(start))
    there = np.zeros((len(parts), int(codes.max(initial=-1)) + 1), dtype=np.bool_)
    there[of[:, None], codes[order]] = True
    for at in range(0, count, _AT_ONCE):
        if at:
            watch.step("comparing combinations", at, count)
        _find(numbers, rule, codes, code_weight, order, start, ends, there, found, at)
    return found


@compiled
def _find(  # noqa: C901, PLR0912, PLR0913, PLR0917 - one loop, compiled
    numbers: "NDArray[np.float64]",
    rule: "NDArray[np.float64]",
    codes: "NDArray[np.int64]",
    code_weight: "NDArray[np.float64]",
    order: "NDArray[np.int64]",
    start: "NDArray[np.int64]",
    ends: "NDArray[np.float64]",
    there: "NDArray[np.bool_]",
    found: "NDArray[np.int64]",
    begin: int,
) -> None:
    """Find the nearest of some combinations in the order of their parts, beginning at a place in it."""
    count, parts = found.shape[1], len(start) - 1
    least, own = np.empty(count), 0
    for place in range(begin, min(begin + _AT_ONCE, len(order))):
        a = order[place]
        while start[own + 1] <= place:
            own += 1
        for j in range(count):
            least[j], found[a, j] = np.inf, -1
        # its own part, then those beside it, farther and farther
        for turn in range(2 * parts - 1):
            part = own + (turn + 1) // 2 * (1 - 2 * (turn % 2))
            if part < 0 or part >= parts:
                continue
            far = 0.0
            for q in range(len(rule)):
                x = numbers[a, q]
                if np.isnan(x):
                    if ends[2, part, q] == 0.0:
                        far += rule[q, 0] * rule[q, 1]
                    continue
                off = max(0.0, ends[0, part, q] - x, x - ends[1, part, q])
                more = rule[q, 0] * off * off
                if ends[2, part, q] != 0.0:
                    more = min(more, rule[q, 0] * rule[q, 1])
                far += more
            for j in range(len(code_weight)):
                if not there[part, codes[a, j]]:
                    far += code_weight[j]
            if part != own and far >= least[count - 1]:
                continue
            for other in range(start[part], start[part + 1]):
                b = order[other]
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

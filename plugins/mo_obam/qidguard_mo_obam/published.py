"""What each record shows of its cluster, and what the receipt says of it: counts, losses, what is proven."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues, Original, Recoded, Records, ValueType, published_number
from qidguard_mo_obam.asked import OptimizationRequest
from qidguard_mo_obam.loss import centers_of, information_loss
from qidguard_mo_obam.problem import ClusteringProblem, weighed
from qidguard_mo_obam.solving import Solved

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import PublishedValue


def published(
    records: Records, problem: ClusteringProblem, assignment: "NDArray[np.int64]", mark: str
) -> dict[str, Recoded]:
    """Return each column of the problem as its clusters show it.

    A cluster whose records have one value shows this; another shows its center (``centers_of``): a number, a
    date or a category. Where a value is missing beside others, numbers, dates and Booleans are shown as
    missing and other categories as the mark; the mark, too, where cells are suppressed or no finite numbers.

    Args:
        records: The table.
        problem: The table as the model sees it.
        assignment: Shape (rows,), the cluster of each row, all of 0..clusters − 1.
        mark: The text of a suppressed cell.
    """
    centers = centers_of(problem, assignment)
    cluster = assignment[problem.combination]
    numeric = centers.numbers.shape[1]
    found = {}
    for at, name in enumerate(problem.names):
        column = records.column(name)
        if at >= numeric:
            codes = centers.codes[:, at - numeric]
            found[name] = _recoded(cluster, _categories(column, cluster, codes, mark))
        else:
            found[name] = _recoded(cluster, _numbers(column, cluster, centers.numbers[:, at], mark))
    return found


def _categories(
    column: ColumnValues, cluster: "NDArray[np.int64]", shown: "NDArray[np.int64]", mark: str
) -> "list[PublishedValue]":
    is_apart = np.array([text is None or text == mark for text in column.texts])
    apart = np.bincount(cluster[is_apart[column.codes]], minlength=len(shown))
    low, high = _ends(column, cluster, len(shown))
    is_typed = column.value_type is not ValueType.TEXT and not is_apart[1:].any()
    neither = None if is_typed else mark
    return [
        neither if is_mixed else Original(code)
        for is_mixed, code in zip(((apart > 0) & (low < high)).tolist(), shown.tolist(), strict=True)
    ]


def _ends(
    column: ColumnValues, cluster: "NDArray[np.int64]", clusters: int
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the smallest and the largest code of each cluster."""
    low, high = np.full(clusters, np.iinfo(np.int64).max), np.full(clusters, -1)
    np.minimum.at(low, cluster, column.codes)
    np.maximum.at(high, cluster, column.codes)
    return low, high


def _numbers(
    column: ColumnValues, cluster: "NDArray[np.int64]", shown: "NDArray[np.float64]", mark: str
) -> "list[PublishedValue]":
    low, high = _ends(column, cluster, len(shown))
    values: list[PublishedValue] = []
    for one, number in enumerate(shown.tolist()):
        if low[one] == high[one]:
            values.append(Original(int(low[one])))
        elif np.isnan(number):
            values.append(None if low[one] == 0 else mark)
        else:
            values.append(published_number(number, column.value_type))
    if column.numbers is None:
        return values
    # a center that is also the only value of another cluster is shown as that one is
    alone = [value for value in values if isinstance(value, Original)]
    same = {float(column.numbers[value.code]): value for value in alone}
    return [
        value if isinstance(value, Original) else same.get(number, value)
        for number, value in zip(shown.tolist(), values, strict=True)
    ]


def _recoded(cluster: "NDArray[np.int64]", of_cluster: "list[PublishedValue]") -> Recoded:
    """Return equal values once."""
    places: dict[tuple[type, object], int] = {}
    place = np.array([places.setdefault((type(value), value), len(places)) for value in of_cluster])
    values: list[PublishedValue] = [None] * len(places)
    for at, value in zip(place.tolist(), of_cluster, strict=True):
        values[at] = value
    return Recoded(codes=place[cluster], values=tuple(values))


def notes_on(
    done: Solved, asked: OptimizationRequest, formed: int, seed: int, *, has_limits: bool
) -> tuple[str, ...]:
    """Return the sentences of the receipt.

    Args:
        done: The solution.
        asked: What was asked for.
        formed: Distinct combinations that are published.
        seed: The seed.
        has_limits: Whether clusters keep limits of sensitive attributes.
    """
    # decided when the moves are first needed
    from qidguard_mo_obam.moves.compiled import USES_NUMBA

    raw, standardized = (
        information_loss(weighed(done.problem, units), done.assignment) for units in ("raw", "standardized")
    )
    wanted = f"n_c = {asked.n_c}" if asked.n_c else "n_c free"
    wanted += f", k = {asked.k}, {asked.units} units"
    notes = [
        f"{formed:,} clusters were formed ({wanted})",
        f"information loss {raw:.6g} in raw units, {standardized:.6g} standardized",
        _proven(done, asked),
        *_entropy(done.problem, done.assignment),
        f"seed {seed}, {done.starts:,} searches"
        + (", ended by the time limit with the best so far" if done.is_cut else ", no time limit reached"),
    ]
    if (has_limits or not asked.n_c or asked.weight > 0) and not USES_NUMBA:
        notes.append(
            "without numba a hundredth of the moves is tried, and more is lost: pip install 'qidguard[numba]'"
        )
    return tuple(notes)


def _proven(done: Solved, asked: OptimizationRequest) -> str:
    deviation = done.problem.deviation
    if done.loss <= 0:
        return "nothing is lost, which is the least"
    if done.bound <= 0:
        why = "the time limit came first" if done.is_cut else "no bound above 0 was found"
        why = why if asked.n_c else "a bound is sought where n_c is set"
        return f"how far from the least loss this is was not proven: {why}"
    gap = 100.0 * max(0.0, done.loss - done.bound) / done.bound
    return (
        f"proven: no table of at most {asked.n_c or done.problem.rows:,} clusters loses less than"
        f" {done.bound / deviation:.6g} in {asked.units} units, so the loss is at most {_up(gap)} % above the"
        " least"
    )


def _up(percent: float) -> str:
    """Return a percentage rounded up in its third decimal place."""
    return f"{np.ceil(percent * 1000) / 1000:.3f}"


def _entropy(problem: ClusteringProblem, assignment: "NDArray[np.int64]") -> list[str]:
    if not problem.sensitive_codes:
        return []
    cluster = assignment[problem.combination]
    least = most = 0.0
    constant = 0
    for codes in problem.sensitive_codes:
        least += float(_bits(cluster, codes).min())
        whole = float(_bits(np.zeros_like(cluster), codes)[0])
        most += whole
        constant += whole == 0
    notes = [f"sum of least entropies {least:.4f} bits; no table has more than {most:.4f}"]
    if constant:
        notes.append(
            f"{constant} sensitive attribute(s) have a single value in the whole table, which every cluster"
            " tells"
        )
    return notes


def _bits(cluster: "NDArray[np.int64]", codes: "NDArray[np.int64]") -> "NDArray[np.float64]":
    """Return the entropy of a sensitive attribute in each cluster, bits."""
    span = int(codes.max(initial=0)) + 1
    keys, counted = np.unique(cluster * span + codes, return_counts=True)
    owner = keys // span
    shares = counted / np.bincount(cluster)[owner]
    return np.bincount(owner, weights=-shares * np.log2(shares)).astype(np.float64) + 0.0

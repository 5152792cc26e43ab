"""What each record shows of its cluster: the rounded means and the modes."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues, Original, Recoded, Records, ValueType, published_number
from qidguard_mo_obam.loss import centers_of
from qidguard_mo_obam.problem import ClusteringProblem

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

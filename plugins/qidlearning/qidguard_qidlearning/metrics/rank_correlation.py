"""Rank correlations of a table's columns on a seeded sample of its records."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Codes, DataError, NotMeasurable, TableView

if TYPE_CHECKING:
    from numpy.typing import NDArray

NULL = 0
"""The code of NULL in every column."""

_SAME = 1 - 1e-9
"""From here on two columns are one and the same, or one is the reverse of the other."""

_RIDGE = 1e-6
"""Share of the unit matrix that is mixed in, so that no sum of columns makes the matrix singular."""


@dataclass(frozen=True, kw_only=True)
class RankCorrelation:
    """Spearman's correlations of the columns that vary.

    Args:
        matrix: Shape (k, k), positive definite with ones on the diagonal.
        records: Number of records in the sample.
        column: Column name → its place in the matrix; columns of the same order share one, constant ones
            have none.
    """

    matrix: "NDArray[np.float64]"
    records: int
    column: dict[str, int]


def rank_correlation(view: TableView, *, sample_records: int, seed: int) -> RankCorrelation:
    """Return the rank correlations (Spearman 1904) of all columns of the table, or of a sample of records.

    A value counts with its rank in the column's natural order, equal values with their mean rank. The order
    of text is that of its letters, which is meaningless but for two values. A missing value stands at the
    mean rank, where it correlates with nothing.
    """
    names, coded = _columns(view)
    records = int(coded.records.sum())
    if records <= 1:
        raise NotMeasurable("A causal graph is learned from two records or more, and the table has fewer.")
    rows = _sample(coded, min(sample_records, records), seed)
    scores = {}
    for place, name in enumerate(names):
        is_missing = (rows[:, place] == NULL) | (rows[:, place] == coded.suppressed[place])
        found = _scores(rows[:, place], is_missing)
        if found is not None:
            scores[name] = found
    return _correlated(scores, len(rows))


def _columns(view: TableView) -> tuple[tuple[str, ...], Codes]:
    """Return the table's columns in its order, and their codes; fewer would be another graph."""
    names = tuple(facts.name for facts in view.columns)
    try:
        return names, view.codes(names)
    except DataError:
        raise NotMeasurable(
            "It looks at every column, and the table was opened with some of them only; open it with all."
        ) from None


def _sample(coded: Codes, size: int, seed: int) -> "NDArray[np.int32]":
    """Return the codes of some records, drawn without replacement; all of them in their order if wanted."""
    end = np.cumsum(coded.records)
    if size == end[-1]:
        return np.repeat(coded.codes, coded.records, axis=0)
    drawn = np.random.default_rng(seed).choice(int(end[-1]), size=size, replace=False, shuffle=False)
    sampled: NDArray[np.int32] = coded.codes[np.searchsorted(end, np.sort(drawn), side="right")]
    return sampled


def _scores(codes: "NDArray[np.int32]", is_missing: "NDArray[np.bool_]") -> "NDArray[np.float64] | None":
    """Return centered mean ranks of length 1, 0 where missing; None for a column that does not vary."""
    known = codes[~is_missing]
    values, place, counts = np.unique(known, return_inverse=True, return_counts=True)
    if len(values) <= 1:
        return None
    mean_rank = np.cumsum(counts) - (counts - 1) / 2
    ranks = mean_rank[place] - (len(known) + 1) / 2
    scores = np.zeros(len(codes))
    scores[~is_missing] = ranks / np.sqrt(ranks @ ranks)
    return scores


def _correlated(scores: "dict[str, NDArray[np.float64]]", records: int) -> RankCorrelation:
    """Return the correlations of the columns that differ in their order."""
    kept: list[NDArray[np.float64]] = []
    column = {}
    for name, found in scores.items():
        same = next((k for k, other in enumerate(kept) if abs(float(other @ found)) >= _SAME), None)
        if same is None:
            same = len(kept)
            kept.append(found)
        column[name] = same
    stacked = np.array(kept).reshape(len(kept), records)
    matrix = (1 - _RIDGE) * (stacked @ stacked.T)
    np.fill_diagonal(matrix, 1.0)
    return RankCorrelation(matrix=matrix, records=records, column=column)

"""SUDA and DIS-SUDA scores: how special a sample unique is, and what its columns have to do with it."""

from dataclasses import dataclass
from math import factorial
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Codes, NotMeasurable, TableView, class_numbers, find_minimal_sample_uniques

if TYPE_CHECKING:
    from numpy.typing import NDArray

USUAL_FRACTION = 0.01
"""The sampling fraction that DIS-SUDA takes where nobody gave one, as in sdcMicro."""
FIRST_COLUMNS_WITHOUT_EXPONENT = 28
"""From this number of QIDs on the exponent 1 + (8−M)/20 is no longer positive."""


@dataclass(frozen=True, kw_only=True)
class SudaScores:
    """Scores of every row of ``Codes``, in its order.

    Args:
        qids: The QIDs, in the order of the columns of ``contribution``.
        records: How many equal records each row stands for; shape (rows,).
        entity: A number for each row's entity, or None; shape (rows,).
        score: The SUDA score, ≥ 0, 0 without a minimal sample unique; shape (rows,), no unit.
        dis: The DIS-SUDA score, 0..1; shape (rows,), no unit.
        contribution: Percentage of the score that comes from minimal sample uniques with the column, 0..100;
            shape (rows, columns). A row's percentages add up to more than 100, for sets share columns.
    """

    qids: tuple[str, ...]
    records: "NDArray[np.int64]"
    entity: "NDArray[np.int64] | None"
    score: "NDArray[np.float64]"
    dis: "NDArray[np.float64]"
    contribution: "NDArray[np.float64]"

    @property
    def column_contribution(self) -> tuple[float, ...]:
        """Percentage of all scores together that comes from each column, 0..100; 0 where all scores are 0."""
        total = float(self.score.sum())
        if not total:
            return (0.0,) * len(self.qids)
        return tuple((self.score @ self.contribution / total).tolist())


def suda_scores(
    view: TableView, qids: tuple[str, ...], max_size: int, dis_fraction: float = USUAL_FRACTION
) -> SudaScores:
    """Score every record by its minimal sample uniques.

    With M QIDs a minimal sample unique of k columns counts (M−k)!, and a record's SUDA score S is the sum
    over its own (Elliot, Manning & Ford 2002). With P records in classes of two and sampling fraction f,
    DIS = 1/(1 + P(1−f)/f / (S^Q · Σ S^(−Q))), the sum over all records with a score, Q = 1 + (8−M)/20
    (Elliot et al. 2005 after Skinner & Elliot 2002; the exponent as in sdcMicro's suda2). A constant factor
    of all scores, by which authors differ, does not change DIS.
    """
    columns = len(qids)
    if columns >= FIRST_COLUMNS_WITHOUT_EXPONENT:
        raise NotMeasurable(
            f"DIS-SUDA has a positive exponent for at most {FIRST_COLUMNS_WITHOUT_EXPONENT - 1} QIDs, "
            f"not for {columns}; name fewer QIDs."
        )
    codes = view.codes(qids)
    rows = len(codes.records)
    if not rows:
        raise NotMeasurable("The table has no records, so there is none to score.")
    score = np.zeros(rows)
    by_column = np.zeros((rows, columns))
    for found in find_minimal_sample_uniques(view, codes, max_size):
        weight = float(factorial(columns - len(found.columns)))
        score[found.rows] += weight
        for column in found.columns:
            by_column[found.rows, column] += weight
    has_score = score > 0
    by_column[has_score] *= 100 / score[has_score, np.newaxis]
    return SudaScores(
        qids=qids,
        records=codes.records,
        entity=codes.entity,
        score=score,
        dis=_dis(score, _persons_in_pairs(codes), columns, dis_fraction),
        contribution=by_column,
    )


def _dis(score: "NDArray[np.float64]", pairs: int, columns: int, fraction: float) -> "NDArray[np.float64]":
    """Spread the sample's intruder risk over the records by their scores."""
    dis = np.zeros(len(score))
    has_score = score > 0
    if has_score.any():
        exponent = 1 + (8 - columns) / 20
        # scores up to 27! would leave floating point in the sum; DIS does not see a common factor
        special = (score[has_score] / score.max()) ** exponent
        odds = pairs * (1 - fraction) / fraction
        dis[has_score] = 1 / (1 + odds / (special * (1 / special).sum()))
    return dis


def _persons_in_pairs(codes: Codes) -> int:
    """Count the persons whose class on all QIDs holds exactly two."""
    if codes.entity is None:
        return 2 * int((codes.records == 2).sum())  # noqa: PLR2004 - a pair is two
    # rows of one class and one entity are collapsed, so a class's rows are its entities
    sizes = np.bincount(class_numbers(codes.codes))
    return 2 * int((sizes == 2).sum())  # noqa: PLR2004 - a pair is two

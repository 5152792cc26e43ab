"""SUDA: records that few columns make unique.

SUDA and DIS-SUDA scores: how special a sample unique is, and what its columns have to do with it.

Minimal sample uniques and SUDA: how few columns single a record out.

These metrics are no group-by: which sets of columns are minimal for a record depends on all their parts, so
the subset lattice has to be walked (see ``qidguard.sdk.find_minimal_sample_uniques``).
"""

from dataclasses import dataclass
from math import factorial
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Codes,
    Direction,
    Estimate,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    Parameter,
    TableFunction,
    TableView,
    Unit,
    class_numbers,
    find_minimal_sample_uniques,
)
from qidguard_standard.metrics.wording import EMPTY, NO_LIMIT, QID_NULL

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


_MAX_SIZE = Parameter(
    name="max_size",
    type=int,
    default=1000,
    minimum=1,
    meaning="largest number of columns in a minimal sample unique; more than there are means all",
)
_DIS_FRACTION = Parameter(
    name="dis_fraction",
    type=float,
    default=0.0,
    minimum=0.0,
    maximum=1.0,
    meaning="sampling fraction, a share; 0 takes the policy's sampling_fraction, or 0.01 where it gives none",
)


def _share_with(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
    """Return the share of persons with a minimal sample unique; it walks a lattice, so it is no group-by."""
    codes = view.codes(grouping.qids)
    if not len(codes.records):
        raise NotMeasurable("The table has no records, so there is none to search.")
    has_one = np.zeros(len(codes.records), dtype=np.bool_)
    for found in find_minimal_sample_uniques(view, codes, arguments["max_size"]):
        has_one[found.rows] = True
    return _persons(codes, has_one) / _persons(codes, np.ones(len(has_one), dtype=np.bool_))


def _persons(codes: Codes, is_counted: "NDArray[np.bool_]") -> int:
    """Count the records of the rows, or their distinct entities."""
    if codes.entity is None:
        return int(codes.records[is_counted].sum())
    return len(np.unique(codes.entity[is_counted]))


def _scores(view: TableView, grouping: Grouping, arguments: Arguments) -> SudaScores:
    """Return the scores at the fraction that the arguments, the policy or the custom gives."""
    fraction = arguments["dis_fraction"] or view.sampling_fraction or USUAL_FRACTION
    return suda_scores(view, grouping.qids, arguments["max_size"], fraction)


def _dis_max(view: TableView, grouping: Grouping, arguments: Arguments) -> Estimate:
    """Return the highest DIS-SUDA score; it needs the lattice, so it is no group-by."""
    scores = _scores(view, grouping, arguments)
    return Estimate(value=float(scores.dis.max()), remark=_contributions(scores))


_MOST_TOLD = 5
"""Columns whose contribution is told in words."""


def _contributions(scores: SudaScores) -> str:
    """Return which columns take part in the sets that single records out; empty where none does."""
    told = sorted(
        zip(scores.column_contribution, scores.qids, strict=True), key=lambda one: (-one[0], one[1])
    )
    parts = [f"{name!r} {share:.0f}%" for share, name in told[:_MOST_TOLD] if share]
    if not parts:
        return ""
    return (
        f"Columns in the sets that single records out, by their part in the SUDA scores: {', '.join(parts)}."
    )


def _dis_average(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
    """Return the mean DIS-SUDA score over all persons; it needs the lattice, so it is no group-by."""
    scores = _scores(view, grouping, arguments)
    if scores.entity is None:
        return float(scores.dis @ scores.records / scores.records.sum())
    entities, number = np.unique(scores.entity, return_inverse=True)
    worst = np.zeros(len(entities))
    np.maximum.at(worst, number, scores.dis)
    return float(worst.mean())


_MISSING = f"{QID_NULL} So a record can be unique because its value is missing."
_SOURCE = (
    "Elliot, Manning & Ford 2002, International Journal of Uncertainty, Fuzziness and Knowledge-Based "
    "Systems 10, 493–509; Manning, Haglin & Keane 2008, Data Mining and Knowledge Discovery 16, 165–196"
)
_DIS_FORMULA = (
    "score S = Σ (M−k)! over the record's minimal sample uniques of k of M QIDs; DIS = 1/(1 + P(1−f)/f / "
    "(S^Q·Σ S^(−Q))) with Q = 1 + (8−M)/20, P persons in classes of two and sampling fraction f"
)
_DIS_SOURCE = _SOURCE + "; Skinner & Elliot 2002, JRSS B 64, 855–867; Q as in sdcMicro's suda2"
_DIS_GOOD = (
    f"{NO_LIMIT} The scores rank records. A DIS near 1 marks a record whose match is very likely "
    "right. It is 1 for every sample unique where no class holds two persons, for then nothing speaks for "
    "chance."
)
_DIS_SINGLE = (
    "A class of several persons has no sample unique, so 0. With 28 QIDs or more Q is not positive and it is "
    "not measurable."
)


def _dis_metric(name: str, title: str, measure: TableFunction, meaning: str) -> Metric:
    return Metric(
        name=name,
        title=title,
        unit=Unit.SCORE,
        minimum=0.0,
        maximum=1.0,
        direction=Direction.LOWER_IS_SAFER,
        method=measure,
        parameters=(_MAX_SIZE, _DIS_FRACTION),
        explanation=Explanation(
            meaning=meaning,
            formula=_DIS_FORMULA,
            source=_DIS_SOURCE,
            good_value=_DIS_GOOD,
            missing=_MISSING,
            empty=EMPTY,
            single_class=_DIS_SINGLE,
        ),
    )


SUDA_METRICS: tuple[Metric, ...] = (
    Metric(
        name="share_with_minimal_sample_unique",
        title="share of persons with a minimal sample unique",
        unit=Unit.SHARE,
        minimum=0.0,
        maximum=1.0,
        direction=Direction.LOWER_IS_SAFER,
        method=TableFunction(measure=_share_with),
        parameters=(_MAX_SIZE,),
        # fewer QIDs leave fewer sets to be unique on
        is_monotone=True,
        explanation=Explanation(
            meaning="Share of persons whom max_size or fewer of the QIDs single out in the table. With all "
            "QIDs it is the share of sample uniques, for each of them holds at least one. Where the table "
            "has entities, a record is unique when its class holds one entity, and entities are counted.",
            formula="persons who are unique on some set of at most max_size QIDs / persons",
            source=_SOURCE,
            good_value=f"{NO_LIMIT} Lower is safer, and the fewer columns suffice the worse: anything above "
            "0 for max_size 1 or 2 deserves a look at the columns.",
            missing=_MISSING,
            empty=EMPTY,
            single_class="A class of several persons has no sample unique: 0; a table of one record gives 1.",
        ),
    ),
    _dis_metric(
        "suda_dis_max",
        "DIS-SUDA score (maximum)",
        TableFunction(measure=_dis_max),
        "The DIS-SUDA score of the most special record: roughly the chance that a match with it is right, "
        "given how few columns single it out.",
    ),
    _dis_metric(
        "suda_dis_average",
        "DIS-SUDA score (average)",
        TableFunction(measure=_dis_average),
        "The mean DIS-SUDA score over all persons, those without a minimal sample unique counting 0. Where "
        "the table has entities, each counts with the highest score among their records.",
    ),
)
"""The share of records with a minimal sample unique, and the highest and average DIS-SUDA score."""

METRICS: tuple[Metric, ...] = SUDA_METRICS

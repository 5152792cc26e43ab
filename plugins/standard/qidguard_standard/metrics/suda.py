"""Minimal sample uniques and SUDA: how few columns single a record out.

These metrics are no group-by: which sets of columns are minimal for a record depends on all their parts, so
the subset lattice has to be walked (see ``qidguard.sdk.find_minimal_sample_uniques``).
"""

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
    find_minimal_sample_uniques,
)
from qidguard_standard.metrics.suda_scores import USUAL_FRACTION, SudaScores, suda_scores
from qidguard_standard.metrics.wording import EMPTY, NO_LIMIT, QID_NULL

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
            good_value=f"{NO_LIMIT} Lower is safer, and the fewer columns suffice the worse: "
            "anything above 0 for max_size 1 or 2 deserves a look at the columns.",
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

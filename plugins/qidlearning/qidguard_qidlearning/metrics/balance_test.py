"""Balance test: the two-sample t statistic of each QID, treated against control.

It is no group-by: it takes means and variances of each column by treatment.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    Role,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_qidlearning.metrics.treatment import Qid, TreatmentGroups, treatment_groups
from qidguard_qidlearning.metrics.wording import (
    CAUSAL_EMPTY,
    CAUSAL_GOOD,
    CAUSAL_SINGLE,
    PAPER,
    TREATMENT,
    TREATMENT_NULL,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SMALLEST_GROUP = 2
"""Records that a variance needs."""


def balance_test(groups: TreatmentGroups) -> float:
    """Return the largest |t| over the QIDs, t = (x̄_T − x̄_C) / √(s²_T/n_T + s²_C/n_C) (Imbens & Rubin 2015).

    A QID of text counts with its worst level, each level being 0 or 1 for a record. t is 0 where the means
    are equal and nothing varies. It is not measurable where no QID has two records with a value in each
    group, or where one separates the groups without any spread, which no finite number says.
    """
    found = [t for qid in groups.qids if (t := _largest_t(qid, groups)) is not None]
    if not found:
        raise NotMeasurable(
            "No QID has two records with a value in each of treated and control; t needs them."
        )
    worst = max(found)
    if math.isinf(worst):
        raise NotMeasurable(
            "A QID has one value in treated and another in control and varies in neither, so"
            " its t is infinite."
        )
    return worst


def _largest_t(qid: Qid, groups: TreatmentGroups) -> float | None:
    """Return |t| of a QID, the largest over the levels of text; None with too few records."""
    treated, control = groups.treated, groups.control
    if qid.numbers is None:
        sides = [_of_levels(qid.codes, records) for records in (treated, control)]
    else:
        is_known = np.isfinite(qid.numbers)
        treated, control = treated[is_known], control[is_known]
        sides = [_of_numbers(qid.numbers[is_known], records) for records in (treated, control)]
    if min(treated.sum(), control.sum()) < _SMALLEST_GROUP:
        return None
    (mean, square), (other_mean, other_square) = sides
    difference, error = np.abs(mean - other_mean), np.sqrt(square + other_square)
    t = np.full(len(difference), np.inf)
    np.divide(difference, error, out=t, where=error > 0)
    t[difference == 0] = 0.0
    return float(t.max())


def _of_levels(
    codes: "NDArray[np.int64]", records: "NDArray[np.int64]"
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return for each level the mean of its indicator and the mean's squared standard error."""
    n = int(records.sum())
    share = np.bincount(codes, weights=records) / n
    return share, share * (1 - share) / max(1, n - 1)


def _of_numbers(
    numbers: "NDArray[np.float64]", records: "NDArray[np.int64]"
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return the mean of the numbers and its squared standard error, each as an array of one."""
    here = numbers[records > 0]
    n = int(records.sum())
    if not len(here) or here.min() == here.max():
        # exact: a mean of equal numbers may differ from them in the last digit
        return (here[:1] if len(here) else np.zeros(1)), np.zeros(1)
    mean = float(numbers @ records) / n
    variance = float((numbers - mean) ** 2 @ records) / max(1, n - 1)
    return np.array([mean]), np.array([variance / n])


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the largest |t|; it takes means and variances by treatment, so it is no group-by."""
    return balance_test(treatment_groups(view, grouping))


BALANCE_TEST = Metric(
    name="balance_test",
    title="balance test (largest t)",
    unit=Unit.SCORE,
    minimum=0.0,
    maximum=math.inf,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    attribute=Role.TREATMENT,
    explanation=Explanation(
        meaning="How many standard errors treated and control records lie apart in the QID where they differ "
        "most. 0 means that all means are equal. It grows with the number of records, so that large tables "
        "show differences which do not matter.",
        formula="largest over the QIDs of |t|, t = (x̄_T − x̄_C) / √(s²_T/n_T + s²_C/n_C); text counts "
        f"with its worst level, as 0 and 1. Not measurable where t is infinite. {TREATMENT}",
        source=f"Imbens & Rubin 2015, Causal inference for statistics, section 14.2; {PAPER}, section 4.1",
        good_value=f"{CAUSAL_GOOD} About 2 is what chance alone gives for one QID.",
        missing=f"{TREATMENT_NULL} In text NULL is a level; a record without a number in an ordered QID is "
        "left out of that QID's t, and a QID with fewer than two such records in a group has none.",
        empty=CAUSAL_EMPTY,
        single_class=f"0: {CAUSAL_SINGLE}",
    ),
)
"""Largest t between treated and control."""

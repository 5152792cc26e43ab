"""Covariate shift: how differently the QIDs are distributed among treated and control records.

It is no group-by: it compares two distribution functions over the whole order of each column.
"""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
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


def covariate_shift(groups: TreatmentGroups) -> float:
    """Return KS + D, 0..3, 0 where both groups are alike (Simões et al. 2025, section 4.1).

    KS is the largest over the QIDs of max_x |F_treated(x) − F_control(x)|, and of the total variation
    ½·Σ|p_treated − p_control| for text, which has no order; D is Σ over the combinations x of
    |P_treated(x) − P(x)|, P of both groups together.
    """
    treated = groups.treated / groups.treated.sum()
    both = (groups.treated + groups.control) / (groups.treated.sum() + groups.control.sum())
    largest = max(_difference(qid, groups) for qid in groups.qids)
    return largest + float(np.abs(treated - both).sum())


def _difference(qid: Qid, groups: TreatmentGroups) -> float:
    """Return the Kolmogorov-Smirnov statistic of a QID, or the total variation where it has no order."""
    if qid.numbers is None:
        shares = _shares(qid.codes, groups.treated, groups.control)
        return float(np.abs(shares[0] - shares[1]).sum() / 2)
    is_known = np.isfinite(qid.numbers)
    treated, control = groups.treated[is_known], groups.control[is_known]
    if not treated.sum() or not control.sum():
        # nothing to compare: what is missing counts in D, where NULL is a value
        return 0.0
    # np.unique numbers the values in their order
    order = np.unique(qid.numbers[is_known], return_inverse=True)[1]
    shares = _shares(order, treated, control)
    return float(np.abs(np.cumsum(shares[0]) - np.cumsum(shares[1])).max())


def _shares(
    value: "NDArray[np.int64]", treated: "NDArray[np.int64]", control: "NDArray[np.int64]"
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return the share of each value among the treated and among the control records."""
    return (
        np.bincount(value, weights=treated) / treated.sum(),
        np.bincount(value, weights=control) / control.sum(),
    )


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the shift; it compares distribution functions over a whole column, so it is no group-by."""
    return covariate_shift(treatment_groups(view, grouping))


COVARIATE_SHIFT = Metric(
    name="covariate_shift",
    title="covariate shift",
    unit=Unit.SCORE,
    minimum=0.0,
    maximum=3.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    attribute=Role.TREATMENT,
    explanation=Explanation(
        meaning="How differently the QIDs are distributed among treated and control records. 0 means that "
        "both groups look alike; a large value, that the QIDs tell who was treated.",
        formula="CS = KS + D. KS = largest over the QIDs of the two-sample Kolmogorov-Smirnov statistic, for "
        "text (no order) of the total variation ½·Σ|p_treated − p_control|. D = Σ over the combinations of "
        f"QIDs of |P_treated − P|, P of both groups together. {TREATMENT}",
        source=f"Shimodaira 2000, Improving predictive inference under covariate shift; {PAPER}, section 4.1",
        good_value=CAUSAL_GOOD,
        missing=f"{TREATMENT_NULL} A record without a number in an ordered QID is left out of that QID's "
        "KS, and a QID that has none in one of the groups adds no KS.",
        empty=CAUSAL_EMPTY,
        single_class=f"0: {CAUSAL_SINGLE}",
    ),
)
"""Shift of the QIDs between treated and control."""

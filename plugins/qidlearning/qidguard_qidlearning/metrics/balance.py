"""How unlike the treated and the others are, column by column.

Treated and control records beside the QIDs: what the metrics of causality are measured on.

Balance test: the two-sample t statistic of each QID, treated against control.

It is no group-by: it takes means and variances of each column by treatment.

Covariate shift: how differently the QIDs are distributed among treated and control records.

It is no group-by: it compares two distribution functions over the whole order of each column.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    Role,
    TableFunction,
    TableView,
    Unit,
    ValueType,
)
from qidguard_qidlearning.metrics.wording import (
    CAUSAL_GOOD,
    PAPER,
    QID_NULL,
    SCORE,
    ClassScale,
    scale,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

TREATMENT = (
    "The treatment has two values; the one that comes later in its order is the treated. Records are"
    " counted, not entities, for one may be treated in one record only."
)

TREATMENT_NULL = (
    f"{QID_NULL} Only a record whose treatment is NULL or suppressed is left out, for it is in neither group."
)

NULL = 0
"""The code of NULL in every column."""


@dataclass(frozen=True, kw_only=True)
class Qid:
    """One QID of the treated and control records.

    Args:
        name: The column.
        codes: For each row its code; 0 is NULL.
        numbers: For each row its number, NaN where it has none; None for text, which has no order.
    """

    name: str
    codes: "NDArray[np.int64]"
    numbers: "NDArray[np.float64] | None"


@dataclass(frozen=True, kw_only=True)
class TreatmentGroups:
    """The records that are treated or in control, one row for each combination of QIDs.

    Args:
        qids: The QIDs, row by row.
        treated: For each row its treated records, ≥ 0.
        control: For each row its control records, ≥ 0.
    """

    qids: tuple[Qid, ...]
    treated: "NDArray[np.int64]"
    control: "NDArray[np.int64]"


def treatment_groups(view: TableView, grouping: Grouping) -> TreatmentGroups:
    """Return the treated and the control records of a table, at least one each.

    The treatment has exactly two values beside NULL; the one that comes later in the column's natural order
    (1 after 0, true after false, b after a) is the treated one. A record whose treatment is NULL or
    suppressed is in neither group and is left out. Records are counted, not entities: one may be treated at
    one visit only.
    """
    if grouping.sensitive is None:
        raise ValueError("treated and control records are told apart by a treatment column; name one")
    coded = view.codes(grouping.qids, (grouping.sensitive,))
    group = coded.codes[:, -1]
    is_in = (group != NULL) & (group != coded.suppressed[-1])
    values = np.unique(group[is_in])
    if len(values) != 2:  # noqa: PLR2004 - treated and control
        raise NotMeasurable(
            f"The treatment column has {len(values)} values beside NULL, and treated and control need exactly"
            " two; name another column as roles.treatment."
        )
    rows, combination = _combinations(coded.codes[is_in, :-1])
    is_treated = group[is_in] == values[1]
    records = coded.records[is_in]
    treated, control = (
        np.bincount(combination, weights=records * chosen, minlength=len(rows)).astype(np.int64)
        for chosen in (is_treated, ~is_treated)
    )
    types = {facts.name: facts.value_type for facts in view.columns}
    qids = []
    for place, name in enumerate(grouping.qids):
        codes = rows[:, place].astype(np.int64)
        numbers = None if types[name] is ValueType.TEXT else view.numbers(name)[codes]
        qids.append(Qid(name=name, codes=codes, numbers=numbers))
    return TreatmentGroups(qids=tuple(qids), treated=treated, control=control)


def _combinations(codes: "NDArray[np.int32]") -> "tuple[NDArray[np.int32], NDArray[np.int64]]":
    """Return the distinct rows, and for each row the number of its own among them."""
    # np.unique over rows does the same, several times as slowly
    order = np.lexsort(codes.T[::-1])
    ordered = codes[order]
    is_new = np.ones(len(ordered), dtype=np.bool_)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    combination = np.empty(len(codes), dtype=np.int64)
    combination[order] = np.cumsum(is_new) - 1
    return ordered[is_new], combination


def of_treatment(  # noqa: PLR0913 - each is a fact of the metric, as in Metric itself
    *,
    name: str,
    title: str,
    scale: ClassScale,
    figure: Callable[[TreatmentGroups], float],
    meaning: str,
    formula: str,
    source: str,
    missing: str,
    good_value: str = CAUSAL_GOOD,
) -> Metric:
    """Return a metric of treated and control records, 0 where both groups are alike."""

    def measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
        """Return the figure; it takes means, distributions or a model by treatment, so it is no group-by."""
        return figure(treatment_groups(view, grouping))

    return Metric(
        name=name,
        title=title,
        **scale,
        method=TableFunction(measure=measure),
        attribute=Role.TREATMENT,
        explanation=Explanation(
            meaning=meaning,
            formula=f"{formula} {TREATMENT}",
            source=source,
            good_value=good_value,
            missing=f"{TREATMENT_NULL} {missing}",
            empty="Not measurable: without records the treatment has no two values. Nor is it with one value "
            "or three.",
            single_class="0: both groups are alike.",
        ),
    )


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


BALANCE_TEST = of_treatment(
    name="balance_test",
    title="balance test (largest t)",
    scale=SCORE,
    figure=balance_test,
    meaning="How many standard errors treated and control records lie apart in the QID where they differ "
    "most. 0 means that all means are equal. It grows with the number of records, so that large tables "
    "show differences which do not matter.",
    formula="largest over the QIDs of |t|, t = (x̄_T − x̄_C) / √(s²_T/n_T + s²_C/n_C); text counts with "
    "its worst level, as 0 and 1. Not measurable where t is infinite.",
    source=f"Imbens & Rubin 2015, Causal inference for statistics, section 14.2; {PAPER}, section 4.1",
    good_value=f"{CAUSAL_GOOD} About 2 is what chance alone gives for one QID.",
    missing="In text NULL is a level; a record without a number in an ordered QID is "
    "left out of that QID's t, and a QID with fewer than two such records in a group has none.",
)


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


COVARIATE_SHIFT = of_treatment(
    name="covariate_shift",
    title="covariate shift",
    scale=scale(Unit.SCORE, 0.0, 3.0),
    figure=covariate_shift,
    meaning="How differently the QIDs are distributed among treated and control records. 0 means that "
    "both groups look alike; a large value, that the QIDs tell who was treated.",
    formula="CS = KS + D. KS = largest over the QIDs of the two-sample Kolmogorov-Smirnov statistic, for "
    "text (no order) of the total variation ½·Σ|p_treated − p_control|. D = Σ over the combinations of "
    "QIDs of |P_treated − P|, P of both groups together.",
    source=f"Shimodaira 2000, Improving predictive inference under covariate shift; {PAPER}, section 4.1",
    missing="A record without a number in an ordered QID is left out of that QID's KS, "
    "and a QID that has none in one of the groups adds no KS.",
)

METRICS: tuple[Metric, ...] = (BALANCE_TEST, COVARIATE_SHIFT)

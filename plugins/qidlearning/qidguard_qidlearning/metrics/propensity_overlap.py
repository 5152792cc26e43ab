"""Propensity overlap: how far the treated records' propensity scores lie from those of the control records.

It is no group-by: the scores come from a regression on all QIDs.
"""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard.sdk import Metric, NotMeasurable
from qidguard_qidlearning.metrics.balance import Qid, TreatmentGroups, of_treatment
from qidguard_qidlearning.metrics.wording import PAPER, SHARE

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDS = 1000
_TOLERANCE = 1e-8


def propensity_overlap(groups: TreatmentGroups) -> float:
    """Return the mean over treated records of |p − mean p of the control records| (Rosenbaum & Rubin 1983).

    p is the probability of being treated by a logistic regression on the QIDs: numbers standardized, with an
    indicator for NULL; text as one indicator a level, NULL being a level; L2 penalty with C = 1. Where the
    regression does not converge, it is not measurable.
    """
    weights = groups.treated + groups.control
    columns = [column for qid in groups.qids for column in _columns(qid, weights)]
    if not columns:
        return 0.0
    scores = _scores(columns, groups)
    control = float(scores @ groups.control) / int(groups.control.sum())
    return float(np.abs(scores - control) @ groups.treated) / int(groups.treated.sum())


def _columns(qid: Qid, weights: "NDArray[np.int64]") -> list[Any]:
    """Return the sparse columns of a QID; none where it is constant."""
    from scipy import sparse

    if qid.numbers is None:
        levels, place = np.unique(qid.codes, return_inverse=True)
        if len(levels) == 1:
            return []
        rows = np.arange(len(place))
        return [sparse.csr_array((np.ones(len(place)), (rows, place)), shape=(len(place), len(levels)))]
    is_known = np.isfinite(qid.numbers)
    columns = [] if is_known.all() or not is_known.any() else [(~is_known).astype(np.float64)]
    known = qid.numbers[is_known]
    if len(known) and known.min() < known.max():
        mean = float(known @ weights[is_known]) / int(weights[is_known].sum())
        spread = float(np.sqrt((known - mean) ** 2 @ weights[is_known] / weights[is_known].sum()))
        # a missing number stands at the mean and is told by its indicator
        columns.append(np.where(is_known, (qid.numbers - mean) / spread, 0.0))
    return [sparse.csr_array(column.reshape(-1, 1)) for column in columns]


def _scores(columns: list[Any], groups: TreatmentGroups) -> "NDArray[np.float64]":
    """Return for each row the probability of being treated."""
    from scipy import sparse
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    features = sparse.hstack(columns, format="csr")
    # each combination of QIDs once as treated and once as control, with the records of each
    doubled = sparse.vstack([features, features], format="csr")
    is_treated = np.repeat([1, 0], features.shape[0])
    weights = np.concatenate([groups.treated, groups.control]).astype(np.float64)
    is_there = weights > 0
    # Newton's method needs a few rounds where quasi-Newton ones need hundreds
    model = LogisticRegression(solver="newton-cg", max_iter=_ROUNDS, tol=_TOLERANCE)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            model.fit(doubled[is_there], is_treated[is_there], sample_weight=weights[is_there])
        except ConvergenceWarning:
            raise NotMeasurable(
                f"The logistic regression on the QIDs did not converge in {_ROUNDS} rounds."
            ) from None
    scores: NDArray[np.float64] = model.predict_proba(features)[:, 1]
    return scores


PROPENSITY_OVERLAP = of_treatment(
    name="propensity_overlap",
    title="propensity score overlap",
    scale=SHARE,
    figure=propensity_overlap,
    meaning="How far a treated record's chance of treatment, guessed from the QIDs, lies from that of "
    "the control records. 0 means full overlap: the QIDs tell nothing of the treatment. Near 1 they tell "
    "it almost surely.",
    formula="mean over treated records of |p − mean p of control|, p by logistic regression on the QIDs: "
    "numbers standardized, with an indicator for NULL, text as one indicator a level, L2 penalty with C "
    "= 1.",
    source=f"Rosenbaum & Rubin 1983, The central role of the propensity score; {PAPER}, section 4.1",
    missing="In text NULL is a level; a missing number stands at the mean and has an indicator of its own.",
)

METRICS: tuple[Metric, ...] = (PROPENSITY_OVERLAP,)

"""Utility: what a published table lost against its original, as ordinary metrics."""

from qidguard.sdk import Metric
from qidguard_standard.utility.cells import GCP, HIERARCHY_NCP, NCP
from qidguard_standard.utility.cells_kept import (
    DISCERNIBILITY_WITH_SUPPRESSION,
    GRANULARITY,
    KEPT_SHARE,
    ORIGINALITY,
)
from qidguard_standard.utility.information import (
    DISTORTION_MEASURE,
    INFORMATION_LOSS,
    NON_UNIFORM_ENTROPY_METRICS,
)
from qidguard_standard.utility.marginals import MARGINAL_KS, MARGINAL_TOTAL_VARIATION, TWO_WAY_TOTAL_VARIATION
from qidguard_standard.utility.numbers import CORRELATION_SHIFT, MEAN_SHIFT, QUANTILE_SHIFT
from qidguard_standard.utility.propensity_score_mse import PROPENSITY_METRICS

UTILITY_METRICS: tuple[Metric, ...] = (
    CORRELATION_SHIFT,
    DISCERNIBILITY_WITH_SUPPRESSION,
    DISTORTION_MEASURE,
    GCP,
    GRANULARITY,
    HIERARCHY_NCP,
    INFORMATION_LOSS,
    KEPT_SHARE,
    MARGINAL_KS,
    MARGINAL_TOTAL_VARIATION,
    MEAN_SHIFT,
    NCP,
    *NON_UNIFORM_ENTROPY_METRICS,
    ORIGINALITY,
    *PROPENSITY_METRICS,
    QUANTILE_SHIFT,
    TWO_WAY_TOTAL_VARIATION,
)
"""Every metric of this folder."""

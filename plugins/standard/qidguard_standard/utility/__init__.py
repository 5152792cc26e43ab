"""Utility: what a published table lost against its original, as ordinary metrics."""

from qidguard.sdk import Metric
from qidguard_standard.utility.correlation_shift import CORRELATION_SHIFT
from qidguard_standard.utility.discernibility_with_suppression import DISCERNIBILITY_WITH_SUPPRESSION
from qidguard_standard.utility.distortion_measure import DISTORTION_MEASURE
from qidguard_standard.utility.gcp import GCP
from qidguard_standard.utility.granularity import GRANULARITY
from qidguard_standard.utility.hierarchy_ncp import HIERARCHY_NCP
from qidguard_standard.utility.information_loss import INFORMATION_LOSS
from qidguard_standard.utility.kept_share import KEPT_SHARE
from qidguard_standard.utility.marginal_ks import MARGINAL_KS
from qidguard_standard.utility.marginal_total_variation import MARGINAL_TOTAL_VARIATION
from qidguard_standard.utility.mean_shift import MEAN_SHIFT
from qidguard_standard.utility.ncp import NCP
from qidguard_standard.utility.non_uniform_entropy import NON_UNIFORM_ENTROPY_METRICS
from qidguard_standard.utility.originality import ORIGINALITY
from qidguard_standard.utility.propensity_score_mse import PROPENSITY_METRICS
from qidguard_standard.utility.quantile_shift import QUANTILE_SHIFT
from qidguard_standard.utility.two_way_total_variation import TWO_WAY_TOTAL_VARIATION

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

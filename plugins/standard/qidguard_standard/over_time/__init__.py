"""Metrics over several releases of a data set, one file each."""

from qidguard.sdk import Metric
from qidguard_standard.over_time.columns_appeared import COLUMNS_APPEARED
from qidguard_standard.over_time.columns_disappeared import COLUMNS_DISAPPEARED
from qidguard_standard.over_time.columns_retyped import COLUMNS_RETYPED
from qidguard_standard.over_time.differencing_k_anonymity import DIFFERENCING_K_ANONYMITY
from qidguard_standard.over_time.distribution_drift import DISTRIBUTION_DRIFT
from qidguard_standard.over_time.intersection_k_anonymity import INTERSECTION_K_ANONYMITY
from qidguard_standard.over_time.leaving_batch_l_diversity import LEAVING_BATCH_L_DIVERSITY
from qidguard_standard.over_time.persons_isolated_over_releases import PERSONS_ISOLATED_OVER_RELEASES
from qidguard_standard.over_time.share_isolated_over_releases import SHARE_ISOLATED_OVER_RELEASES

OVER_TIME_METRICS: tuple[Metric, ...] = (
    COLUMNS_APPEARED,
    COLUMNS_DISAPPEARED,
    COLUMNS_RETYPED,
    DIFFERENCING_K_ANONYMITY,
    DISTRIBUTION_DRIFT,
    INTERSECTION_K_ANONYMITY,
    LEAVING_BATCH_L_DIVERSITY,
    PERSONS_ISOLATED_OVER_RELEASES,
    SHARE_ISOLATED_OVER_RELEASES,
)
"""All of them, by name."""

"""Metrics over several releases of a data set, by families."""

from qidguard.sdk import Metric
from qidguard_standard.over_time.columns import (
    COLUMNS_APPEARED,
    COLUMNS_DISAPPEARED,
    COLUMNS_RETYPED,
    DISTRIBUTION_DRIFT,
)
from qidguard_standard.over_time.persons import (
    DIFFERENCING_K_ANONYMITY,
    INTERSECTION_K_ANONYMITY,
    LEAVING_BATCH_L_DIVERSITY,
    PERSONS_ISOLATED_OVER_RELEASES,
    SHARE_ISOLATED_OVER_RELEASES,
)

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

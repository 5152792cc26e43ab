"""The standard privacy models and risk measures, by families."""

from qidguard.sdk import Metric
from qidguard_standard.metrics.class_sizes import (
    AVERAGE_CLASS_SIZE,
    DISCERNIBILITY,
    K_ANONYMITY,
    WILDCARD_K_ANONYMITY,
)
from qidguard_standard.metrics.closeness import (
    BETA_LIKENESS,
    DELTA_DISCLOSURE,
    T_CLOSENESS,
    T_CLOSENESS_KL,
    T_CLOSENESS_ORDERED,
)
from qidguard_standard.metrics.diversity import (
    ALPHA_K_ANONYMITY,
    DISTINCT_L_DIVERSITY,
    ENTROPY_L_DIVERSITY,
    PERSONS_HOMOGENEOUS,
    RECURSIVE_L_DIVERSITY,
    SHARE_HOMOGENEOUS,
)
from qidguard_standard.metrics.individual_risk import INDIVIDUAL_RISK_METRICS
from qidguard_standard.metrics.journalist import (
    DELTA_PRESENCE_MAX,
    DELTA_PRESENCE_MIN,
    JOURNALIST_RISK_AVERAGE,
    JOURNALIST_RISK_MAX,
    JOURNALIST_SHARE_ABOVE,
    K_MAP,
)
from qidguard_standard.metrics.population_uniqueness import (
    POPULATION_UNIQUENESS_METRICS,
    UNIQUE_IN_POPULATION,
)
from qidguard_standard.metrics.prosecutor import (
    MARKETER_RISK,
    PROSECUTOR_RISK_AVERAGE,
    PROSECUTOR_RISK_MAX,
    PROSECUTOR_SHARE_ABOVE,
)
from qidguard_standard.metrics.small_classes import (
    PERSONS_BELOW_K,
    REST_UNIQUE_SHARE,
    SAMPLE_UNIQUES,
    SHARE_BELOW_K,
    SHARE_UNIQUE,
)
from qidguard_standard.metrics.suda import SUDA_METRICS

METRICS: tuple[Metric, ...] = tuple(
    sorted(
        (
            ALPHA_K_ANONYMITY,
            AVERAGE_CLASS_SIZE,
            BETA_LIKENESS,
            DELTA_DISCLOSURE,
            DELTA_PRESENCE_MAX,
            DELTA_PRESENCE_MIN,
            DISCERNIBILITY,
            DISTINCT_L_DIVERSITY,
            ENTROPY_L_DIVERSITY,
            *INDIVIDUAL_RISK_METRICS,
            JOURNALIST_RISK_AVERAGE,
            JOURNALIST_RISK_MAX,
            JOURNALIST_SHARE_ABOVE,
            K_ANONYMITY,
            K_MAP,
            MARKETER_RISK,
            PERSONS_BELOW_K,
            PERSONS_HOMOGENEOUS,
            UNIQUE_IN_POPULATION,
            *POPULATION_UNIQUENESS_METRICS,
            PROSECUTOR_RISK_AVERAGE,
            PROSECUTOR_RISK_MAX,
            PROSECUTOR_SHARE_ABOVE,
            RECURSIVE_L_DIVERSITY,
            SAMPLE_UNIQUES,
            SHARE_BELOW_K,
            SHARE_HOMOGENEOUS,
            SHARE_UNIQUE,
            REST_UNIQUE_SHARE,
            *SUDA_METRICS,
            T_CLOSENESS,
            T_CLOSENESS_KL,
            T_CLOSENESS_ORDERED,
            WILDCARD_K_ANONYMITY,
        ),
        key=lambda metric: metric.name,
    )
)
"""All of them, by name."""

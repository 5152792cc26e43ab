"""The standard privacy models and risk measures, one file each."""

from qidguard.sdk import Metric
from qidguard_standard.metrics.alpha_k_anonymity import ALPHA_K_ANONYMITY
from qidguard_standard.metrics.average_class_size import AVERAGE_CLASS_SIZE
from qidguard_standard.metrics.beta_likeness import BETA_LIKENESS
from qidguard_standard.metrics.delta_disclosure import DELTA_DISCLOSURE
from qidguard_standard.metrics.delta_presence import DELTA_PRESENCE_MAX, DELTA_PRESENCE_MIN
from qidguard_standard.metrics.discernibility import DISCERNIBILITY
from qidguard_standard.metrics.distinct_l_diversity import DISTINCT_L_DIVERSITY
from qidguard_standard.metrics.entropy_l_diversity import ENTROPY_L_DIVERSITY
from qidguard_standard.metrics.individual_risk import INDIVIDUAL_RISK_METRICS
from qidguard_standard.metrics.journalist_risk_average import JOURNALIST_RISK_AVERAGE
from qidguard_standard.metrics.journalist_risk_max import JOURNALIST_RISK_MAX
from qidguard_standard.metrics.journalist_share_above import JOURNALIST_SHARE_ABOVE
from qidguard_standard.metrics.k_anonymity import K_ANONYMITY
from qidguard_standard.metrics.k_map import K_MAP
from qidguard_standard.metrics.marketer_risk import MARKETER_RISK
from qidguard_standard.metrics.persons_below_k import PERSONS_BELOW_K
from qidguard_standard.metrics.persons_homogeneous import PERSONS_HOMOGENEOUS
from qidguard_standard.metrics.population_uniqueness import (
    POPULATION_UNIQUENESS_METRICS,
    UNIQUE_IN_POPULATION,
)
from qidguard_standard.metrics.prosecutor_risk_average import PROSECUTOR_RISK_AVERAGE
from qidguard_standard.metrics.prosecutor_risk_max import PROSECUTOR_RISK_MAX
from qidguard_standard.metrics.prosecutor_share_above import PROSECUTOR_SHARE_ABOVE
from qidguard_standard.metrics.recursive_l_diversity import RECURSIVE_L_DIVERSITY
from qidguard_standard.metrics.rest_unique_share import REST_UNIQUE_SHARE
from qidguard_standard.metrics.sample_uniques import SAMPLE_UNIQUES
from qidguard_standard.metrics.share_below_k import SHARE_BELOW_K
from qidguard_standard.metrics.share_homogeneous import SHARE_HOMOGENEOUS
from qidguard_standard.metrics.share_unique import SHARE_UNIQUE
from qidguard_standard.metrics.suda import SUDA_METRICS
from qidguard_standard.metrics.t_closeness import T_CLOSENESS
from qidguard_standard.metrics.t_closeness_kl import T_CLOSENESS_KL
from qidguard_standard.metrics.t_closeness_ordered import T_CLOSENESS_ORDERED
from qidguard_standard.metrics.wildcard_k_anonymity import WILDCARD_K_ANONYMITY

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

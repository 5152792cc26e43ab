"""The metrics of QIDLearningLib's Table 1, by families."""

from qidguard.sdk import Metric
from qidguard_qidlearning.metrics.balance import BALANCE_TEST, COVARIATE_SHIFT
from qidguard_qidlearning.metrics.causal_importance import CAUSAL_IMPORTANCE
from qidguard_qidlearning.metrics.own_information import OWN_INFORMATION
from qidguard_qidlearning.metrics.privacy import (
    DELTA_PRESENCE,
    GENERALIZATION_RATIO,
    K_ANONYMITY_PER_CLASS,
    L_DIVERSITY,
    T_CLOSENESS_PER_CLASS,
)
from qidguard_qidlearning.metrics.propensity_overlap import PROPENSITY_OVERLAP
from qidguard_qidlearning.metrics.target import (
    ACCURACY,
    COMPLETENESS_UTILITY,
    DISTINCT_VALUES_UTILITY,
    GINI_INDEX,
    GROUP_ENTROPY,
    INFORMATION_GAIN,
    MEAN_SQUARED_ERROR,
    RANGE_UTILITY,
)
from qidguard_qidlearning.metrics.telling_apart import (
    ATTRIBUTE_LENGTH_PENALTY,
    COLUMN_COUNT,
    DELTA_DISTINCTION,
    DELTA_SEPARATION,
    DISTINCTION,
    MEAN_CLASS_SIZE,
    SEPARATION,
)

METRICS: tuple[Metric, ...] = (
    ACCURACY,
    ATTRIBUTE_LENGTH_PENALTY,
    BALANCE_TEST,
    CAUSAL_IMPORTANCE,
    COLUMN_COUNT,
    COMPLETENESS_UTILITY,
    COVARIATE_SHIFT,
    DELTA_DISTINCTION,
    DELTA_PRESENCE,
    DELTA_SEPARATION,
    DISTINCT_VALUES_UTILITY,
    DISTINCTION,
    GENERALIZATION_RATIO,
    GINI_INDEX,
    GROUP_ENTROPY,
    INFORMATION_GAIN,
    K_ANONYMITY_PER_CLASS,
    L_DIVERSITY,
    MEAN_CLASS_SIZE,
    MEAN_SQUARED_ERROR,
    OWN_INFORMATION,
    PROPENSITY_OVERLAP,
    RANGE_UTILITY,
    SEPARATION,
    T_CLOSENESS_PER_CLASS,
)
"""All of them, by name."""

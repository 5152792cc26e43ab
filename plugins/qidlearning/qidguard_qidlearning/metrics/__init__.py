"""The metrics of QIDLearningLib's Table 1, one file each."""

from qidguard.sdk import Metric
from qidguard_qidlearning.metrics.accuracy import ACCURACY
from qidguard_qidlearning.metrics.attribute_length_penalty import ATTRIBUTE_LENGTH_PENALTY
from qidguard_qidlearning.metrics.balance_test import BALANCE_TEST
from qidguard_qidlearning.metrics.causal_importance import CAUSAL_IMPORTANCE
from qidguard_qidlearning.metrics.change_metric import DELTA_DISTINCTION, DELTA_SEPARATION
from qidguard_qidlearning.metrics.column_count import COLUMN_COUNT
from qidguard_qidlearning.metrics.completeness_utility import COMPLETENESS_UTILITY
from qidguard_qidlearning.metrics.covariate_shift import COVARIATE_SHIFT
from qidguard_qidlearning.metrics.delta_presence import DELTA_PRESENCE
from qidguard_qidlearning.metrics.distinct_values_utility import DISTINCT_VALUES_UTILITY
from qidguard_qidlearning.metrics.distinction import DISTINCTION
from qidguard_qidlearning.metrics.generalization_ratio import GENERALIZATION_RATIO
from qidguard_qidlearning.metrics.gini_index import GINI_INDEX
from qidguard_qidlearning.metrics.group_entropy import GROUP_ENTROPY
from qidguard_qidlearning.metrics.information_gain import INFORMATION_GAIN
from qidguard_qidlearning.metrics.k_anonymity_per_class import K_ANONYMITY_PER_CLASS
from qidguard_qidlearning.metrics.l_diversity import L_DIVERSITY
from qidguard_qidlearning.metrics.mean_class_size import MEAN_CLASS_SIZE
from qidguard_qidlearning.metrics.mean_squared_error import MEAN_SQUARED_ERROR
from qidguard_qidlearning.metrics.own_information import OWN_INFORMATION
from qidguard_qidlearning.metrics.propensity_overlap import PROPENSITY_OVERLAP
from qidguard_qidlearning.metrics.range_utility import RANGE_UTILITY
from qidguard_qidlearning.metrics.separation import SEPARATION
from qidguard_qidlearning.metrics.t_closeness_per_class import T_CLOSENESS_PER_CLASS

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

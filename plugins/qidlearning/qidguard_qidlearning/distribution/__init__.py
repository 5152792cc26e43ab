"""How a metric's values spread over the classes (section 4.3): the values, and statistics of them."""

from qidguard_qidlearning.distribution.distribution import Distribution
from qidguard_qidlearning.distribution.of_metric import distribution_of
from qidguard_qidlearning.distribution.statistics import DistributionStatistics, Moments

__all__ = ["Distribution", "DistributionStatistics", "Moments", "distribution_of"]

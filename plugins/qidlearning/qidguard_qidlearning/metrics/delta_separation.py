"""Delta separation: the change of the separation since a search's current set.

Example:
    >>> DELTA_SEPARATION.change_of
    'separation'
"""

from qidguard_qidlearning.metrics.change_metric import change_of
from qidguard_qidlearning.metrics.separation import SEPARATION

DELTA_SEPARATION = change_of(SEPARATION)
"""The change of the separation."""

"""Delta distinction: the change of the distinction since a search's current set.

Example:
    >>> DELTA_DISTINCTION.change_of
    'distinction'
"""

from qidguard_qidlearning.metrics.change_metric import change_of
from qidguard_qidlearning.metrics.distinction import DISTINCTION

DELTA_DISTINCTION = change_of(DISTINCTION)
"""The change of the distinction."""

"""Anonymizers: what a policy may name as its remedy."""

from qidguard.sdk import Anonymizer
from qidguard_standard.anonymizers.clustering import CLUSTERING
from qidguard_standard.anonymizers.full_domain import FULL_DOMAIN
from qidguard_standard.anonymizers.recoding import RECODING
from qidguard_standard.anonymizers.series import SERIES
from qidguard_standard.anonymizers.small_class_suppression import SmallClassSuppression

ANONYMIZERS: tuple[Anonymizer, ...] = (
    SmallClassSuppression(),
    *CLUSTERING,
    *FULL_DOMAIN,
    *RECODING,
    *SERIES,
)
"""Every anonymizer of this plugin."""

__all__ = ["ANONYMIZERS", "SmallClassSuppression"]

"""Anonymisers: what a policy may name as its remedy."""

from qidguard import Anonymiser
from qidguard_standard.anonymisers.clustering import CLUSTERING
from qidguard_standard.anonymisers.full_domain import FULL_DOMAIN
from qidguard_standard.anonymisers.recoding import RECODING
from qidguard_standard.anonymisers.small_class_suppression import SmallClassSuppression

ANONYMISERS: tuple[Anonymiser, ...] = (SmallClassSuppression(), *CLUSTERING, *FULL_DOMAIN, *RECODING)
"""Every anonymiser of this plugin."""

__all__ = ["ANONYMISERS", "SmallClassSuppression"]

"""Anonymisers: what a policy may name as its remedy."""

from qidguard import Anonymiser
from qidguard_standard.anonymisers.small_class_suppression import SmallClassSuppression

ANONYMISERS: tuple[Anonymiser, ...] = (SmallClassSuppression(),)
"""Every anonymiser of this plugin."""

__all__ = ["ANONYMISERS", "SmallClassSuppression"]

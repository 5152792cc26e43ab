"""Full-domain generalization: every value of a column is published at the same level of its hierarchy."""

from qidguard.sdk import Anonymizer
from qidguard_standard.anonymizers.full_domain.full_domain import FullDomain

FULL_DOMAIN: tuple[Anonymizer, ...] = (FullDomain(),)
"""Every anonymizer of this folder."""

__all__ = ["FULL_DOMAIN", "FullDomain"]

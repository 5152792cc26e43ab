"""Full-domain generalisation: every value of a column is published at the same level of its hierarchy."""

from qidguard import Anonymiser
from qidguard_standard.anonymisers.full_domain.full_domain import FullDomain

FULL_DOMAIN: tuple[Anonymiser, ...] = (FullDomain(),)
"""Every anonymiser of this folder."""

__all__ = ["FULL_DOMAIN", "FullDomain"]

"""Full-domain generalisation: every value of a column is published at the same level of its hierarchy."""

from qidguard import Anonymiser

FULL_DOMAIN: tuple[Anonymiser, ...] = ()
"""Every anonymiser of this folder."""

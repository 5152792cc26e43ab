"""Partitioning and clustering: records that are near one another are published alike."""

from qidguard import Anonymiser

CLUSTERING: tuple[Anonymiser, ...] = ()
"""Every anonymiser of this folder."""

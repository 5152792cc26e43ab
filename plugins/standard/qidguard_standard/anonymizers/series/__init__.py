"""Releases as a series: groups that stay together from one to the next."""

from qidguard.sdk import Anonymizer
from qidguard_standard.anonymizers.series.kept_groups import KeptGroups

SERIES: tuple[Anonymizer, ...] = (KeptGroups(),)
"""Every anonymizer of this folder."""

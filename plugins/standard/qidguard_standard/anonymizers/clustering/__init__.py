"""Partitioning and clustering: records that are near one another are published alike."""

from qidguard.sdk import Anonymizer
from qidguard_standard.anonymizers.clustering.anneal import Anneal
from qidguard_standard.anonymizers.clustering.blocks import Blocks
from qidguard_standard.anonymizers.clustering.k_member import KMember, ZhengLDiversity
from qidguard_standard.anonymizers.clustering.mdav import Mdav, VMdav
from qidguard_standard.anonymizers.clustering.mondrian import Mondrian

CLUSTERING: tuple[Anonymizer, ...] = (
    Mondrian(),
    Mdav(),
    VMdav(),
    Anneal(),
    KMember(),
    ZhengLDiversity(),
    Blocks(),
)
"""Every anonymizer of this folder."""

"""Partitioning and clustering: records that are near one another are published alike."""

from qidguard import Anonymiser
from qidguard_standard.anonymisers.clustering.blocks import Blocks
from qidguard_standard.anonymisers.clustering.k_member import KMember
from qidguard_standard.anonymisers.clustering.mdav import Mdav
from qidguard_standard.anonymisers.clustering.mondrian import Mondrian
from qidguard_standard.anonymisers.clustering.v_mdav import VMdav
from qidguard_standard.anonymisers.clustering.zheng_l_diversity import ZhengLDiversity

CLUSTERING: tuple[Anonymiser, ...] = (Mondrian(), Mdav(), VMdav(), KMember(), ZhengLDiversity(), Blocks())
"""Every anonymiser of this folder."""

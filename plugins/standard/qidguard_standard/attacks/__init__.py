"""Attacks on published tables, each with a confidence interval and a control group."""

from qidguard.sdk import Attack
from qidguard_standard.attacks.linkage import Linkage
from qidguard_standard.attacks.sensitive import AttributeInference, BackgroundKnowledge, Homogeneity
from qidguard_standard.attacks.singling_out import SinglingOut

ATTACKS: tuple[Attack, ...] = (
    AttributeInference(),
    BackgroundKnowledge(),
    Homogeneity(),
    Linkage(),
    SinglingOut(),
)
"""Every attack of this folder."""

"""Recoding, suppression and perturbation of single cells and values."""

from qidguard import Anonymiser
from qidguard_standard.anonymisers.recoding.local_recoding import LocalRecoding
from qidguard_standard.anonymisers.recoding.local_suppression import LocalSuppression
from qidguard_standard.anonymisers.recoding.pram import PRAM, PRAM_SENSITIVE
from qidguard_standard.anonymisers.recoding.rounding import Rounding
from qidguard_standard.anonymisers.recoding.top_bottom_coding import TopBottomCoding

RECODING: tuple[Anonymiser, ...] = (
    LocalRecoding(),
    LocalSuppression(),
    TopBottomCoding(),
    Rounding(),
    PRAM,
    PRAM_SENSITIVE,
)
"""Every anonymiser of this folder."""

"""Recoding, suppression and perturbation of single cells and values."""

from qidguard.sdk import Anonymizer
from qidguard_standard.anonymizers.recoding.local_recoding import LocalRecoding
from qidguard_standard.anonymizers.recoding.local_suppression import LocalSuppression
from qidguard_standard.anonymizers.recoding.pram import PRAM, PRAM_SENSITIVE
from qidguard_standard.anonymizers.recoding.rounding import Rounding
from qidguard_standard.anonymizers.recoding.top_bottom_coding import TopBottomCoding

RECODING: tuple[Anonymizer, ...] = (
    LocalRecoding(),
    LocalSuppression(),
    TopBottomCoding(),
    Rounding(),
    PRAM,
    PRAM_SENSITIVE,
)
"""Every anonymizer of this folder."""

"""Recoding, suppression and perturbation of single cells and values."""

from qidguard import Anonymiser

RECODING: tuple[Anonymiser, ...] = ()
"""Every anonymiser of this folder."""

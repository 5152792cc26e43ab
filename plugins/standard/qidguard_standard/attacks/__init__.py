"""Attacks on published tables, each with a confidence interval and a control group."""

from qidguard import Attack

ATTACKS: tuple[Attack, ...] = ()
"""Every attack of this folder."""

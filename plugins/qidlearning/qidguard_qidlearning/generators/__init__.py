"""Seeded tables: the paper's synthetic one, and one whose quasi-identifiers are known."""

from qidguard_qidlearning.generators.labeled_table import LabeledTable, labeled_table
from qidguard_qidlearning.generators.register import REGISTER_ATTRIBUTES
from qidguard_qidlearning.generators.synthetic_table import SyntheticTable, synthetic_table

__all__ = ["REGISTER_ATTRIBUTES", "LabeledTable", "SyntheticTable", "labeled_table", "synthetic_table"]

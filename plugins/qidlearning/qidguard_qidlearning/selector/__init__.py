"""A feature selector for scikit-learn that finds quasi-identifiers."""

from qidguard_qidlearning.selector.qid_selector import QidSelector

__all__ = ["QidSelector"]

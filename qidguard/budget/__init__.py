"""The privacy budget: what differentially private releases spend together, in exact numbers."""

from qidguard.budget.account import BudgetError, check_spend, remaining
from qidguard.budget.spend import Budget, Spend, SpentTogether, total
from qidguard.core.exact import exact_text, read_exact

__all__ = [
    "Budget",
    "BudgetError",
    "Spend",
    "SpentTogether",
    "check_spend",
    "exact_text",
    "read_exact",
    "remaining",
    "total",
]

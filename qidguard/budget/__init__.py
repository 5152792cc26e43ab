"""The privacy budget: what differentially private releases spend together, in exact numbers."""

from qidguard.budget.account import BudgetError, check_spend, remaining
from qidguard.budget.exact import exact_text, read_exact
from qidguard.budget.spend import Budget, Spend, Spent, total

__all__ = [
    "Budget",
    "BudgetError",
    "Spend",
    "Spent",
    "check_spend",
    "exact_text",
    "read_exact",
    "remaining",
    "total",
]

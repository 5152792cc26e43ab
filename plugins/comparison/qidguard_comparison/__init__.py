"""Methods beside one another on one table: what each costs, what each leaves, and which to take.

::

    from qidguard_comparison import compare

    found = compare("stays.csv", "stays.yaml", anonymizers="mondrian,mdav[k=5]")

``compare`` holds several methods beside one another, ``pareto`` the solutions of one that has several.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qidguard_comparison.comparing import compare
    from qidguard_comparison.comparison import Comparison
    from qidguard_comparison.pareto_front import ParetoFront, pareto
    from qidguard_comparison.row import MethodRow

_LATE = {
    "Comparison": "comparison",
    "MethodRow": "row",
    "ParetoFront": "pareto_front",
    "compare": "comparing",
    "pareto": "pareto_front",
}

__all__ = ["Comparison", "MethodRow", "ParetoFront", "compare", "pareto"]


def __getattr__(name: str) -> Any:
    """Import a name when it is first used, so that listing the commands of plugins costs little."""
    if name not in _LATE:
        raise AttributeError(f"module 'qidguard_comparison' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"qidguard_comparison.{_LATE[name]}"), name)

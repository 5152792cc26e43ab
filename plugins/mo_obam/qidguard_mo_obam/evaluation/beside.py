"""A printed row of the paper beside the solution that is not worse in any of its five figures."""

from collections.abc import Sequence
from dataclasses import dataclass

from qidguard_mo_obam.evaluation.case import MethodTrial
from qidguard_mo_obam.evaluation.printed import PrintedRow

FIVE = ("IL", "τ=.05", "τ=.075", "τ=.1", "HA")
"""What is compared, in the order of ``five``."""


@dataclass(frozen=True, kw_only=True)
class PrintedBeside:
    """A printed row and one of our solutions.

    Args:
        row: The printed row.
        ours: The solution that dominates it; else the one that is worse in the fewest figures; None without
            any solution.
        worse: The names of the figures in which it is worse.
    """

    row: PrintedRow
    ours: MethodTrial | None
    worse: tuple[str, ...]

    @property
    def is_dominated(self) -> bool:
        """Whether ours is nowhere worse and somewhere better."""
        return (
            self.ours is not None
            and self.ours.figures is not None
            and dominates(self.ours.figures.five, self.row.five)
        )


def dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether one is nowhere worse than the other and somewhere better; lower is better.

    Example:
        >>> dominates((1, 2), (1, 3)), dominates((1, 2), (1, 2)), dominates((0, 4), (1, 3))
        (True, False, False)
    """
    pairs = list(zip(one, other, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def beside_printed(row: PrintedRow, trials: Sequence[MethodTrial]) -> PrintedBeside:
    """Return a printed row beside the solution that dominates it.

    Among several the one of the row's own k and n_C comes first, then of its k, then that of the least IL. So
    does the order where none dominates, after the number of figures in which a solution is worse.
    """
    found = [one for one in trials if one.figures is not None]
    if not found:
        return PrintedBeside(row=row, ours=None, worse=())

    def order(trial: MethodTrial) -> tuple[bool, int, bool, bool, float]:
        figures = trial.figures
        if figures is None:  # none is left; for the type checker
            return True, len(FIVE), True, True, 0.0
        return (
            not dominates(figures.five, row.five),
            len(_worse(figures.five, row.five)),
            not (trial.k == row.k and row.n_c is not None and f"n_c={row.n_c}," in trial.settings),
            trial.k != row.k,
            figures.information_loss,
        )

    best = min(found, key=order)
    figures = best.figures
    return PrintedBeside(row=row, ours=best, worse=() if figures is None else _worse(figures.five, row.five))


def _worse(ours: Sequence[float], printed: Sequence[float]) -> tuple[str, ...]:
    return tuple(name for name, a, b in zip(FIVE, ours, printed, strict=True) if a > b)

"""Adaptive rates of an evolutionary search."""

from dataclasses import dataclass

STEP = 1.1
"""What a rate is multiplied or divided by after each generation."""


@dataclass(kw_only=True)
class Rates:
    """How often parents are crossed and bits flipped.

    The rule of success (after Rechenberg 1973: many successes lengthen the steps, few shorten them): a
    generation that found a better set raises mutation by 10 %, one that found none lowers it by 10 %, so that
    the search looks ever closer. Crossover goes the other way and makes more of what is there. Crossover
    stays in 0.1..0.9, mutation in 1/n..5/n of n candidates, 0.5 at most: one to five flips in a set, however
    many columns there are. Rates that do not adapt stay as they were asked for.

    Args:
        crossover: Probability that two parents are crossed.
        mutation: Probability that a bit is flipped.
        candidates: How many columns there are, ≥ 1.
        is_adaptive: Whether the rates change at all.
    """

    crossover: float
    mutation: float
    candidates: int
    is_adaptive: bool = True

    def __post_init__(self) -> None:
        if self.is_adaptive:
            self._set(self.crossover, self.mutation)

    def heard(self, *, is_better: bool) -> None:
        """Hear whether a generation found a better set.

        Example:
            >>> rates = Rates(crossover=0.3, mutation=0.2, candidates=10)
            >>> rates.heard(is_better=False)
        """
        if self.is_adaptive:
            by = STEP if is_better else 1 / STEP
            self._set(self.crossover / by, self.mutation * by)

    def _set(self, crossover: float, mutation: float) -> None:
        self.crossover = min(max(crossover, 0.1), 0.9)
        self.mutation = min(max(mutation, 1 / self.candidates), 5 / self.candidates, 0.5)

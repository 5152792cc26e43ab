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
    stays in 0.1..0.9, mutation in 1/n..0.5 of n candidates (one flip in a set to a coin for each column), or
    at the first rate where that lies outside.

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
        self._crossover = (min(0.1, self.crossover), max(0.9, self.crossover))
        self._mutation = (min(1 / self.candidates, 0.5, self.mutation), max(0.5, self.mutation))

    def heard(self, *, is_better: bool) -> None:
        """Hear whether a generation found a better set.

        Example:
            >>> rates = Rates(crossover=0.3, mutation=0.2, candidates=10)
            >>> rates.heard(is_better=False)
        """
        if self.is_adaptive:
            mutation = self.mutation * (STEP if is_better else 1 / STEP)
            crossover = self.crossover * (1 / STEP if is_better else STEP)
            self.mutation = min(max(mutation, self._mutation[0]), self._mutation[1])
            self.crossover = min(max(crossover, self._crossover[0]), self._crossover[1])

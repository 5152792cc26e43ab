"""Preference: of equally fit sets, those of columns that outsiders can plausibly know."""

import math
from collections.abc import Collection, Mapping

KNOWN_AT_ONCE = 4
"""How many things an outsider knows of a person: four tell 95 % of people apart (de Montjoye et al. 2013).
The mean alone is too weak for an objective that adds up columns: many unlikely ones outweigh few."""


class Preference:
    """Multiplies the fitness of a set by the chance that four columns drawn from it are known to outsiders.

    That is q = m⁴, m being the mean over the set of p(column) / max p. A fitness f becomes f·q where it is
    not negative and f·(2 − q) where it is. It rises with f and with q and is never above f, so an upper bound
    of f is one of what becomes of it. Where every column is as plausible as every other one, q is 1.

    Args:
        plausibility: Column → how plausibly an outsider knows it, above 0 and at most 1.

    Example:
        >>> known = Preference({"age": 1.0, "lab_result": 0.5})
        >>> known.of({"age"}, 4.0), known.of({"age", "lab_result"}, 4.0), known.of({"lab_result"}, -4.0)
        (4.0, 1.265625, -7.75)
    """

    def __init__(self, plausibility: Mapping[str, float]) -> None:
        for name, share in plausibility.items():
            if not 0 < share <= 1:
                raise ValueError(f"the plausibility of {name!r} must be above 0 and at most 1, not {share}")
        highest = max(plausibility.values(), default=1.0)
        self._relative = {name: share / highest for name, share in plausibility.items()}

    def factor(self, qids: Collection[str]) -> float:
        """Return q of a set, not empty; a column without a plausibility counts 1."""
        mean = math.fsum(self._relative.get(name, 1.0) for name in qids) / len(qids)
        return mean**KNOWN_AT_ONCE

    def of(self, qids: Collection[str], fitness: float) -> float:
        """Return what becomes of the fitness of a set; −inf stays it."""
        factor = self.factor(qids)
        return fitness * factor if fitness >= 0 else fitness * (2 - factor)

"""Beam search: the best few sets of each size, each grown by one column."""

from qidguard.sdk import Arguments, Evaluation, Parameter, Problem, Termination
from qidguard_qidlearning.searches.space import Columns, SetSpace

_TITLE = "beam search"


class Beam:
    """Grows the ``width`` best sets of each size by every column, and keeps the ``width`` best of those.

    The x_prev of changes is the best set of the size before. Every set contains a set that was dropped on the
    way, or was itself measured; so the best one is proven where nothing was dropped, or where the bounds say
    that no set which contains a dropped one can be better.
    """

    name = "beam"
    title = "Beam search: the best few sets of each size, grown by one column"
    parameters = (
        Parameter(name="width", type=int, default=10, minimum=1, meaning="sets of each size that are grown"),
        Parameter(
            name="patience",
            type=int,
            default=5,
            minimum=1,
            meaning="sizes without a better set after which it ends",
        ),
    )

    def search(self, problem: Problem, arguments: Arguments, seed: int) -> Termination:  # noqa: ARG002 - no chance
        """Grow up to the largest size."""
        space = SetSpace.of(problem)
        grown = space.ranked(problem.evaluate(space.singles))
        best, idle, size = grown[0], 0, 1
        dropped: list[Columns] = []
        while True:
            problem.report(_TITLE, size, space.largest)
            kept = grown[: arguments["width"]]
            dropped += [e.qids for e in grown[arguments["width"] :]]
            if problem.is_stopped or size == space.largest:
                break
            if idle >= arguments["patience"]:
                dropped += [e.qids for e in kept]
                break
            grown = self._grown(problem, space, kept)
            size += 1
            idle = 0 if space.best(grown).own_fitness > best.own_fitness else idle + 1
            best = space.best([best, *grown])
        is_proven = not problem.is_stopped and self._is_proven(problem, space, best, dropped)
        return Termination(is_optimum=is_proven, reason=f"sets of up to {size} columns were grown")

    @staticmethod
    def _grown(problem: Problem, space: SetSpace, kept: list[Evaluation]) -> list[Evaluation]:
        sets = dict.fromkeys(e.qids | {name} for e in kept for name in space.candidates if name not in e.qids)
        current = space.best(kept).qids
        return space.ranked(problem.evaluate(list(sets), current=current), by="fitness")

    @staticmethod
    def _is_proven(problem: Problem, space: SetSpace, best: Evaluation, dropped: list[Columns]) -> bool:
        if not dropped:
            return True
        every = frozenset(space.candidates)
        growing = [qids for qids in dropped if len(qids) < space.largest]
        return problem.has_bounds and all(
            bound <= best.own_fitness for bound in problem.bounds([(qids, every) for qids in growing])
        )

"""The way from no column to a set: which column enters when, and what it moves."""

import math
from collections.abc import Callable, Sequence

from qidguard.discovering.found import Entry
from qidguard.search.descent import MOST_SETS
from qidguard.search.questions import Measurer, measured_within
from qidguard.search.scoring import Scoring

Row = tuple[float | None, ...]


def numbers(figures: Sequence[float]) -> Row:
    """Return figures with None where no number exists.

    Example:
        >>> numbers([0.5, math.nan])
        (0.5, None)
    """
    return tuple(None if math.isnan(figure) else float(figure) for figure in figures)


def steps_to(
    qids: Sequence[str],
    measurer: Measurer,
    scoring: Scoring,
    seconds_left: Callable[[], float] = lambda: math.inf,
) -> tuple[Entry, ...]:
    """Return the steps: at each, of the columns left the one with which the fitness is highest.

    Equally good columns enter in the table's order. A change counts 0, as it does for the set itself.

    Args:
        qids: The set, in the table's order, not empty.
        measurer: Measures its subsets.
        scoring: Turns figures into fitness.
        seconds_left: How much time there is; where it is not enough for a step, what is left enters at once.

    Returns:
        One entry a column; the last one holds several where the set is wide or the time is up.
    """
    entries: list[Entry] = []
    inside: tuple[str, ...] = ()
    left = list(qids)
    measured = 0
    while left:
        steps: list[tuple[str, ...]] = [(name,) for name in left]
        found = None
        seconds = seconds_left()
        if measured + len(left) <= MOST_SETS and seconds > 0:
            found = measured_within(measurer, [frozenset((*inside, *step)) for step in steps], seconds)
        if found is None:
            steps = [tuple(left)]
            found = measurer.measure([frozenset(qids)])
        measured += len(steps)
        rows = found.tolist()
        fitness = [scoring.own_fitness(row, (*inside, *step)) for row, step in zip(rows, steps, strict=True)]
        best = max(range(len(steps)), key=fitness.__getitem__)
        figures = numbers(scoring.own(rows[best]))
        before = entries[-1] if entries else None
        entries.append(
            Entry(
                columns=steps[best],
                fitness=fitness[best],
                gain=None if before is None else fitness[best] - before.fitness,
                figures=figures,
                moves=_moves(figures, before),
            )
        )
        inside = (*inside, *steps[best])
        left = [name for name in left if name not in steps[best]]
    return tuple(entries)


def _moves(figures: Row, before: Entry | None) -> Row:
    if before is None:
        return (None,) * len(figures)
    pairs = zip(figures, before.figures, strict=True)
    return numbers([math.nan if new is None or old is None else new - old for new, old in pairs])

"""Recursive (c,l)-diversity: the most frequent sensitive value stays below c times the rarer ones.

Example:
    >>> RECURSIVE_L_DIVERSITY.parameters[0].default
    3.0
"""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Cells,
    Direction,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    Parameter,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.metrics.wording import EMPTY, ENTITY_SHARES, NO_LIMIT, SENSITIVE_NULL

if TYPE_CHECKING:
    from numpy.typing import NDArray

_C = Parameter(
    name="c",
    type=float,
    default=3.0,
    minimum=1e-6,
    maximum=1e6,
    meaning="how many times the rarer values the most frequent one must stay below; no unit",
)


def recursive_levels(cells: Cells, c: float) -> "NDArray[np.int64]":
    """Compute for every class the largest l for which it is recursive (c,l)-diverse.

    With the class's counts r1 ≥ r2 ≥ … ≥ rm, that is the largest l in 1..m with r1 < c·(rl + … + rm); l = 1
    always holds (Machanavajjhala et al. 2007, section 4). Compared in whole numbers, c read as its decimals.

    One l a class, 1..number of its values; shape (classes,).
    """
    # in each class from the rarest value to the most frequent, so that running sums are the tails
    order = np.lexsort((cells.n, cells.class_id))
    owner, n = cells.class_id[order], cells.n[order]
    running = np.cumsum(n)
    is_first = np.diff(owner, prepend=-1) != 0
    tail = running - np.maximum.accumulate(np.where(is_first, running - n, 0))
    most_frequent = np.zeros(len(cells.size), dtype=np.int64)
    np.maximum.at(most_frequent, owner, n)
    values = np.bincount(owner, minlength=len(cells.size))
    # tail > r1/c exactly when tail > ⌊r1/c⌋, for tails are whole numbers
    counts, which = np.unique(most_frequent, return_inverse=True)
    exact = Fraction(repr(float(c)))
    floors = np.array([math.floor(int(count) / exact) for count in counts], dtype=np.int64)
    holds = tail > floors[which.reshape(-1)][owner]
    # tails grow in this order, so the l that hold are 1..number of tails that hold
    return np.clip(np.bincount(owner[holds], minlength=len(cells.size)), 1, values)


def _measure(view: TableView, grouping: Grouping, arguments: Arguments) -> int:
    """Return the smallest l; it needs each class's counts in order, which plain aggregates do not have."""
    cells = view.cells(grouping)
    if not len(cells.size):
        raise NotMeasurable("The table has no records, so there is nothing to measure.")
    return int(recursive_levels(cells, arguments["c"]).min())


RECURSIVE_L_DIVERSITY = Metric(
    name="recursive_l_diversity",
    title="recursive (c,l)-diversity",
    unit=Unit.VALUES,
    minimum=1,
    maximum=math.inf,
    direction=Direction.HIGHER_IS_SAFER,
    is_whole=True,
    method=TableFunction(measure=_measure),
    parameters=(_C,),
    is_sensitive=True,
    # proven over records by its authors; an entity that is in two classes is counted once after merging
    is_monotone=False,
    explanation=Explanation(
        meaning="In every class the most frequent sensitive value stays below c times all the values "
        "from the l-th most frequent on. So an attacker who can rule out l−2 values still faces "
        "a fair choice. The smaller c, the stricter.",
        formula="the largest l such that in every class r1 < c·(rl + … + rm), r1 ≥ … ≥ rm the persons "
        f"of each sensitive value in the class; l = 1 always holds. {ENTITY_SHARES}",
        source="Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, l-diversity: privacy beyond "
        "k-anonymity, section 4",
        good_value=f"{NO_LIMIT} That goes for c and for l. The default c = 3 is a mild reading of "
        "dominance: with l = 2 the most frequent value stays below three quarters of the class.",
        missing=SENSITIVE_NULL,
        empty=EMPTY,
        single_class="The largest l that the whole table reaches.",
    ),
)
"""The largest l for which every class is recursive (c,l)-diverse."""

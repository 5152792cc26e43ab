"""Whom the quasi-identifiers expose: all of them, each left away, twins left away, and few of them alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from qidguard.advising.advice import Exposed
from qidguard.core.progress import SILENT, Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.advising.classes import ClassLimit, DistinctRows

TITLE: Final = "whom columns expose"

MOST_PAIRS: Final = 10
"""Pairs of twins that are left away together."""

MOST_LISTED: Final = 6
"""Smallest combinations that are told, at most half of them of one size."""

_MOST_ROWS = 60_000_000
"""Rows that are counted for the smallest combinations, those of one combination after the other."""
_LARGEST = 3
_FEWEST_SHARE = 0.01
"""Of all persons below the limit, the share that a combination has to add to be told beside others."""


@dataclass(frozen=True, kw_only=True)
class Exposure:
    """Whom the quasi-identifiers expose; places of columns are those in the rows.

    Args:
        below: Persons below the limit.
        alone: Persons who are the only one in a class.
        without: What stays without a column, or without a pair.
        smallest: The smallest combinations that expose.
    """

    below: int
    alone: int
    without: tuple[Exposed, ...]
    smallest: tuple[Exposed, ...]


def exposure(
    rows: "DistinctRows",
    limits: Sequence["ClassLimit"],
    names: Sequence[str],
    *,
    twins: Sequence[tuple[int, int]] = (),
    largest: int | None = None,
    progress: Progress = SILENT,
) -> Exposure:
    """Return whom the columns of the limits expose.

    Args:
        rows: The table.
        limits: What classes need; the first is that of the combination that figures are of.
        names: The columns' names.
        twins: Places of pairs of which one column tells the other.
        largest: The most columns that the attacker knows together; None for all.
        progress: Hears of finished steps.
    """
    own = limits[0]
    places = tuple(dict.fromkeys(place for limit in limits for place in limit.columns))
    pairs = [(a, b) for a, b in twins if a in places and b in places][:MOST_PAIRS]
    removed: list[tuple[int, ...]] = [*((place,) for place in places), *pairs]
    whole = rows.count(limits, has_alone=True)
    without = []
    for done, away in enumerate(removed):
        progress.step(TITLE, done, len(removed) + 1)
        left = [replace(limit, columns=tuple(p for p in limit.columns if p not in away)) for limit in limits]
        count = rows.count(left, has_alone=True)
        columns = tuple(names[place] for place in away)
        without.append(Exposed(columns=columns, below=count.persons, alone=count.alone, added=count.persons))
    progress.step(TITLE, len(removed), len(removed) + 1)
    smallest = _Smallest(rows=rows, limit=own, names=names, below=whole.persons)
    found = smallest.found(tuple(p for p in places if p in own.columns) or places, largest)
    progress.step(TITLE, len(removed) + 1, len(removed) + 1)
    return Exposure(
        below=whole.persons,
        alone=whole.alone,
        without=tuple(sorted(without, key=lambda one: (one.below, len(one.columns)))),
        smallest=found,
    )


@dataclass(kw_only=True)
class _Smallest:
    """Search the combinations with few columns that put persons below a limit by themselves."""

    rows: "DistinctRows"
    limit: "ClassLimit"
    names: Sequence[str]
    below: int
    told: list[Exposed] = field(default_factory=list)
    is_known: "NDArray[np.bool_]" = field(init=False)
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.is_known = np.zeros(len(self.rows), dtype=np.bool_)
        self.left = max(2, _MOST_ROWS // max(1, len(self.rows)))

    def found(self, places: Sequence[int], largest: int | None) -> tuple[Exposed, ...]:
        """Return those that add persons, small ones first."""
        counted: dict[tuple[int, ...], int] = {}
        for size in range(1, min(len(places), largest or len(places)) + 1):
            if size > _LARGEST and self.told:
                break
            asked = self._promising(list(combinations(places, size)), counted)
            masks = {}
            for columns in asked:
                rows = self.rows.count([replace(self.limit, columns=columns)], has_rows=True).rows
                assert rows is not None  # noqa: S101 - they were asked for
                counted[columns] = self.rows.persons_of(rows)
                masks[columns] = self._persons(rows)
            self.left -= len(asked)
            self._tell(masks, counted)
            if len(self.told) >= MOST_LISTED or self.left < 1:
                break
        return tuple(self.told[:MOST_LISTED])

    def _promising(
        self, every: list[tuple[int, ...]], counted: dict[tuple[int, ...], int]
    ) -> list[tuple[int, ...]]:
        """Return as many as may be counted, those first whose parts expose most."""
        if len(every) <= self.left or len(every[0]) == 1:
            return every
        scored = {c: max(counted.get(part, 0) for part in combinations(c, len(c) - 1)) for c in every}
        return sorted(every, key=lambda c: -scored[c])[: max(0, self.left)]

    def _persons(self, rows: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
        """Return all rows of the persons of some rows."""
        if self.rows.person is None:
            return rows
        is_below = np.zeros(self.rows.persons, dtype=np.bool_)
        is_below[self.rows.person[rows]] = True
        return is_below[self.rows.person]

    def _tell(
        self, masks: "dict[tuple[int, ...], NDArray[np.bool_]]", counted: dict[tuple[int, ...], int]
    ) -> None:
        """Tell those of one size that add most, one after the other."""
        fewest = max(1, round(_FEWEST_SHARE * self.below))
        for _ in range(MOST_LISTED // 2):
            added = {c: self.rows.persons_of(mask & ~self.is_known) for c, mask in masks.items()}
            best = max(added, key=lambda c: (added[c], tuple(-p for p in c)), default=None)
            if best is None or added[best] < (fewest if self.told else 1):
                return
            alone = self.rows.count([replace(self.limit, columns=best)], has_alone=True).alone
            self.told.append(
                Exposed(
                    columns=tuple(self.names[place] for place in best),
                    below=counted[best],
                    alone=alone,
                    added=added[best],
                )
            )
            self.is_known |= masks.pop(best)

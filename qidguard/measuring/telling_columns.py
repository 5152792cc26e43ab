"""Few columns that tell most persons apart: which columns to look at when a table singles people out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.rest import Alone, RestView, TellingColumns

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHARE = 0.95
"""Columns tell most persons apart when this share of those whom all columns tell apart are alone on them."""
MOST_COLUMNS = 5
MOST_SETS = 3
_DRAWN = 30_000
_SLACK = 0.9
_BEAM = 4
"""Sets of each size that are tried with one column more."""


def telling_columns(view: RestView, columns: Sequence[str], everyone: Alone) -> tuple[TellingColumns, ...]:
    """Find small sets of columns that tell apart most of the persons whom all the columns tell apart.

    Sets grow by one column at a time; of each size the few that leave most persons alone in records drawn
    from the table are kept. Persons are then counted in the whole table, so a figure is exact and a set
    smaller than those found may be missed.

    Args:
        view: The table.
        columns: The columns that sets may hold, at least one.
        everyone: Whom all of them together tell apart.

    Returns:
        At most three sets, all of the size at which the first was found; none where no set of up to five
        columns tells enough persons apart.

    Units:
        Counts are of persons.

    Raises:
        ValueError: When there is no column.

    Example:
        >>> class Table:
        ...     def alone(self, columns, *, is_present=False):
        ...         return Alone(alone=2 if "b" in columns else 0, persons=2)
        ...
        ...     def drawn(self, columns, most):
        ...         from qidguard.core.rest import Drawn
        ...
        ...         return Drawn(codes=np.array([[0, 0], [0, 1]]), entity=None)
        >>> [found.columns for found in telling_columns(Table(), ("a", "b"), Alone(alone=2, persons=2))]
        [('b',)]
    """
    if not columns:
        raise ValueError("sets of columns are of at least one column")
    wanted = SHARE * everyone.alone
    if not everyone.alone:
        return ()
    records = view.drawn(tuple(columns), _DRAWN)
    search = _Search(records.codes, records.entity)
    # records drawn leave more persons alone than the whole table does, so a set that falls short is out
    least = _SLACK * SHARE * everyone.share * search.persons
    beam: list[tuple[int, ...]] = [()]
    for _ in range(min(MOST_COLUMNS, len(columns))):
        ranked = search.grown(beam)
        found = []
        for alone, some in ranked[:MOST_SETS]:
            if alone < least:
                break
            names = tuple(columns[at] for at in some)
            count = view.alone(names).alone
            if count >= wanted:
                found.append(TellingColumns(columns=names, alone=count))
        if found:
            return tuple(sorted(found, key=lambda one: -one.alone))
        beam = [some for _, some in ranked[:_BEAM]]
    return ()


class _Search:
    """Sets of columns over drawn records, each with the classes that it leaves of more than one person."""

    def __init__(self, codes: "NDArray[np.int64]", entity: "NDArray[np.int64] | None") -> None:
        self._codes = codes
        self._spans = codes.max(axis=0) + 1 if len(codes) else np.ones(codes.shape[1], dtype=np.int64)
        self._entity = np.arange(len(codes)) if entity is None else entity
        self.persons = len(np.unique(self._entity))
        self._has_entities = entity is not None

    def grown(self, beam: Sequence[tuple[int, ...]]) -> list[tuple[int, tuple[int, ...]]]:
        """Return every set with one column more, beside the persons alone on it, the most first."""
        found: dict[tuple[int, ...], tuple[int, int]] = {}
        for some in beam:
            number = self._number(some)
            settled, left = self._left(number)
            number = number[left]
            for column in range(self._codes.shape[1]):
                more = tuple(sorted({*some, column}))
                if len(more) > len(some) and more not in found:
                    key = number * self._spans[column] + self._codes[left, column]
                    alone, classes = self._counted(key)
                    found[more] = alone + settled, classes + settled
        # of equals, the one with more classes, then the first
        ranked = sorted(found, key=lambda some: (-found[some][0], -found[some][1], some))
        return [(found[some][0], some) for some in ranked]

    def _number(self, some: tuple[int, ...]) -> "NDArray[np.int64]":
        """Return the number of each row's class."""
        number = np.zeros(len(self._codes), dtype=np.int64)
        for column in some:
            number = np.unique(number * self._spans[column] + self._codes[:, column], return_inverse=True)[1]
        return number.reshape(-1).astype(np.int64)

    def _left(self, number: "NDArray[np.int64]") -> tuple[int, "NDArray[np.int64] | slice"]:
        """Return how many records a further column leaves alone anyhow, and which are left to be seen."""
        if self._has_entities:  # a person alone in a class may stand in another one, too
            return 0, slice(None)
        is_alone = np.bincount(number)[number] == 1
        return int(np.count_nonzero(is_alone)), np.flatnonzero(~is_alone)

    def _counted(self, key: "NDArray[np.int64]") -> tuple[int, int]:
        """Return the persons who are alone in a class of equal keys, and how many classes there are."""
        order = np.argsort(key) if self._has_entities else None
        ranked = np.sort(key) if order is None else key.take(order)
        starts = np.flatnonzero(np.diff(ranked, prepend=ranked[:1] - 1))
        if order is None:
            return int(np.count_nonzero(np.diff(starts, append=len(ranked)) == 1)), len(starts)
        who = self._entity.take(order)
        lowest, highest = np.minimum.reduceat(who, starts), np.maximum.reduceat(who, starts)
        return len(np.unique(lowest[lowest == highest])), len(starts)

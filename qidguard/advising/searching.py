"""Search the lattice of levels for the cheapest that leave few enough persons in too small classes."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from qidguard.core.progress import SILENT, Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.advising.classes import ClassLimit, DistinctRows
    from qidguard.advising.levels import ColumnOptions


State = tuple[int, ...]
"""For each column the place of its option."""


@dataclass(frozen=True, kw_only=True)
class CountedState:
    """What a state leaves in too small classes, and what it costs if that is left out."""

    state: State
    persons: int
    records: int
    loss: float


@dataclass(kw_only=True)
class Excluded:
    """States that are not asked for: those that failed, and those coarser than what is told already.

    Args:
        places: Places of columns with the options that an audit has refused.
        states: States that an audit has refused.
        told: States that are told; what is coarser costs more and says nothing new, unless it leaves
            nobody out where they do.
    """

    places: dict[tuple[int, int], None] = field(default_factory=dict)
    states: set[State] = field(default_factory=set)
    told: list[CountedState] = field(default_factory=list)

    def has(self, one: CountedState) -> bool:
        """Return whether a counted state is excluded."""
        if one.state in self.states or any(one.state[at] == place for at, place in self.places):
            return True
        return any(
            all(a <= b for a, b in zip(told.state, one.state, strict=True))
            and (one.persons > 0 or told.persons == 0)
            for told in self.told
        )

    def mask(self, states: "NDArray[np.int64]") -> "NDArray[np.bool_]":
        """Return which states are excluded whatever they leave out; shape (states,)."""
        found = np.zeros(len(states), dtype=np.bool_)
        for at, place in self.places:
            found |= states[:, at] == place
        for state in self.states:
            found |= (states == np.array(state)).all(axis=1)
        for told in self.told:
            if told.persons == 0:
                found |= (states >= np.array(told.state)).all(axis=1)
        return found


TITLE: Final = "changes that pass"

MOST_NODES: Final = 10_000
"""Combinations of levels up to which the cheapest is searched exactly."""

_WIDTH = 4
"""Nodes of a beam."""
_STEADY_ROWS, _ROWS_A_ROW = 8_000_000, 20
"""Rows that are counted in one search at most: so many, and so many for each row of the table."""
_KEPT_TABLES = 24
_SAME = 1e-12


@dataclass(kw_only=True)
class OptionSearch:
    """A search over the options of some columns; what was counted once is known.

    Args:
        rows: The table.
        limits: What its classes need.
        columns: The options of each of its columns.
        most_left_out: Persons that may be left out.
        deadline: When it stops, by ``time.monotonic``.
        progress: Hears of counted states.
        known: What was counted.
        is_cut_short: Whether the deadline came.
        is_exhausted: Whether more could have been counted than a search counts of a table of this size.
    """

    rows: "DistinctRows" = field(repr=False)
    limits: "Sequence[ClassLimit]"
    columns: "Sequence[ColumnOptions]"
    most_left_out: int
    deadline: float = math.inf
    progress: Progress = field(default=SILENT, repr=False)
    known: dict[State, CountedState] = field(default_factory=dict, repr=False)
    is_cut_short: bool = False
    is_exhausted: bool = False
    _left: int = field(init=False)
    _records: int = field(init=False)
    _tables: "dict[State, DistinctRows]" = field(default_factory=dict, init=False, repr=False)
    _failed: list[State] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        self._records = int(self.rows.records.sum())
        self._left = _STEADY_ROWS + _ROWS_A_ROW * len(self.rows)
        # without entities the rows are collapsed already
        self._tables[self.exact] = (
            self.rows.settled(self.limits) if self.rows.person is not None else self.rows
        )

    @property
    def exact(self) -> State:
        """Every column as it is."""
        return (0,) * len(self.columns)

    @property
    def top(self) -> State:
        """Every column dropped that may be."""
        return tuple(len(column.options) - 1 for column in self.columns)

    @cached_property
    def _published(self) -> int:
        return sum(not column.is_beside for column in self.columns)

    @cached_property
    def nodes(self) -> int:
        """Number of combinations of levels."""
        return math.prod(len(column.options) for column in self.columns)

    @property
    def is_exact(self) -> bool:
        """Whether every combination of levels is looked at."""
        return self.nodes <= MOST_NODES and not self.is_cut_short and not self.is_exhausted

    def ncp(self, state: State) -> float:
        """Return the mean penalty of the columns' levels, 0..1."""
        costs = [column.options[at].ncp for column, at in zip(self.columns, state, strict=True)]
        return sum(costs) / self._published

    def passes(self, found: CountedState) -> bool:
        """Return whether few enough persons are left in too small classes."""
        return found.persons <= self.most_left_out and found.records < self._records

    def count(self, state: State) -> CountedState:
        """Return what a state leaves in too small classes."""
        if state not in self.known:
            rows = self._finer(state)
            self._left -= len(rows[1]) * (1 + self._open_columns(state)) // (1 + len(state))
            moved = rows[1].moved(self._groups(rows[0], state))
            found = moved.count(self.limits)
            share = found.records / self._records
            ncp = self.ncp(state)
            self.known[state] = CountedState(
                state=state,
                persons=found.persons,
                records=found.records,
                loss=ncp * (1 - share) + share,
            )
            self.progress.step(f"{TITLE}: {len(self.known):,} counted", 0, 1)
        return self.known[state]

    def best(self, excluded: Excluded) -> CountedState | None:
        """Return the cheapest state that passes and is not excluded; None where none was found."""
        if self._left <= 0:  # what is next may lie where nobody looked yet
            self._left = (_STEADY_ROWS + _ROWS_A_ROW * len(self.rows)) // 4
        self._descend(excluded)
        self._beam(excluded)
        if self.nodes <= MOST_NODES:
            self._enumerate(excluded)
        self._polish(excluded)
        return self._cheapest(excluded)

    def _cheapest(self, excluded: Excluded) -> CountedState | None:
        found = [one for one in self.known.values() if self.passes(one) and not excluded.has(one)]
        return min(found, key=lambda one: (one.loss, one.state), default=None)

    def _is_over(self) -> bool:
        self.is_cut_short = self.is_cut_short or time.monotonic() > self.deadline
        self.is_exhausted = self.is_exhausted or self._left <= 0
        return self.is_cut_short or self._left <= 0

    def _open_columns(self, state: State) -> int:
        """Return how many columns are in more than one group."""
        return sum(at < len(c.options) - 1 for c, at in zip(self.columns, state, strict=True))

    def _descend(self, excluded: Excluded) -> None:
        """From everything dropped on, keep one column after the other as fine as passes.

        Columns of few values, which split classes least, come first; in turn each column comes before them.
        """
        sizes = [len(np.unique(column.options[0].groups)) for column in self.columns]
        usual = sorted(range(len(sizes)), key=lambda at: (sizes[at], at))
        left = self._left
        for first in (None, *reversed(usual)):
            order = usual if first is None else [first, *(at for at in usual if at != first)]
            state = self.top
            for at in order:
                for finer in range(state[at]):
                    if self._is_over() or self._left < left // 2:
                        return
                    asked = (*state[:at], finer, *state[at + 1 :])
                    if (at, finer) in excluded.places or self._has_failed(asked):
                        continue
                    if self.passes(self.count(asked)):
                        state = asked
                        break
                    self._failed.append(asked)

    def _has_failed(self, state: State) -> bool:
        """Return whether a coarser state is known to leave too many in small classes."""
        return any(all(a <= b for a, b in zip(state, one, strict=True)) for one in self._failed)

    def _beam(self, excluded: Excluded) -> None:
        """Count single changes, double drops, and from the most promising states on one change more."""
        beam = [self.exact]
        self.count(self.exact)
        drops = [at for at, column in enumerate(self.columns) if len(column.options) > 1]
        pairs = [self._dropped(pair) for pair in combinations(drops, 2)]
        for depth in range(sum(self.top)):
            best = self._cheapest(excluded)
            asked = {state for node in beam for state in self._coarser(node, every=depth == 0)}
            if depth == 1:
                asked |= set(pairs)
            if best is not None:
                asked = {state for state in asked if self.ncp(state) < best.loss}
            counted = []
            for state in sorted(asked, key=lambda state: (self.ncp(state), state)):
                if self._is_over():
                    return
                counted.append(self.count(state))
            open_ones = [one for one in counted if not self.passes(one)]
            if not open_ones:
                return
            open_ones.sort(key=lambda one: (one.loss, one.state))
            beam = [one.state for one in open_ones[:_WIDTH]]
            for state in beam:
                self._keep(state)

    def _enumerate(self, excluded: Excluded) -> None:
        """Count every state that could be cheaper than what is known, the coarsest first.

        What is finer than a state that leaves too many in small classes does so, too; what is finer than any
        state leaves as many, so that its loss is known from below.
        """
        states = np.stack(
            np.meshgrid(*(np.arange(len(c.options)) for c in self.columns), indexing="ij"), axis=-1
        ).reshape(-1, len(self.columns))
        costs = [np.array([option.ncp for option in column.options]) for column in self.columns]
        ncp = np.sum([cost[states[:, at]] for at, cost in enumerate(costs)], axis=0) / self._published
        share = np.zeros(len(states))
        is_open = ~excluded.mask(states)
        for one in self.known.values():
            self._learn(one, states, share, is_open)
        while True:
            best = self._cheapest(excluded)
            limit = math.inf if best is None else best.loss
            left = np.flatnonzero(is_open & (ncp * (1 - share) + share < limit - _SAME))
            if not len(left):
                return
            if self._is_over():
                return
            at = left[np.lexsort((left, -ncp[left]))[0]]
            self._learn(self.count(tuple(states[at].tolist())), states, share, is_open)

    def _learn(
        self,
        one: CountedState,
        states: "NDArray[np.int64]",
        share: "NDArray[np.float64]",
        is_open: "NDArray[np.bool_]",
    ) -> None:
        finer = (states <= np.array(one.state)).all(axis=1)
        np.maximum(share, np.where(finer, one.records / self._records, 0.0), out=share)
        if self.passes(one):
            is_open &= ~(states == np.array(one.state)).all(axis=1)
        else:
            is_open &= ~finer

    def _polish(self, excluded: Excluded) -> None:
        """From the cheapest state on, publish single columns finer as long as that is cheaper and passes."""
        best = self._cheapest(excluded)
        while best is not None:
            for at, place in enumerate(best.state):
                for finer in range(place):
                    if self._is_over():
                        return
                    self.count((*best.state[:at], finer, *best.state[at + 1 :]))
            better = self._cheapest(excluded)
            if better is None or better.state == best.state:
                return
            best = better

    def _coarser(self, state: State, *, every: bool) -> Iterator[State]:
        """Yield the states with one column coarser: by one level or half the way, or dropped."""
        for at, place in enumerate(state):
            last = len(self.columns[at].options) - 1
            steps = range(place + 1, last + 1) if every else {place + 1, (place + last + 1) // 2, last}
            for step in steps:
                if place < step <= last:
                    yield (*state[:at], step, *state[at + 1 :])

    def _dropped(self, places: Sequence[int]) -> State:
        top = self.top
        return tuple(top[at] if at in places else 0 for at in range(len(top)))

    def _finer(self, state: State) -> "tuple[State, DistinctRows]":
        """Return the smallest table that is held of a finer state."""
        fits = (
            one for one in self._tables.items() if all(a <= b for a, b in zip(one[0], state, strict=True))
        )
        return min(fits, key=lambda one: len(one[1]))

    def _keep(self, state: State) -> None:
        """Hold the table of a state, from which coarser ones are counted sooner."""
        if state in self._tables or len(self._tables) >= _KEPT_TABLES:
            return
        start, rows = self._finer(state)
        self._left -= 2 * len(rows)
        self._tables[state] = rows.moved(self._groups(start, state)).settled(self.limits)

    def _groups(self, start: State, end: State) -> "list[NDArray[np.int32] | None]":
        """Return for each column the group on its new level of each group on its old one."""
        found: list[NDArray[np.int32] | None] = []
        for column, old, new in zip(self.columns, start, end, strict=True):
            if old == new:
                found.append(None)
                continue
            before, after = column.options[old].groups, column.options[new].groups
            group = np.zeros(int(before.max(initial=0)) + 1, dtype=np.int32)
            group[before] = after
            found.append(group)
        return found

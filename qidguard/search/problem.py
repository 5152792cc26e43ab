"""The problem that a strategy is given: a measurer, an objective, a memory and a clock."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidguard.core.column import ColumnFacts
from qidguard.core.errors import NotMeasurable
from qidguard.core.metric import Direction, Metric
from qidguard.core.progress import Progress
from qidguard.core.recognizer import RoleProposal
from qidguard.core.view import TableView
from qidguard.core.watchdog import own_time
from qidguard.engines.base import Table
from qidguard.measuring.memory_records import MemoryRecords, memory_records
from qidguard.search.archive import Archive
from qidguard.search.protocol import Evaluation, SearchStep
from qidguard.search.questions import Measurer, measured_within
from qidguard.search.scoring import Row, Scoring

_SLACK = 1e-9
"""How far figures may be off by rounding, relative to themselves; bounds give way outwards by it."""

Interval = tuple[float, float]


class FitnessBounds:
    """Bounds of the own fitness, from the terms and the metric of each of the measurer's figures."""

    def __init__(self, scoring: Scoring, metrics: Sequence[Metric]) -> None:
        self._scoring = scoring
        self._metrics = tuple(metrics[column] for column in scoring.columns)
        self.is_known = all(
            is_change or metric.is_of_size or (metric.is_monotone and metric.direction in _RISES)
            for metric, is_change in zip(self._metrics, scoring.is_change, strict=True)
        )

    def bound(self, inside: Row | None, outside: Row, sizes: range, of_size: Callable[[int], Row]) -> float:
        """Return a number that no own fitness of a set between two others is above.

        ``inside`` and ``outside`` are the figures of the two (None for the empty set), ``of_size`` those of
        some set of a size. It is inf where nothing is known, −inf where there is no such set.
        """
        if not self.is_known:
            return math.inf
        fixed = [self._interval(i, inside, outside) for i in range(len(self._metrics))]
        if any(found is None for found in fixed):
            return max((self._bound_of_size(fixed, of_size(size)) for size in sizes), default=-math.inf)
        return self._combined([found for found in fixed if found is not None]) if sizes else -math.inf

    def _bound_of_size(self, fixed: Sequence[Interval | None], row: Row) -> float:
        figures = [float(row[column]) for column in self._scoring.columns]
        if any(found is None and math.isnan(figures[i]) for i, found in enumerate(fixed)):
            return -math.inf
        every = [(figures[i], figures[i]) if found is None else found for i, found in enumerate(fixed)]
        return self._combined(every)

    def _interval(self, term: int, inside: Row | None, outside: Row) -> Interval | None:
        """Return where a term's figure lies; None where only the size says."""
        metric, column = self._metrics[term], self._scoring.columns[term]
        if self._scoring.is_change[term]:
            return 0.0, 0.0
        if metric.is_of_size:
            return None
        few = math.nan if inside is None else float(inside[column])
        many = float(outside[column])
        low, high = (few, many) if _RISES[metric.direction] else (many, few)
        # where there is no figure, the metric's own range holds
        return (
            metric.minimum if math.isnan(low) else low,
            metric.maximum if math.isnan(high) else high,
        )

    def _combined(self, figures: Sequence[Interval]) -> float:
        objective = self._scoring.objective
        ends = [
            _times(term.weight, figure) for term, figure in zip(objective.every_term, figures, strict=True)
        ]
        terms, divisors = ends[: len(objective.terms)], ends[len(objective.terms) :]
        _, most = _sum(terms)
        return _quotient(most, _sum(divisors)) if divisors else most


_RISES = {Direction.LOWER_IS_SAFER: True, Direction.HIGHER_IS_SAFER: False}
"""Whether a monotone metric rises when a column is added: finer classes are never safer."""


def _times(weight: float, figure: Interval) -> Interval:
    if not weight:
        return 0.0, 0.0
    one, other = weight * figure[0], weight * figure[1]
    return min(one, other), max(one, other)


def _sum(ends: Sequence[Interval]) -> Interval:
    """Return the sum of intervals, its ends moved out by what rounding may do."""
    slack = _SLACK * math.fsum(abs(e) for end in ends for e in end if math.isfinite(e))
    low = -math.inf if any(low == -math.inf for low, _ in ends) else math.fsum(low for low, _ in ends)
    high = math.inf if any(high == math.inf for _, high in ends) else math.fsum(high for _, high in ends)
    return low - slack, high + slack


def _quotient(most: float, by: Interval) -> float:
    """Return the highest quotient of a number up to ``most`` by a positive one in ``by``."""
    least, largest = by
    if largest <= 0:
        return -math.inf
    if most > 0:
        return most / least if least > 0 else math.inf
    return most / largest if math.isfinite(most) or math.isfinite(largest) else -math.inf


class BudgetSpent(BaseException):
    """Ends a search whose time is up; no Exception, so that no strategy takes it for a fault of its own."""


LARGE_CELLS = 5_000_000
"""Cells of a table from which one set may take a second, so that none is measured with others at first."""


SINGLES = 4
"""How many times more single columns each piece of them has: columns that are coded together cost less."""

REPEATED = 0.1
"""Values per record above which a column's values hardly repeat."""


class MeasuredProblem:
    """A ``Problem`` whose sets are measured, each once, and which ends the search when its time is up."""

    def __init__(  # noqa: PLR0913 - the search hands on what it was given
        self,
        *,
        measurer: Measurer,
        scoring: Scoring,
        candidates: tuple[str, ...],
        largest: int,
        budget_seconds: float | None,
        progress: Progress,
        clock: Callable[[], float],
        proposals: Sequence[RoleProposal] = (),
        host: Any = None,
    ) -> None:
        self.candidates = candidates
        self.host = host
        self.proposals = tuple(
            sorted((p for p in proposals if p.assignment.column in candidates), key=lambda p: -p.confidence)
        )
        self.largest = largest
        self.archive = Archive(largest)
        self.evolution: list[SearchStep] = []
        self.was_stopped = False
        self._measurer = measurer
        self._table: Table | None = getattr(measurer, "table", None)
        self._scoring = scoring
        self._bits = {name: 1 << i for i, name in enumerate(candidates)}
        self._bounds = FitnessBounds(scoring, [question.metric for question in measurer.questions])
        self._budget_seconds = budget_seconds
        self._progress = progress
        self._clock = clock
        self._start = clock()
        self._records: int = getattr(self._table, "records", 0)
        self._is_large = self._records * len(candidates) > LARGE_CELLS
        self._pace = Pace(sets=1) if self._is_large else Pace()
        self._step: list[float] = []
        self._last: tuple[str, int, int] | None = None
        self._held: dict[tuple[str, ...], MemoryRecords] = {}

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return self._clock() - self._start

    @property
    def table(self) -> TableView:
        """The table; NotMeasurable where figures come from somewhere else."""
        if self._table is None:
            raise NotMeasurable("this search has figures only and no table; search an opened table")
        return self._table

    @property
    def facts(self) -> tuple[ColumnFacts, ...]:
        """The public facts of the candidates, in their order."""
        known = {facts.name: facts for facts in self.table.columns}
        return tuple(known[name] for name in self.candidates)

    def records(
        self, size: float | None = None, seed: int = 0, columns: Sequence[str] | None = None
    ) -> MemoryRecords:
        """Return records in memory, all or a sample; the table is read once for the same columns."""
        named = self.candidates if columns is None else tuple(columns)
        with own_time():
            if named not in self._held:
                self._held[named] = memory_records(self.table, named)
            return self._held[named].sample(size, seed)

    def seen_values(self) -> frozenset[str]:
        """Return the values of small classes that were held in memory, case-folded; no names of columns."""
        seen = frozenset[str]().union(*(held.rare() for held in self._held.values()))
        return seen - {name.casefold() for name in self.names} if seen else seen

    @property
    def has_bounds(self) -> bool:
        """Whether each term is a change, monotone or depends on the size only, and no value is suppressed."""
        # whom suppression leaves in no class is another one for each set, so that shares are not monotone
        is_told = self._table is not None
        return self._bounds.is_known and not (is_told and any(one.suppressed for one in self.facts))

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time budget is spent; None without one."""
        return None if self._budget_seconds is None else max(0.0, self._budget_seconds - self.seconds)

    @property
    def is_stopped(self) -> bool:
        """Whether the time budget is spent."""
        spent = self._budget_seconds is not None and self.seconds >= self._budget_seconds
        self.was_stopped = self.was_stopped or spent
        return self.was_stopped

    def go_on(self, budget_seconds: float | None) -> None:
        """Set when time is up anew, counted from the beginning: what the strategy left is the host's."""
        self._budget_seconds, self.was_stopped = budget_seconds, False

    def begin(self) -> None:
        """Measure the single columns of a large table first where the time is limited: nothing is cheaper.

        Those with many values, which tell most, come first: one, then a few, then many at once. Where values
        hardly repeat a column takes longest, and its facts say what it tells: such columns come last.
        """
        if not self._is_large or self._budget_seconds is None:
            return
        many = self._records * REPEATED
        values = {facts.name: (facts.groups > many, -facts.groups) for facts in self.facts}
        left, sets = sorted(self.candidates, key=values.__getitem__), 1
        while left:
            some, left = left[:sets], left[sets:]
            self._pace = Pace(sets=sets)
            self.evaluate([frozenset({name}) for name in some])
            sets *= SINGLES
        self._pace, self._step = Pace(sets=1), []

    def evaluate(
        self, sets: Sequence[frozenset[str]], *, current: frozenset[str] | None = None
    ) -> list[Evaluation]:
        """Return one evaluation for each set, in order; ValueError for what is no set of candidates."""
        masks = [self._mask(one) for one in sets]
        before = None if current is None else self._mask(current)
        self._learn(masks if before is None else [before, *masks])
        row = None if before is None else self.archive.row(before).tolist()
        found = [
            self._scoring.evaluation(qids, self.archive.row(mask).tolist(), row)
            for qids, mask in zip(sets, masks, strict=True)
        ]
        self._step += [e.own_fitness for e in found]
        return found

    def bounds(self, intervals: Sequence[tuple[frozenset[str], frozenset[str]]]) -> list[float]:
        """Return for each interval a number that no own fitness of a set in it is above."""
        masks = [(self._any_mask(inside), self._any_mask(outside)) for inside, outside in intervals]
        if not self.has_bounds:
            return [math.inf] * len(masks)
        self._learn([mask for pair in masks for mask in pair if mask])
        return [self._bound(inside, outside) for inside, outside in masks]

    def report(self, title: str, done: int, total: int) -> None:
        """Keep how the search stands and tell the progress."""
        finite = [f for f in self._step if math.isfinite(f)]
        before = self.evolution[-1].mean if self.evolution else -math.inf
        best = self.archive.best_fitness
        self.evolution.append(
            SearchStep(
                evaluations=len(self.archive),
                best=best,
                mean=math.fsum(finite) / len(finite) if finite else before,
                seconds=self.seconds,
            )
        )
        self._step = []
        said = f"{title}: best {best:.4f}" if math.isfinite(best) else title
        self._last = (said, min(done, total), total)
        self._progress.step(*self._last)

    def close(self) -> None:
        """Keep what was evaluated since the last report, and end the progress."""
        if self._step or not self.evolution:
            last = self._last or ("search", 0, 1)
            self.report(last[0].partition(": ")[0], *last[1:])
        if self._last is not None:
            said, _, total = self._last
            self._progress.step(said, total, total)

    def columns(self, mask: int) -> frozenset[str]:
        """Return the set of a bit mask."""
        return frozenset(name for name, bit in self._bits.items() if mask & bit)

    def evaluation(self, mask: int) -> Evaluation:
        """Return the evaluation of a remembered set, every change 0."""
        return self._scoring.evaluation(self.columns(mask), self.archive.row(mask).tolist(), None)

    def settled(self, qids: frozenset[str]) -> Evaluation:
        """Return the evaluation of a set that was chosen, measured even past the budget."""
        mask = self._mask(qids)
        if mask not in self.archive:
            rows = self._measurer.measure([qids])
            self._remember([mask], rows)
        return self.evaluation(mask)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns that are known."""
        found = self._table
        return self.candidates if found is None else tuple(facts.name for facts in found.columns)

    def front(self) -> list[int]:
        """Return the sets seen that no other one beats in every term, as bit masks."""
        values = self._scoring.every_values
        return self.archive.front(lambda rows, masks: values(rows, map(self.columns, masks)))

    def without_preference(self) -> Evaluation | None:
        """Return the set seen that is best by the objective alone; None where nothing is preferred."""
        return self.evaluation(self.archive.plain[0][1]) if self.archive.plain else None

    def _bound(self, inside: int, outside: int) -> float:
        if not outside or inside & ~outside:
            return -math.inf
        few = self.archive.row(inside).tolist() if inside else None
        sizes = range(max(1, inside.bit_count()), min(outside.bit_count(), self.largest) + 1)
        return self._bounds.bound(few, self.archive.row(outside).tolist(), sizes, self._of_size)

    def _of_size(self, size: int) -> list[float]:
        mask = (1 << size) - 1
        self._learn([mask])
        found: list[float] = self.archive.row(mask).tolist()
        return found

    def _mask(self, qids: frozenset[str]) -> int:
        mask = self._any_mask(qids)
        if not mask:
            raise ValueError("the empty set is no candidate; evaluate sets of at least one column")
        if mask.bit_count() > self.largest:
            raise ValueError(f"a set may have {self.largest} columns, not {mask.bit_count()}")
        return mask

    def _any_mask(self, qids: frozenset[str]) -> int:
        try:
            return sum(self._bits[name] for name in qids)
        except KeyError as unknown:
            raise ValueError(f"column {unknown} is no candidate; choose among the candidates") from None

    def _learn(self, masks: Sequence[int]) -> None:
        """Measure what is not remembered; BudgetSpent past the budget."""
        unknown = list(dict.fromkeys(mask for mask in masks if mask not in self.archive))
        self._check_budget()
        while unknown:
            sets = self._pace.within(self._left())
            some, unknown = unknown[:sets], unknown[sets:]
            start = self._clock()
            with own_time():
                rows = self._measured([self.columns(mask) for mask in some])
            self._remember(some, rows)
            self._pace.took(self._clock() - start, len(some))
            if unknown:
                self._check_budget()

    def _measured(self, sets: Sequence[frozenset[str]]) -> NDArray[np.float64]:
        """Measure sets; what the first ones take is not interrupted, or a search would have no answer."""
        seconds = self._left() if len(self.archive) else math.inf
        rows = measured_within(self._measurer, sets, seconds)
        if rows is None:
            self.was_stopped = True
            raise BudgetSpent
        return rows

    def _remember(self, masks: list[int], rows: NDArray[np.float64]) -> None:
        pairs = [(row, self.columns(mask)) for row, mask in zip(rows.tolist(), masks, strict=True)]
        self.archive.add(masks, rows, [self._scoring.own_fitness(row, qids) for row, qids in pairs])
        if self._scoring.preference is not None:
            self.archive.note([self._scoring.objective_fitness(row) for row, _ in pairs], masks)

    def _left(self) -> float:
        return math.inf if self._budget_seconds is None else self._budget_seconds - self.seconds

    def _check_budget(self) -> None:
        if self.is_stopped:
            raise BudgetSpent


FIRST_SETS = 4
"""Sets of the first piece of work: nobody knows yet how long one takes."""

MOST_SETS = 8_192
"""Sets of a piece of work at most; more at once is hardly quicker."""

SLOW_SECONDS = 1.0
QUICK_SECONDS = 0.3
"""A piece that takes longer is halved, one that takes less is doubled."""


@dataclass(kw_only=True)
class Pace:
    """Says how many sets to measure next; the clock decides when a search stops, never what it finds."""

    sets: int = FIRST_SETS
    set_seconds: float = 0.0

    def took(self, seconds: float, sets: int) -> None:
        """Set the size of the next piece from how long the last one took, and how many sets it had.

        Example:
            >>> pace = Pace()
            >>> pace.took(0.1, 4)
            >>> pace.sets
            8
        """
        self.set_seconds = max(seconds / max(1, sets), self.set_seconds / 2)
        if seconds > SLOW_SECONDS:
            self.sets = max(1, self.sets // 2)
        elif seconds < QUICK_SECONDS:
            self.sets = min(MOST_SETS, self.sets * 2)

    def within(self, seconds: float) -> int:
        """Return the size of the next piece where so many seconds are left; at least one set.

        Example:
            >>> pace = Pace()
            >>> pace.took(2.0, 4)
            >>> pace.within(1.0)
            2
        """
        if not self.set_seconds or seconds == math.inf:
            return self.sets
        return max(1, min(self.sets, int(seconds / self.set_seconds)))

"""Measure figures on many subsets of a table's columns, by the way that costs least, within a deadline."""

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidguard.core.errors import NotMeasurable, PluginError
from qidguard.core.metric import GroupBy
from qidguard.core.progress import SILENT, Progress
from qidguard.core.statistic import CLASSES
from qidguard.core.view import Grouping
from qidguard.engines.base import Table
from qidguard.measuring.answers import Answers, code_of
from qidguard.measuring.cost import MeasuringWork, Path, planned
from qidguard.measuring.family import QuestionFamily
from qidguard.measuring.lattice.records import Masks, mask_array
from qidguard.measuring.question import Question, batches
from qidguard.measuring.runner import Runner, require_order


class SubsetPaths:
    """Measures sets by the way that is named: in memory what arrays can say, by SQL the rest."""

    def __init__(self, table: Table, columns: tuple[str, ...], questions: Sequence[Question]) -> None:
        self._table = table
        self._columns = columns
        by_attribute: dict[str | None, list[tuple[int, Question]]] = {}
        left: list[tuple[int, Question]] = []
        self._lacks = {
            j: why for j, question in enumerate(questions) if (why := lack(table, question, columns))
        }
        for j, question in enumerate(questions):
            if j in self._lacks:
                continue
            if is_in_memory(table, question):
                by_attribute.setdefault(question.attribute, []).append((j, question))
            else:
                left.append((j, question))
        self._families = [
            QuestionFamily(table, columns, attribute, [(j, q) for j, q in some if q in batch])
            for attribute, some in by_attribute.items()
            for batch in batches([q for _, q in some])
        ]
        self._sql = Runner(table, left) if left else None
        # sets of marked columns alone are measured by the engine
        self._asks_engine = any(isinstance(question.metric.method, GroupBy) for _, question in left)
        self._asks_engine |= bool(self._families) and all(table.is_marked(name) for name in columns)
        self._reference = Runner(table, list(enumerate(questions)))

    def work(self, rows: int, sets: int | None) -> MeasuringWork:
        """Return what is to be measured of so many distinct rows on so many sets.

        A function of the table costs the same on every way, so it says nothing about which to take.
        """
        return MeasuringWork(
            rows=rows,
            columns=len(self._columns),
            sets=sets,
            groups=len(self._families),
            has_cells=any(family.has_cells for family in self._families),
            in_memory=bool(self._families),
            by_engine=self._asks_engine,
        )

    def measure(self, masks: Masks, answers: Answers, path: Path, report: Callable[[int], None]) -> None:
        """Fill all figures of the sets by one way; ``report`` is called with how many sets are done."""
        if path is Path.SQL:
            self._ask(self._reference, masks, range(len(masks)), answers, report)
            return
        for j, why in self._lacks.items():
            answers.reasons.update({(row, j): why for row in range(len(masks))})
        parts = len(self._families) + (self._sql is not None)
        for part, family in enumerate(self._families):
            left = family.measure(masks, answers, path, _share(report, part * len(masks), parts))
            if left:
                self._ask(Runner(self._table, family.questions), masks, left, answers, lambda _: None)
        if self._sql is not None:
            rest = _share(report, (parts - 1) * len(masks), parts)
            self._ask(self._sql, masks, range(len(masks)), answers, rest)

    def _ask(
        self,
        runner: Runner,
        masks: Masks,
        rows: Sequence[int],
        answers: Answers,
        report: Callable[[int], None],
    ) -> None:
        prepare = getattr(self._table, "prepare", None)
        if prepare is not None and runner.looks_at_columns and len(rows):
            wanted = int(np.bitwise_or.reduce(masks[list(rows)]))
            prepare([name for i, name in enumerate(self._columns) if wanted >> i & 1])
        for done, row in enumerate(rows):
            if self._table.is_interrupted:
                raise KeyboardInterrupt
            mask = int(masks[row])
            runner.fill(tuple(n for i, n in enumerate(self._columns) if mask >> i & 1), row, answers)
            report(done + 1)


def _share(report: Callable[[int], None], before: int, parts: int) -> Callable[[int], None]:
    """Return who hears of one of several parts of the work."""
    return lambda done: report((before + done) // parts)


def lack(table: Table, question: Question, columns: Sequence[str]) -> str:
    """Return why a question has no figure at all; empty where it may have one, or nobody can know yet."""
    beside = [name for name in columns if name != question.attribute]
    try:
        if not isinstance(question.metric.method, GroupBy) or not beside:
            return ""
        require_order(table, question)
        with code_of(question.metric, question.owner, table):
            needed = question.statistics()
            if any(s.needs_population for s in needed) and not table.has_population:
                table.statistics(question.grouping((beside[0],)), needed)
        if question.attribute is not None and any("number" in v.sql for s in needed for v in s.values):
            table.numbers(question.attribute)
    except NotMeasurable as reason:
        return str(reason)
    except PluginError:  # measuring says what is wrong
        return ""
    return ""


def is_in_memory(table: Table, question: Question) -> bool:
    """Whether a figure can be measured over arrays: its statistics are in the small language."""
    if not isinstance(question.metric.method, GroupBy):
        return False
    try:
        with code_of(question.metric, question.owner):
            needed = question.statistics()
            family = QuestionFamily(table, (), question.attribute, [(0, question)])
        if family.needs_numbers and question.attribute is not None:
            table.numbers(question.attribute)
    except (PluginError, NotMeasurable):  # the engine says what is wrong
        return False
    return bool(needed)


@dataclass(frozen=True, kw_only=True)
class SubsetFigures:
    """Figures of many subsets of columns.

    Args:
        columns: The columns; bit i of a mask stands for ``columns[i]``.
        sets: One bit mask a subset, none twice: 64-bit numbers, or objects beyond 62 columns.
        values: Shape (subsets, figures); NaN where no number exists.
    """

    columns: tuple[str, ...]
    sets: Masks
    values: NDArray[np.float64]

    def names(self, row: int) -> tuple[str, ...]:
        """Return the columns of one subset in the table's order.

        Args:
            row: The subset's row, 0..subsets−1.

        Returns:
            Its column names.

        Raises:
            IndexError: When there is no such row.

        Example:
            >>> masks = np.array([0b101])
            >>> SubsetFigures(columns=("a", "b", "c"), sets=masks, values=np.zeros((1, 1))).names(0)
            ('a', 'c')
        """
        mask = int(self.sets[row])
        return tuple(name for i, name in enumerate(self.columns) if mask >> i & 1)


LARGE_BATCH = 500
"""Sets asked for together from which walking the lattice costs less than refining each."""

TITLE = "measuring subsets"
"""What progress calls the work."""


class SubsetMeasurer:
    """Measures the same figures on many subsets of columns; every answer is remembered.

    Whatever way is taken, a figure is the one that the engine's own SQL gives, to the last digit.

    Args:
        table: The opened table; it is read and never changed.
        columns: The columns that subsets may hold, at least one, none twice.
        questions: What is asked of each subset.
        path: The way to take; None chooses by cost.
        expected_sets: How many subsets will be asked for; None says that there may be many.
        progress: Hears of finished subsets.
        is_hurried: Whether a large table's distinct rows are not counted before a way is chosen, where its
            columns have values enough to tell all records apart; each record then counts as one.
    """

    def __init__(
        self,
        table: Table,
        columns: Sequence[str],
        questions: Sequence[Question],
        *,
        path: Path | None = None,
        expected_sets: int | None = None,
        progress: Progress = SILENT,
        is_hurried: bool = False,
    ) -> None:
        if not columns or len(set(columns)) != len(columns):
            raise ValueError("subsets are of at least one column, none named twice")
        self.table = table
        self.columns = tuple(columns)
        self.questions = tuple(questions)
        self._bits = {name: 1 << i for i, name in enumerate(self.columns)}
        self._progress = progress
        self._paths = SubsetPaths(table, self.columns, self.questions)
        self._asked = path
        self._is_hurried = is_hurried and is_long_to_count(table, self.columns)
        rows = table.records
        if not self._is_hurried:
            rows = distinct_rows(table, self.columns, self.questions, expected_sets)
        self.plan = planned(self._paths.work(rows, expected_sets), path)
        self._known: dict[int, int] = {}
        self._values = np.zeros((0, len(self.questions)))
        self._reasons: dict[tuple[int, int], str] = {}

    @property
    def evaluations(self) -> int:
        """Number of distinct subsets measured so far."""
        return len(self._known)

    def measure(self, sets: Sequence[frozenset[str]]) -> NDArray[np.float64]:
        """Return the figures of subsets.

        Args:
            sets: Subsets of the columns, none empty; one may come twice.

        Returns:
            Shape (sets, figures), each in its metric's unit; NaN where no number exists.

        Units:
            Those of the metrics.

        Raises:
            ValueError: For the empty set or an unknown column.
            PluginError: When a plugin fails; it names the plugin.

        Example:
            >>> from qidguard.anonymizing.example import CLASSES_QUESTION, opened_example
            >>> with opened_example() as table:
            ...     measurer = SubsetMeasurer(table, ("age", "town"), [CLASSES_QUESTION])
            ...     measurer.measure([frozenset({"age"}), frozenset({"age", "town"})]).tolist()
            [[2.0], [3.0]]
        """
        masks = [self._mask(one) for one in sets]
        self._learn(masks)
        return self._values[[self._known[mask] for mask in masks]]

    def measure_within(self, sets: Sequence[frozenset[str]], seconds: float) -> NDArray[np.float64] | None:
        """Return the figures of subsets, or None where that took longer: it is interrupted then.

        Nothing of what was interrupted is remembered, and the table goes on to answer.

        Args:
            sets: Subsets of the columns, none empty; one may come twice.
            seconds: How long it may take; one step over arrays ends first.

        Returns:
            As ``measure``; None where the time was not enough.

        Units:
            Those of the metrics.

        Raises:
            ValueError: For the empty set or an unknown column.
            PluginError: When a plugin fails; it names the plugin.

        Example:
            >>> from qidguard.anonymizing.example import CLASSES_QUESTION, opened_example
            >>> with opened_example() as table:
            ...     measurer = SubsetMeasurer(table, ("age", "town"), [CLASSES_QUESTION])
            ...     measurer.measure_within([frozenset({"age"})], 60.0).tolist()
            [[2.0]]
        """
        masks = [self._mask(one) for one in sets]
        if any(mask not in self._known for mask in masks):
            with deadline(self.table, seconds) as end:
                found = self._measured(masks)
            if end.has_come:
                return None
            self._remember(found)
        return self._values[[self._known[mask] for mask in masks]]

    def reason(self, qids: frozenset[str], figure: int) -> str:
        """Return why a figure of a subset does not exist.

        Args:
            qids: The subset.
            figure: The figure's position among those asked for.

        Returns:
            One sentence; empty where the figure exists.

        Raises:
            ValueError: For the empty set or an unknown column.
            PluginError: When a plugin fails; it names the plugin.

        Example:
            >>> from qidguard.anonymizing.example import CLASSES_QUESTION, opened_example
            >>> with opened_example() as table:
            ...     SubsetMeasurer(table, ("age", "town"), [CLASSES_QUESTION]).reason(frozenset({"age"}), 0)
            ''
        """
        mask = self._mask(qids)
        self._learn([mask])
        return self._reasons.get((self._known[mask], figure), "")

    def every(self, sizes: Iterable[int]) -> SubsetFigures:
        """Return the figures of all subsets of these sizes.

        Args:
            sizes: Numbers of columns, each 1..columns; what is outside has no subsets.

        Returns:
            One row a subset, by size and then in the order of ``itertools.combinations``.

        Units:
            Those of the metrics.

        Raises:
            PluginError: When a plugin fails; it names the plugin.

        Example:
            >>> from qidguard.anonymizing.example import CLASSES_QUESTION, opened_example
            >>> with opened_example() as table:
            ...     SubsetMeasurer(table, ("age", "town"), [CLASSES_QUESTION]).every([1, 2]).values.tolist()
            [[2.0], [2.0], [3.0]]
        """
        bits = list(self._bits.values())
        masks = [sum(some) for size in sorted(set(sizes)) for some in combinations(bits, size) if some]
        self._learn(masks)
        return SubsetFigures(
            columns=self.columns,
            sets=mask_array(masks, len(self.columns)),
            values=self._values[[self._known[mask] for mask in masks]],
        )

    def _mask(self, qids: frozenset[str]) -> int:
        if not qids:
            raise ValueError("a subset to measure needs at least one column")
        unknown = sorted(qids - self._bits.keys())
        if unknown:
            raise ValueError(f"the measurer was not given column {unknown[0]!r}; name it among its columns")
        return sum(self._bits[name] for name in qids)

    def _learn(self, masks: Iterable[int]) -> None:
        """Measure those of the sets that are not known yet."""
        self._remember(self._measured(masks))

    def _measured(self, masks: Iterable[int]) -> tuple[list[int], Answers]:
        """Return the sets that are not known yet, and their figures."""
        new = [mask for mask in dict.fromkeys(masks) if mask not in self._known]
        answers = Answers.blank(len(new), len(self.questions))
        if not new:
            return new, answers
        self._progress.step(TITLE, 0, len(new))
        masks_of_new = mask_array(new, len(self.columns))

        def report(done: int) -> None:
            self._progress.step(TITLE, done, len(new))

        self._paths.measure(masks_of_new, answers, self._path_for(new), report)
        self._progress.step(TITLE, len(new), len(new))
        return new, answers

    def _remember(self, found: tuple[list[int], Answers]) -> None:
        new, answers = found
        if not new:
            return
        start = len(self._values)
        self._values = np.concatenate((self._values, answers.values))
        self._known.update(zip(new, range(start, start + len(new)), strict=True))
        self._reasons.update(((start + row, j), why) for (row, j), why in answers.reasons.items())

    def _path_for(self, masks: Sequence[int]) -> Path:
        """Return the way for some sets asked for together: a search's batch is not all subsets of a size."""
        if self._asked is not None or self.plan.path is Path.SQL:
            return self.plan.path
        if self._is_hurried and all(mask.bit_count() == 1 for mask in masks):
            return Path.SQL  # in memory all columns would have to be read first
        return Path.LATTICE if len(masks) >= LARGE_BATCH else self.plan.path


AGAIN_SECONDS = 0.05
"""How long after an interruption the next one comes: one between two statements is heard by none."""


class Deadline:
    """Whether a deadline came while the work went on; what was measured then is not to be believed."""

    has_come = False


@contextmanager
def deadline(table: Any, seconds: float) -> Iterator[Deadline]:
    """End work on a table after some seconds; an engine that interrupts nothing goes on.

    Past the deadline ``table.is_interrupted`` holds and ``table.interrupt`` is called until the work is left;
    whatever that raises then ends here. Afterward the table is as before: other work on it goes on.

    Args:
        table: The opened table.
        seconds: After how long; infinite for never.

    Yields:
        Whether the deadline came, to be looked at afterward.
    """
    found = Deadline()
    interrupt = getattr(table, "interrupt", None)
    if seconds == math.inf or interrupt is None:
        yield found
        return
    is_left = threading.Event()

    def watch() -> None:
        wait = seconds
        while not is_left.wait(max(0.0, wait)):
            found.has_come, wait = True, AGAIN_SECONDS
            table.is_interrupted = True
            interrupt()

    watching = threading.Thread(target=watch, name="qidguard-deadline", daemon=True)
    watching.start()
    try:
        yield found
    except (Exception, KeyboardInterrupt):
        if not found.has_come:
            raise
    finally:
        is_left.set()
        watching.join()
        table.is_interrupted = False


FEW_SETS = 3
"""Sets up to which it does not pay to count the table's distinct rows before choosing a way."""

MOST_CELLS = 10_000_000
"""Cells of a table up to which counting its distinct rows takes a second or two."""
MANY_TIMES = 1_000
"""How many times more combinations of values than records say that hardly two records are equal."""


def is_long_to_count(table: Table, columns: Sequence[str]) -> bool:
    """Return whether a table is large, and its columns have values enough to tell all records apart."""
    if table.records * len(columns) <= MOST_CELLS:
        return False
    combinations_of_values = prod(facts.groups for facts in table.columns if facts.name in columns)
    return combinations_of_values > MANY_TIMES * table.records


def distinct_rows(
    table: Table, columns: tuple[str, ...], questions: Sequence[Question], sets: int | None
) -> int:
    """Return how many rows are left of the table when equal records fall together."""
    if table.has_entities or (sets is not None and sets <= FEW_SETS):
        return table.records
    beside = [q.attribute for q in questions if q.attribute is not None and q.attribute not in columns]
    grouping = Grouping(qids=(*columns, *dict.fromkeys(beside[:1])))
    return int(table.statistics(grouping, (CLASSES,))[CLASSES.name] or 0)

"""The ways to measure: families of figures in memory, and SQL for what they cannot say."""

from collections.abc import Callable, Sequence

import numpy as np

from qidguard.core.errors import NotMeasurable, PluginError
from qidguard.core.metric import GroupBy
from qidguard.engines.base import Table
from qidguard.measuring.answers import Answers, code_of
from qidguard.measuring.cost import Path
from qidguard.measuring.family import QuestionFamily
from qidguard.measuring.lattice.records import Masks
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

    @property
    def families(self) -> int:
        """How many families of figures are measured in memory."""
        return len(self._families)

    @property
    def asks_engine(self) -> bool:
        """Whether some statistics come from the engine whatever the way.

        A function of the table costs the same on every way, so it says nothing about which to take.
        """
        return self._asks_engine

    @property
    def has_cells(self) -> bool:
        """Whether a family looks at cells or entities."""
        return any(family.has_cells for family in self._families)

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

"""The ways to measure: families of figures in memory, and SQL for what they cannot say."""

from collections.abc import Callable, Sequence

from qidguard.core.errors import NotMeasurable
from qidguard.core.metric import GroupBy
from qidguard.engines.base import Table
from qidguard.measure.answers import Answers
from qidguard.measure.batch import batches
from qidguard.measure.family import Family
from qidguard.measure.figure import Figure
from qidguard.measure.masks import Masks
from qidguard.measure.plan import Path
from qidguard.measure.sql_path import SqlPath
from qidguard.measure.way import Way


class SubsetPaths:
    """Measures sets by the way that is named: in memory what arrays can say, by SQL the rest.

    Args:
        table: The opened table.
        columns: The columns that subsets may hold.
        figures: The figures.
    """

    def __init__(self, table: Table, columns: tuple[str, ...], figures: Sequence[Figure]) -> None:
        self._table = table
        self._columns = columns
        by_attribute: dict[str | None, list[tuple[int, Figure]]] = {}
        left: list[tuple[int, Figure]] = []
        self._lacks = {j: why for j, figure in enumerate(figures) if (why := lack(table, figure, columns))}
        for j, figure in enumerate(figures):
            if j in self._lacks:
                continue
            if is_in_memory(table, figure):
                by_attribute.setdefault(figure.attribute, []).append((j, figure))
            else:
                left.append((j, figure))
        self._families = [
            Family(table, columns, attribute, [(j, f) for j, f in some if f in batch])
            for attribute, some in by_attribute.items()
            for batch in batches([f for _, f in some])
        ]
        self._sql = SqlPath(table, left) if left else None
        self._asks_engine = any(isinstance(figure.metric.method, GroupBy) for _, figure in left)
        self._reference = SqlPath(table, list(enumerate(figures)))

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

    def measure(self, masks: Masks, answers: Answers, way: Way, heard: Callable[[int], None]) -> None:
        """Fill all figures of the sets by one way; ``heard`` is told how many sets are done."""
        if way.path is Path.SQL:
            self._ask(self._reference, masks, range(len(masks)), answers, heard)
            return
        for j, why in self._lacks.items():
            answers.reasons.update({(row, j): why for row in range(len(masks))})
        parts = len(self._families) + (self._sql is not None)
        for part, family in enumerate(self._families):
            left = family.measure(masks, answers, way, _share(heard, part * len(masks), parts))
            if left:
                self._ask(SqlPath(self._table, family.figures), masks, left, answers, lambda _: None)
        if self._sql is not None:
            rest = _share(heard, (parts - 1) * len(masks), parts)
            self._ask(self._sql, masks, range(len(masks)), answers, rest)

    def _ask(
        self, sql: SqlPath, masks: Masks, rows: Sequence[int], answers: Answers, heard: Callable[[int], None]
    ) -> None:
        for done, row in enumerate(rows):
            if self._table.is_interrupted:
                raise KeyboardInterrupt
            mask = int(masks[row])
            sql.measure(tuple(n for i, n in enumerate(self._columns) if mask >> i & 1), row, answers)
            heard(done + 1)


def _share(heard: Callable[[int], None], before: int, parts: int) -> Callable[[int], None]:
    """Return who hears of one of several parts of the work."""
    return lambda done: heard((before + done) // parts)


def lack(table: Table, figure: Figure, columns: Sequence[str]) -> str:
    """Return why a figure exists for no set at all; empty where it may exist, or nobody can know yet."""
    beside = [name for name in columns if name != figure.attribute]
    try:
        if not isinstance(figure.metric.method, GroupBy) or not beside:
            return ""
        needed = figure.statistics()
        if any(s.needs_population for s in needed) and not table.has_population:
            table.statistics(figure.grouping((beside[0],)), needed)
        if figure.attribute is not None and any("number" in v.sql for s in needed for v in s.values):
            table.numbers(figure.attribute)
    except NotMeasurable as reason:
        return str(reason)
    except (Exception, SystemExit, GeneratorExit):  # noqa: BLE001 - measuring says what is wrong with a plugin
        return ""
    return ""


def is_in_memory(table: Table, figure: Figure) -> bool:
    """Whether a figure can be measured over arrays: its statistics are in the small language."""
    if not isinstance(figure.metric.method, GroupBy):
        return False
    try:
        needed = figure.statistics()
        family = Family(table, (), figure.attribute, [(0, figure)])
        if family.needs_numbers and figure.attribute is not None:
            table.numbers(figure.attribute)
    except (Exception, SystemExit, GeneratorExit):  # noqa: BLE001 - the engine says what is wrong
        return False
    return bool(needed)

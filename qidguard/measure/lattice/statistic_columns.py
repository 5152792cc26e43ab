"""Statistics of chunks: parsed once, evaluated for all the sets of a chunk together."""

import numpy as np

from qidguard.core.statistic import ClassValue, Number, RowSource, Statistic, exact_sum
from qidguard.measure.expression.evaluate import Rows, evaluate_runs
from qidguard.measure.expression.node import Node, names_in
from qidguard.measure.expression.parse import parse
from qidguard.measure.expression.unsupported import Unsupported
from qidguard.measure.expression.vector import Vector, doubles, integers, numbers
from qidguard.measure.lattice.chunk import Chunk
from qidguard.measure.lattice.table_values import TableValues

CELL_NAMES = frozenset(
    {"n", "size", "total", "share", "table_n", "table_share", "table_values", "value", "number"}
)


class CompiledStatistic:
    """One statistic ready to be evaluated; Unsupported when made of SQL outside the language.

    Args:
        statistic: The statistic.
        has_attribute: Whether its classes have cells.
        has_entities: Whether persons are entities.
    """

    def __init__(self, statistic: Statistic, *, has_attribute: bool, has_entities: bool) -> None:
        if statistic.needs_population:
            raise Unsupported
        self.source = statistic.source
        sql = statistic.sql
        if self.source is RowSource.PERSONS:
            sql = exact_sum(sql if has_entities else f"size * ({sql})")
        self.node = parse(sql)
        self.values = tuple((value, parse(value.sql)) for value in statistic.values)
        known = {"size", *(value.name.lower() for value in statistic.values)}
        cell_names = CELL_NAMES if has_attribute else {"size"}
        if not names_in(self.node) <= known:
            raise Unsupported
        if any(not names_in(node) <= cell_names for _, node in self.values):
            raise Unsupported

    @property
    def needs_numbers(self) -> bool:
        """Whether it does arithmetic with the attribute's values."""
        return any("number" in names_in(node) for _, node in self.values)


class ChunkStatistics:
    """The statistics of one chunk; class values that several share are taken once."""

    def __init__(self, chunk: Chunk, values: TableValues | None) -> None:
        self._chunk = chunk
        self._values = values
        self._class_values: dict[ClassValue, Vector] = {}
        self._cells: Rows | None = None

    def column(self, compiled: CompiledStatistic) -> list[Number | None]:
        """Return the statistic for every set of the chunk; Unsupported where arrays cannot hold it."""
        chunk = self._chunk
        if compiled.source is RowSource.PERSONS and chunk.persons is not None:
            persons = chunk.persons
            size, times, starts = persons.size, persons.times, persons.starts
        else:
            size, times, starts = chunk.size, chunk.times, chunk.starts
        columns = {"size": integers(size)}
        for value, node in compiled.values:
            columns[value.name.lower()] = self._class_value(value, node)
        return numbers(evaluate_runs(compiled.node, Rows(columns=columns, times=times, starts=starts)))

    def _class_value(self, value: ClassValue, node: Node) -> Vector:
        if value not in self._class_values:
            self._class_values[value] = evaluate_runs(node, self._cell_rows())
        return self._class_values[value]

    def _cell_rows(self) -> Rows:
        if self._cells is None:
            self._cells = _cell_rows(self._chunk, self._values)
        return self._cells


def _cell_rows(chunk: Chunk, values: TableValues | None) -> Rows:
    cells = chunk.cells
    if cells is None or values is None:
        # without an attribute a class is its own only row
        once = np.ones(len(chunk.size), dtype=np.int64)
        return Rows(columns={"size": integers(chunk.size)}, times=once, starts=np.arange(len(chunk.size)))
    lengths = np.diff(cells.starts, append=len(cells.n))
    total = np.add.reduceat(cells.n, cells.starts)
    totals = np.repeat(total, lengths)
    columns = {
        "n": integers(cells.n),
        "size": integers(np.repeat(chunk.size, lengths)),
        "total": integers(totals),
        "share": doubles(cells.n / totals),
        **values.at(cells.value),
    }
    return Rows(columns=columns, times=np.ones(len(cells.n), dtype=np.int64), starts=cells.starts)

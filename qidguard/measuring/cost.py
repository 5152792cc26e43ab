"""What each way to measure costs, and which one is chosen.

The coefficients were measured on a machine with two cores; their ratios decide, and those move little
from machine to machine. ``tests/benchmarks/test_bench_subsets.py`` measures them again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Path(StrEnum):
    """A way to the same figures."""

    SQL = "sql"
    LATTICE = "lattice"
    REFINEMENT = "refinement"


@dataclass(frozen=True, kw_only=True)
class SubsetPlan:
    """Which way was chosen.

    Args:
        path: The way that is taken.
        reason: One sentence that says why.
        seconds: The estimated wall time of each way, for all subsets expected.
        bytes: The estimated memory of the chosen way beside the engine's own.
    """

    path: Path
    reason: str
    seconds: Mapping[Path, float]
    bytes: int


MOST_BYTES = 4 * 2**30
"""Memory up to which records are held as arrays; above, the engine is asked, which spills."""

MANY = 1500
"""How many sets a search is taken to ask for, in batches of some tens."""


@dataclass(frozen=True, kw_only=True)
class Coefficients:
    """Seconds of one way: to begin, per set, and per set and row (the cells of an attribute cost more)."""

    begin: float
    begin_row: float
    each: float
    row: float
    cell_row: float


COEFFICIENTS: Mapping[Path, Coefficients] = MappingProxyType(
    {
        Path.SQL: Coefficients(begin=0.0, begin_row=0.0, each=2.5e-3, row=4e-8, cell_row=2e-7),
        Path.LATTICE: Coefficients(begin=5e-3, begin_row=1e-7, each=3e-5, row=4e-9, cell_row=1.5e-7),
        Path.REFINEMENT: Coefficients(begin=5e-3, begin_row=4e-8, each=2.5e-4, row=1.2e-8, cell_row=1.6e-7),
    }
)
"""``begin_row`` is per row and column: reading the codes and, for the lattice, its levels."""


FUNCTION_SECONDS, FUNCTION_ROW_SECONDS = 2e-3, 1e-7
"""A metric that is a function of the table: nobody knows what it does; it will at least read some columns."""


@dataclass(frozen=True, kw_only=True)
class MeasuringWork:
    """What is to be measured.

    Args:
        rows: Distinct rows over the columns and the attribute, ≥ 0, or an upper bound of them.
        columns: Columns that subsets may hold, ≥ 1.
        sets: Sets asked for together, ≥ 1; None for a search, which asks for few at a time.
        groups: How many attributes have figures, class sizes alone counting as one.
        has_cells: Whether a figure looks at an attribute, or persons are entities.
        in_memory: Whether any figure can be measured in memory at all.
        by_engine: Whether some figure can not, so that the engine is asked beside.
    """

    rows: int
    columns: int
    sets: int | None
    groups: int
    has_cells: bool
    in_memory: bool
    by_engine: bool

    @property
    def bytes(self) -> int:
        """Memory of the records as arrays, with their levels and what a walk holds."""
        return self.rows * (self.columns + 6) * 16 * max(1, self.groups)


def seconds(path: Path, work: MeasuringWork) -> float:
    """Return the estimated wall time of one way for all sets."""
    of = COEFFICIENTS[path]
    sets = MANY if work.sets is None else work.sets
    row = of.cell_row if work.has_cells else of.row
    begin = of.begin + of.begin_row * work.rows * work.columns
    if path is Path.LATTICE and work.sets is None:
        # a walk for every batch shares little: as dear as refining each set from the root
        row = 4 * COEFFICIENTS[Path.REFINEMENT].row + (row if work.has_cells else 0.0)
    found = max(1, work.groups) * (begin + sets * (of.each + row * work.rows))
    if path is not Path.SQL and work.by_engine:
        engine = COEFFICIENTS[Path.SQL]
        found += sets * (engine.each + engine.row * work.rows)
    return found


def function_seconds(sets: int, functions: int, records: int) -> float:
    """Return the estimated wall time of metrics that are functions of the table, each asked of each set."""
    return sets * functions * (FUNCTION_SECONDS + FUNCTION_ROW_SECONDS * records)


def planned(work: MeasuringWork, path: Path | None) -> SubsetPlan:
    """Return the plan for some work; ``path`` is taken where one is asked for."""
    estimates = {one: seconds(one, work) for one in Path}
    sets = "a search's sets" if work.sets is None else f"{work.sets:,} set{'s' if work.sets > 1 else ''}"
    said = ", ".join(f"{one.value} {estimates[one]:.2g} s" for one in Path)
    if path is not None:
        chosen, reason = path, "This way was asked for"
    elif not work.in_memory:
        chosen, reason = (
            Path.SQL,
            "No figure is a statistic that can be taken in memory, so the engine is asked",
        )
    elif work.bytes > MOST_BYTES:
        chosen = Path.SQL
        reason = (
            f"{work.rows:,} distinct rows of {work.columns} columns would not fit in {MOST_BYTES >> 30} GiB"
        )
    else:
        chosen = min(Path, key=lambda one: estimates[one])
        reason = f"It is the quickest for {sets} of {work.columns} columns over {work.rows:,} distinct rows"
    held = 0 if chosen is Path.SQL else work.bytes
    return SubsetPlan(
        path=chosen,
        reason=f"{reason} (estimated: {said}).",
        seconds=MappingProxyType(estimates),
        bytes=held,
    )

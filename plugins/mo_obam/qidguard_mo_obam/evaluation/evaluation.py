"""Methods beside one another on one table, and beside the rows of the paper: its Tables IV and V."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.sdk import Cell, ResultTable, shown_name
from qidguard_mo_obam.evaluation.case import MethodTrial, figure_columns, frame_of
from qidguard_mo_obam.evaluation.plan import MO_OBAM
from qidguard_mo_obam.evaluation.printed import PrintedRow, PrintedTable

if TYPE_CHECKING:
    import pandas as pd

LEGEND = (
    "IL is (10)/(11) in raw units, IL std the mean of each quasi-identifier's own; under τ stand persons in"
    " clusters with 1/size > τ, under HA persons in clusters where any sensitive attribute has one value;"
    " entropy is (12) in bits."
)
FIVE = ("IL", "τ=.05", "τ=.075", "τ=.1", "HA")
"""What is compared, in the order of ``five``."""


@dataclass(frozen=True, kw_only=True)
class PrintedBeside:
    """A printed row and one of our solutions.

    Args:
        row: The printed row.
        ours: The solution that dominates it; else the one that is worse in the fewest figures; None without
            any solution.
        worse: The names of the figures in which it is worse.
        is_dominated: Whether ours is nowhere worse and somewhere better.
    """

    row: PrintedRow
    ours: MethodTrial | None
    worse: tuple[str, ...] = ()
    is_dominated: bool = False


def dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether one is nowhere worse than the other and somewhere better; lower is better.

    Example:
        >>> dominates((1, 2), (1, 3)), dominates((1, 2), (1, 2)), dominates((0, 4), (1, 3))
        (True, False, False)
    """
    pairs = list(zip(one, other, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def beside_printed(row: PrintedRow, trials: Sequence[MethodTrial]) -> PrintedBeside:
    """Return a printed row beside the solution that dominates it.

    Among several the one of the row's own k and n_C comes first, then of its k, then that of the least IL. So
    does the order where none dominates, after the number of figures in which a solution is worse.
    """
    best = PrintedBeside(row=row, ours=None)
    first: tuple[bool, int, bool, bool, float] | None = None
    for trial in trials:
        if trial.figures is None:
            continue
        five = trial.figures.five
        worse = tuple(name for name, a, b in zip(FIVE, five, row.five, strict=True) if a > b)
        is_dominated = dominates(five, row.five)
        order = (
            not is_dominated,
            len(worse),
            not (trial.k == row.k and row.n_c is not None and f"n_c={row.n_c}," in trial.settings),
            trial.k != row.k,
            trial.figures.information_loss,
        )
        if first is None or order < first:
            first = order
            best = PrintedBeside(row=row, ours=trial, worse=worse, is_dominated=is_dominated)
    return best


@dataclass(frozen=True, kw_only=True)
class StudyEvaluation:
    """What methods come to on one table; it holds names and figures, no value of the table.

    Args:
        qids: The quasi-identifiers.
        sensitive: The sensitive attributes.
        trials: The baseline first, then each method, in the order of k.
        asked: Trials that were asked for; more than there are where it was stopped early.
        printed: What the paper prints of the table; None where nobody asked.
    """

    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    trials: tuple[MethodTrial, ...] = field(repr=False)
    asked: int
    printed: PrintedTable | None = field(default=None, repr=False)

    @property
    def is_interrupted(self) -> bool:
        """Whether it was stopped before the end."""
        return len(self.trials) < self.asked

    @property
    def beside(self) -> tuple[PrintedBeside, ...]:
        """For each printed row the solution of ours that is not worse in any of the five figures."""
        if self.printed is None:
            return ()
        ours = [one for one in self.trials if one.method == MO_OBAM]
        return tuple(beside_printed(row, ours) for row in self.printed.rows)

    @property
    def headline(self) -> str:
        """What was tried, and how many of the paper's rows are dominated."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        """Yield what was tried, why a method has no figures, and how many printed rows are dominated."""
        baseline = self.trials[0].figures
        people = "" if baseline is None else f" of {baseline.persons:,} persons"
        yield f"EVALUATED  {len(self.trials) - 1} trials on a table{people}"
        yield f"  quasi-identifiers     {', '.join(map(shown_name, self.qids))}"
        yield f"  sensitive attributes  {', '.join(map(shown_name, self.sensitive))}"
        if self.is_interrupted:
            yield f"  stopped               after {len(self.trials) - 1:,} of {self.asked - 1:,} trials"
        for one in self.trials:
            if one.reason:
                yield f"  no figures            {one.label}: {one.reason}"
        yield f"  {LEGEND}"
        if self.printed is not None:
            beaten = sum(one.is_dominated for one in self.beside)
            yield f"  {self.printed.title}: {beaten} of {len(self.beside)} printed rows are dominated"

    def tables(self) -> tuple[ResultTable, ...]:
        """Return the methods as a table, and beside the paper's rows a second one.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import evaluated
            >>> [table.name for table in evaluated().tables()]
            ['figures']
        """
        columns = figure_columns(self.trials)
        first = ResultTable(
            name="figures",
            title="Loss, linkage at τ and homogeneity (HA)",
            columns=("method", *columns),
            rows=tuple((one.label, *one.cells(columns)) for one in self.trials),
            note=LEGEND,
        )
        return (first,) if self.printed is None else (first, _beside_table(self.printed, self.beside))

    def to_frame(self) -> "pd.DataFrame":
        """Return each trial as a row.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import evaluated
            >>> evaluated().to_frame()["method"].tolist()
            ['baseline', 'mdav[k=3]', 'zheng_l_diversity[k=3, l=2]']
        """
        return frame_of(self.tables()[0])


def _beside_table(printed: PrintedTable, found: Sequence[PrintedBeside]) -> ResultTable:
    """Return each printed row with the solution beside it, a line each."""
    rows: list[tuple[Cell, ...]] = []
    for at, one in enumerate(found, start=1):
        row = one.row
        rows.append(
            (
                *(at, "printed", f"{row.method} ({row.settings})", row.clusters, row.information_loss),
                *row.at_risk,
                *(row.homogeneous, ""),
            )
        )
        if one.ours is not None and one.ours.figures is not None:
            ours = one.ours.figures
            said = "yes" if one.is_dominated else f"no: {', '.join(one.worse) or 'equal'}"
            rows.append(
                (at, "ours", one.ours.label, ours.clusters, *ours.five, said),
            )
    return ResultTable(
        name="beside_the_paper",
        title=f"{printed.title}: each printed row, and ours that is in none of five figures worse",
        columns=("row", "whose", "method", "clusters", *FIVE, "dominates"),
        rows=tuple(rows),
        note="A cell without a figure cannot be read in print; ours has to be 0 there.",
    )

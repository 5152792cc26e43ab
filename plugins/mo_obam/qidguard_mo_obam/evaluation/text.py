"""Evaluations as lines and tables."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from qidguard.sdk import ResultTable, shown_name
from qidguard_mo_obam.evaluation.beside import FIVE, PrintedBeside
from qidguard_mo_obam.evaluation.case import MethodTrial
from qidguard_mo_obam.evaluation.printed import PrintedTable

if TYPE_CHECKING:
    from qidguard_mo_obam.evaluation.evaluation import StudyEvaluation

LEGEND = (
    "IL is (10)/(11) in raw units, IL std the mean of each quasi-identifier's own; under τ stand persons in"
    " clusters with 1/size > τ, under HA persons in clusters where any sensitive attribute has one value;"
    " entropy is (12) in bits."
)
Cell = str | int | float | None


def evaluation_lines(found: "StudyEvaluation") -> Iterator[str]:
    """Yield what was tried, why a method has no figures, and how many printed rows are dominated."""
    baseline = found.trials[0].figures
    people = "" if baseline is None else f" of {baseline.persons:,} persons"
    yield f"EVALUATED  {len(found.trials) - 1} trials on a table{people}"
    yield f"  quasi-identifiers     {', '.join(map(shown_name, found.qids))}"
    yield f"  sensitive attributes  {', '.join(map(shown_name, found.sensitive))}"
    if found.is_interrupted:
        yield f"  stopped               after {len(found.trials) - 1:,} of {found.asked - 1:,} trials"
    for one in found.trials:
        if one.reason:
            yield f"  no figures            {one.label}: {one.reason}"
    yield f"  {LEGEND}"
    if found.printed is not None:
        beaten = sum(one.is_dominated for one in found.beside)
        yield f"  {found.printed.title}: {beaten} of {len(found.beside)} printed rows are dominated"


def figures_table(trials: Sequence[MethodTrial]) -> ResultTable:
    """Return each trial as a row."""
    thresholds = next((one.figures.thresholds for one in trials if one.figures is not None), ())
    return ResultTable(
        name="figures",
        title="Loss, linkage at τ and homogeneity (HA)",
        columns=(
            *("method", "clusters", "smallest", "IL", "IL std"),
            *(f"τ={_short(one)}" for one in thresholds),
            *("HA", "entropy"),
        ),
        rows=tuple(_row(one, len(thresholds)) for one in trials),
        note=LEGEND,
    )


def beside_table(printed: PrintedTable, found: Sequence[PrintedBeside]) -> ResultTable:
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


def _row(trial: MethodTrial, thresholds: int) -> tuple[Cell, ...]:
    found = trial.figures
    if found is None:
        return trial.label, *(None,) * (thresholds + 6)
    return (
        *(trial.label, found.clusters, found.smallest),
        *(found.information_loss, found.standardized_loss),
        *found.at_risk,
        *(found.homogeneous, found.entropy),
    )


def _short(threshold: float) -> str:
    return f"{threshold:g}".removeprefix("0")

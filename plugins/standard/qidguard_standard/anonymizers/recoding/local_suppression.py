"""Local suppression: single cells are suppressed until every class of every combination has k persons."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    Arguments,
    ColumnValues,
    NotMeasurable,
    Original,
    Parameter,
    Progress,
    Recoded,
    Records,
)
from qidguard_standard.anonymizers.clustering.wanted import K, wanted
from qidguard_standard.anonymizers.recoding.cell_choice import CellChoice, MarkedCells
from qidguard_standard.anonymizers.recoding.column_list import check_columns, column_list
from qidguard_standard.anonymizers.recoding.rows import claims, claims_note

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST_COMBINATIONS = 1_000
"""Combinations beyond which cells stay suppressed: to look again at each costs more than it brings."""
TITLE_AGAIN = "local suppression: cells published after all"


def publish_again(
    cells: MarkedCells,
    combos: Sequence[tuple[int, ...]],
    order: "NDArray[np.int64]",
    k: int,
    progress: Progress,
) -> None:
    """Publish in each column all those suppressed cells that may be published together.

    All suppressed cells of a column are tried together; those whose class would be small, or whose leaving
    would make a class small, are left out, until no class is.
    """
    if len(combos) > MOST_COMBINATIONS:
        return
    rows = np.flatnonzero(cells.kept)
    for done, column in enumerate(order):
        progress.step(TITLE_AGAIN, done, len(order))
        mine = [combo for combo in combos if column in combo]
        tried = cells.is_marked[rows, column].copy()
        is_stable = False
        while tried.any() and not is_stable:
            is_stable = True
            for combo in mine:
                keys = cells.keys(combo, rows)
                then = keys.copy()
                then[tried] = cells.without_mark(keys[tried], int(column), rows[tried])
                is_small = cells.small(then, rows, k)
                if is_small.any():
                    is_stable = False
                    # who would be alone stays suppressed, and so does who would leave others alone
                    tried &= ~is_small & ~np.isin(keys, then[is_small & ~tried])
        if tried.any():
            cells.publish(int(column), rows[tried])
    progress.step(TITLE_AGAIN, len(order), len(order))


TITLE = "local suppression"


class LocalSuppression:
    """Local suppression of cells (de Waal & Willenborg 1998; Templ, Kowarik & Meindl 2015).

    For each combination the records in small classes lose the fewest cells with which they have company
    enough; of cells that help alike, those of columns that are not named by ``importance`` go first. This is
    repeated over all combinations until every class of each has k persons, and then cells whose value turns
    out to be harmless are published after all.

    Beside others a suppressed cell shows the mark as its value: the published table is audited as anybody
    sees it, and records that became alike by their marks are a class. This is stricter than to let the mark
    match any value, as many tools do. A record goes as a whole where company for it would take more cells
    than it has.

    With several combinations the outcome depends on their order. Of records that are equal in all QIDs it is
    undetermined which keep their cells when only some need to lose them: there the order of records decides.

    Literature: de Waal & Willenborg 1998, Optimal local suppression in microdata; Templ, Kowarik & Meindl
    2015, Statistical disclosure control for micro-data using the R package sdcMicro, section 4.2.
    """

    name: ClassVar[str] = "local_suppression"
    is_first_choice: ClassVar[bool] = True
    title: ClassVar[str] = "local suppression of cells"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        K,
        Parameter(
            name="importance",
            type=str,
            default="",
            meaning="columns to spare, the most important first, between commas or as a JSON list; those "
            "that are not named are suppressed first",
        ),
        Parameter(
            name="most_suppressed",
            type=float,
            default=0.01,
            minimum=0.0,
            maximum=1.0,
            meaning="largest share of the records that may be suppressed whole, where that takes fewer cells",
        ),
    )

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return which cells and records are suppressed.

        Example:
            >>> LocalSuppression().parameters[2].default
            0.01
        """
        asked = wanted(arguments, task)
        names = task.quasi_identifiers
        spared = column_list("importance", arguments["importance"])
        check_columns("importance", spared, names)
        values = [records.column(name) for name in names]
        entity = None if task.entity is None else records.codes((task.entity,))[:, 0]
        persons = records.records if entity is None else len(np.unique(entity))
        if persons < asked.k:
            raise NotMeasurable(
                f"k = {asked.k} needs as many persons, and the table has {persons:,}; lower k"
            )
        cells = MarkedCells(values, task.suppression_mark, entity)
        rank = np.array([len(spared) - spared.index(n) if n in spared else 0 for n in names], dtype=np.int64)
        combos = [
            tuple(names.index(name) for name in columns) for columns in dict.fromkeys(task.combinations)
        ]
        most = int(arguments["most_suppressed"] * records.records)
        suppressed = _suppress_all(cells, combos, rank, asked.k, most, task)
        publish_again(cells, combos, np.argsort(-rank, kind="stable"), asked.k, task.progress)
        columns = {
            column.name: _recoded(column, cells.is_marked[:, j], task.suppression_mark)
            for j, column in enumerate(values)
            if cells.is_marked[cells.kept, j].any()
        }
        count = int(cells.is_marked[cells.kept].sum())
        whole = int(cells.kept.sum()) * len(names)
        return Anonymized(
            kept=cells.kept,
            suppressed_by={
                ", ".join(names[j] for j in combo): number for combo, number in suppressed.items() if number
            },
            columns=columns,
            guarantees=claims(asked, task),
            notes=(f"{count:,} of {whole:,} cells are suppressed", *claims_note(task)),
        )


def _suppress_all(
    cells: MarkedCells,
    combos: Sequence[tuple[int, ...]],
    rank: "NDArray[np.int64]",
    k: int,
    most: int,
    task: AnonymizationTask,
) -> dict[tuple[int, ...], int]:
    """Go over the combinations until nothing changes; return the records suppressed for each."""
    suppressed = dict.fromkeys(combos, 0)
    looked = dict.fromkeys(combos, -1)
    turn, is_open = 0, True
    while is_open:
        turn += 1
        is_open = False
        for done, combo in enumerate(combos):
            if not done % 20:
                task.progress.step(f"{TITLE}: turn {turn}", done, len(combos))
            if looked[combo] >= cells.changed[list(combo)].max():
                continue
            may_go = max(0, most - int((~cells.kept).sum()))
            suppressed[combo] += CellChoice(cells, combo, rank, k, may_go).suppress()
            looked[combo] = cells.clock
        is_open = any(looked[combo] < cells.changed[list(combo)].max() for combo in combos)
    task.progress.step(f"{TITLE}: turn {turn}", len(combos), len(combos))
    return suppressed


def _recoded(column: ColumnValues, is_marked: "NDArray[np.bool_]", mark: str) -> Recoded:
    codes = np.where(is_marked, len(column.texts), column.codes)
    return Recoded(codes=codes, values=(*(Original(code) for code in range(len(column.texts))), mark))

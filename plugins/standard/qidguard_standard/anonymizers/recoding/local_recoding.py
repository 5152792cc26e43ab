"""Local recoding: each class is published at its own levels."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import (
    LARGEST_SET,
    AnonymizationTask,
    Anonymized,
    Arguments,
    ColumnValues,
    NotMeasurable,
    Original,
    Parameter,
    Recoded,
    Records,
    class_numbers,
    readable_hierarchy,
)
from qidguard_standard.anonymizers.clustering.wanted import K, L, T, Wanted, wanted
from qidguard_standard.anonymizers.recoding.cheapest_classes import CheapestClasses
from qidguard_standard.anonymizers.recoding.column_levels import (
    ClassCells,
    ColumnLevels,
    class_cells,
    column_levels,
    join_leftover,
)
from qidguard_standard.anonymizers.recoding.rows import EqualRows, claims, claims_note, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def published_cells(
    values: ColumnValues, column: ColumnLevels, level: "NDArray[np.int64]", mark: str
) -> tuple[Recoded | None, "NDArray[np.int64]"]:
    """Return what a column publishes."""
    group = column.groups[level, values.codes]
    span = max(column.groups.shape[1], 1)
    nodes, number = np.unique(level * span + group, return_inverse=True)
    shown: list[Original | str] = []
    texts: dict[str | None, int] = {}
    text_of = np.empty(len(nodes), dtype=np.int64)
    for at, node in enumerate(nodes):
        its_level, its_group = divmod(int(node), span)
        label = None if its_level == 0 else column.hierarchy.labels[column.numbers[its_level]][its_group]
        label = mark if its_level and label == column.hierarchy.labels[-1][0] else label
        # level 0 keeps the values in the order of codes; NULL, which no level but the top mixes, has no label
        original = its_group if its_level == 0 else 0
        shown.append(Original(original) if label is None else label)
        text_of[at] = texts.setdefault(values.texts[original] if label is None else label, len(texts))
    recoded = Recoded(codes=number, values=tuple(shown)) if level.any() else None
    return recoded, text_of[number]


class LocalRecoding:
    """Hierarchy-based local recoding: equal values may be published on different levels (Xu et al. 2006).

    The combinations of levels, one level a column, are tried in order of what they lose over the table, the
    cheapest first. At each, records that have no class yet and are alike form a class where they keep the
    rule together; so every record is in a class at the first combination that gives it company. A
    class is then published on the lowest levels at which all its records are alike. Records that are left
    over in the end join the classes that lose least by it. Nothing is suppressed.

    All quasi-identifiers of the task are handled together, so what holds over all of them holds over each
    combination. A QID without a hierarchy takes the automatic one, groups of texts published as sets of at
    most ``largest_set`` values and larger ones as the suppression mark. The order of records decides nothing
    but which of two equally cheap classes a record that is left over joins. Where there are more than
    20,000 combinations of levels, those levels are left out first by which records lose least.

    The idea of taking records out at the cheapest generalization and going on with the others is Samarati
    2001's minimal generalization, applied again to what is left (Prasser et al. 2017).

    Literature: Xu, Wang, Pei, Wang, Shi & Fu 2006, Utility-based anonymization using local recoding; Prasser,
    Bild, Eicher, Spengler, Kuhn 2017, Lightning; Samarati 2001.
    """

    name: ClassVar[str] = "local_recoding"
    is_first_choice: ClassVar[bool] = True
    title: ClassVar[str] = "local recoding by hierarchies"
    parameters: ClassVar[tuple[Parameter, ...]] = (K, L, T, LARGEST_SET)

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return what each record publishes."""
        asked = wanted(arguments, task)
        values = [records.column(name) for name in task.quasi_identifiers]
        columns = [
            column_levels(
                column,
                task.hierarchies.get(column.name) or readable_hierarchy(column, arguments["largest_set"]),
            )
            for column in values
        ]
        codes = np.stack([column.codes for column in values], axis=1)
        rows = rows_of(records, codes, asked, task)
        codes = codes[rows.first]
        classes = CheapestClasses(columns, codes, rows)
        classes.find(task.progress)
        class_of = join_leftover(columns, codes, classes.class_of, rows, task.progress)
        if class_of is None:
            raise NotMeasurable(_unreachable(asked, "the whole table as one class"))
        cells = class_cells(columns, codes, class_of, int(class_of.max()) + 1)
        published, texts = {}, []
        for j, (column, levels) in enumerate(zip(values, columns, strict=True)):
            recoded, text = published_cells(
                column, levels, cells.level[class_of, j][rows.row_of], task.suppression_mark
            )
            texts.append(text[rows.first])
            if recoded is not None:
                published[column.name] = recoded
        _check(np.stack(texts, axis=1), rows, task)
        return Anonymized(
            kept=np.ones(records.records, dtype=np.bool_),
            columns=published,
            guarantees=claims(asked, task),
            notes=(_note(cells), *claims_note(task)),
        )


def _note(cells: ClassCells) -> str:
    used = len(np.unique(cells.level, axis=0))
    return f"{len(cells.level):,} classes at {used:,} combinations of levels"


def _check(texts: "NDArray[np.int64]", rows: EqualRows, task: AnonymizationTask) -> None:
    """Raise NotMeasurable where classes do not keep the rule as they are published.

    Two classes that publish the same are one. Over records every rule survives that, and so it does over part
    of the QIDs; a distance between shares of entities, who may be in several classes, may not.
    """
    rule = rows.rule
    combinations = [task.quasi_identifiers]
    if rule.entity is not None and rule.wanted.t:
        combinations += list(task.combinations)
    place = {name: j for j, name in enumerate(task.quasi_identifiers)}
    for names in combinations:
        number = class_numbers(texts[:, [place[name] for name in names]].astype(np.int32))
        if not rule.keeps(number, int(number.max()) + 1).all():
            raise NotMeasurable(_unreachable(rule.wanted, "what local recoding found"))


def _unreachable(asked: Wanted, what: str) -> str:
    return f"{what} does not keep {', '.join(asked.words)}; lower what is asked or use another method"

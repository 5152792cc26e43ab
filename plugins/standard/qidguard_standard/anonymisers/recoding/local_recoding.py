"""Local recoding: each class is published at the lowest levels of the hierarchies that suffice for it."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard import (
    Anonymised,
    Arguments,
    NotMeasurable,
    Parameter,
    Records,
    Task,
)
from qidguard_standard.anonymisers.clustering.wanted import K, L, T, Wanted, wanted
from qidguard_standard.anonymisers.readable_hierarchy import readable_hierarchy
from qidguard_standard.anonymisers.recoding.cheapest_classes import CheapestClasses
from qidguard_standard.anonymisers.recoding.claims import claims, claims_note
from qidguard_standard.anonymisers.recoding.class_cells import ClassCells, class_cells
from qidguard_standard.anonymisers.recoding.column_levels import column_levels
from qidguard_standard.anonymisers.recoding.leftover_rows import join_leftover
from qidguard_standard.anonymisers.recoding.published_cells import published_cells
from qidguard_standard.anonymisers.recoding.row_rule import RowRule, row_rule
from qidguard_standard.metrics.class_numbers import class_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LocalRecoding:
    """Hierarchy-based local recoding: equal values may be published on different levels (Xu et al. 2006).

    The combinations of levels, one level a column, are tried in order of what they lose over the table, the
    cheapest first. At each, records that have no class yet and are alike form a class where they keep the
    rule together; so every record is in a class at the first combination that gives it company. A
    class is then published on the lowest levels at which all its records are alike. Records that are left
    over in the end join the classes that lose least by it. Nothing is suppressed.

    All quasi-identifiers of the task are handled together, so what holds over all of them holds over each
    combination. A QID without a hierarchy takes the automatic one, groups of texts published as sets of their
    values. The order of records decides nothing but
    which of two equally cheap classes a record that is left over joins. Where there are more than
    20,000 combinations of levels, those levels are left out first by which records lose least.

    The idea of taking records out at the cheapest generalisation and going on with the others is Samarati
    2001's minimal generalisation, applied again to what is left (Prasser et al. 2017).

    Literature: Xu, Wang, Pei, Wang, Shi & Fu 2006, Utility-based anonymization using local recoding; Prasser,
    Bild, Eicher, Spengler, Kuhn 2017, Lightning; Samarati 2001.
    """

    name: ClassVar[str] = "local_recoding"
    title: ClassVar[str] = "local recoding by hierarchies"
    parameters: ClassVar[tuple[Parameter, ...]] = (K, L, T)

    def anonymize(self, records: Records, arguments: Arguments, task: Task) -> Anonymised:
        """Return what each record publishes.

        Args:
            records: The table.
            arguments: ``k``, ``l`` and ``t``; 0 takes the policy's limit.
            task: Roles, combinations, hierarchies.

        Returns:
            The recoded QIDs; every record is kept.

        Units:
            None.

        Raises:
            NotMeasurable: When not even the whole table as one class keeps k, l and t.

        Example:
            >>> [parameter.name for parameter in LocalRecoding().parameters]
            ['k', 'l', 't']
        """
        asked = wanted(arguments, task)
        values = [records.column(name) for name in task.quasi_identifiers]
        columns = [
            column_levels(one, task.hierarchies.get(one.name) or readable_hierarchy(one)) for one in values
        ]
        codes = np.stack([one.codes for one in values], axis=1)
        rule = row_rule(records, codes, asked, task)
        rows = codes[rule.first]
        classes = CheapestClasses(columns, rows, rule)
        classes.find(task.progress)
        class_of = join_leftover(columns, rows, classes.class_of, rule, task.progress)
        if class_of is None:
            raise NotMeasurable(_unreachable(asked, "the whole table as one class"))
        cells = class_cells(columns, rows, class_of, int(class_of.max()) + 1)
        published, texts = {}, []
        for j, (one, levels) in enumerate(zip(values, columns, strict=True)):
            recoded, text = published_cells(one, levels, cells.level[class_of, j][rule.row_of])
            texts.append(text[rule.first])
            if recoded is not None:
                published[one.name] = recoded
        _check(np.stack(texts, axis=1), rule, task)
        return Anonymised(
            kept=np.ones(records.records, dtype=np.bool_),
            columns=published,
            guarantees=claims(asked, task),
            notes=(_note(cells), *claims_note(task)),
        )


def _note(cells: ClassCells) -> str:
    used = len(np.unique(cells.level, axis=0))
    return f"{len(cells.level):,} classes at {used:,} combinations of levels"


def _check(texts: "NDArray[np.int64]", rule: RowRule, task: Task) -> None:
    """Raise NotMeasurable where classes do not keep the rule as they are published.

    Two classes that publish the same are one. Over records every rule survives that, and so it does over part
    of the QIDs; a distance between shares of entities, who may be in several classes, may not.
    """
    rows = np.arange(len(texts))
    combinations = [task.quasi_identifiers]
    if rule.entity is not None and rule.wanted.t:
        combinations += list(task.combinations)
    place = {name: j for j, name in enumerate(task.quasi_identifiers)}
    for names in combinations:
        number = class_numbers(texts[:, [place[name] for name in names]].astype(np.int32))
        if not rule.keeps(number, int(number.max()) + 1, rows).all():
            raise NotMeasurable(_unreachable(rule.wanted, "what local recoding found"))


def _unreachable(asked: Wanted, what: str) -> str:
    asks = [f"k = {asked.k}"]
    asks += [f"l = {least} of {name!r}" for name, least in sorted(asked.l.items())]
    asks += [f"t = {most:g} of {name!r}" for name, most in sorted(asked.t.items())]
    return f"{what} does not keep {', '.join(asks)}; lower what is asked or use another method"

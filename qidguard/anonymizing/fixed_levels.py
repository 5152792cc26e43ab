"""Fixed levels: each quasi-identifier on the level that somebody names, and small classes left out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

from qidguard.anonymizing.class_numbers import class_numbers
from qidguard.anonymizing.protocol import AnonymizationTask, Anonymized, Guarantee, PolicyLimit, Records
from qidguard.core.column import Recoded
from qidguard.core.errors import NotMeasurable, UserError
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy
from qidguard.core.parameter import Arguments, Parameter
from qidguard.policy.recoding import DROP, RECODE, Level

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_CLAIMS = 200


class FixedLevels:
    """Publish each column on the level that is named for it, and leave out what stands in classes too small.

    A column that is dropped is published nowhere; until then it holds the suppression mark in every record,
    so that it tells nobody apart, and counts as lost. Records in classes that miss a limit on every class are
    left out until none does, if they are few enough.
    """

    name: ClassVar[str] = RECODE
    title: ClassVar[str] = "fixed levels"
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    is_order_free: ClassVar[bool] = True

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return the columns on their levels, and which records are kept."""
        levels: Mapping[str, Level] = arguments["levels"]
        check_levels(levels, task)
        columns = {
            name: _on_level(records, name, level, task) for name, level in levels.items() if level != 0
        }
        rules = tuple(replace(one, qids=qids) for one in task.targets for qids in _known_sets(one))
        codes = {
            name: columns[name].codes if name in columns else records.column(name).codes
            for name in task.quasi_identifiers
        }
        kept = _Suppression(records, task, codes).kept(rules)
        left_out = int((~kept).sum())
        _check_share(records, task, kept, arguments["suppress"])
        return Anonymized(
            kept=kept,
            suppressed_by={", ".join(task.quasi_identifiers): left_out} if left_out else {},
            columns=columns,
            guarantees=tuple(map(_claim, rules[:_MOST_CLAIMS])),
            notes=_notes(levels, task),
        )


def check_levels(levels: Mapping[str, Level], task: AnonymizationTask) -> None:
    """Raise UserError for a column that may not be changed, and for a level that its hierarchy lacks."""
    for name, level in levels.items():
        if name not in task.quasi_identifiers:
            raise UserError(
                f"recode is for quasi-identifiers, and column {name!r} is none of this table; leave it out"
            )
        if level == 0:
            continue
        if name in task.sensitive or name == task.entity:
            raise UserError(
                f"recode changes neither sensitive attributes nor the entity, and column {name!r} is one;"
                " leave it out"
            )
        if level == DROP:
            continue
        hierarchy = task.hierarchies.get(name)
        if hierarchy is None:
            raise UserError(
                f"recode puts column {name!r} on level {level}, and the policy declares no hierarchy of it;"
                " add one under hierarchies, or drop the column"
            )
        if level >= hierarchy.levels:
            raise UserError(
                f"recode puts column {name!r} on level {level}, and its hierarchy has the levels 0 to"
                f" {hierarchy.levels - 1}; take one of these"
            )


def _on_level(records: Records, name: str, level: Level, task: AnonymizationTask) -> Recoded:
    """Return what is published in the place of a column."""
    import numpy as np

    if level == DROP:
        return Recoded(codes=np.zeros(records.records, dtype=np.int32), values=(task.suppression_mark,))
    hierarchy: Hierarchy = task.hierarchies[name]
    # groups of one label are one value to whoever reads the table, and so they are here
    place: dict[str | None, int] = {}
    labels = (task.suppression_mark if label == SUPPRESSED else label for label in hierarchy.labels[level])
    number = np.array([place.setdefault(label, len(place)) for label in labels], dtype=np.int32)
    codes = number.take(hierarchy.groups[level]).take(records.column(name).codes)
    return Recoded(codes=codes, values=tuple(place))


def _known_sets(target: PolicyLimit) -> list[tuple[str, ...]]:
    """Return the sets of QIDs over which a limit is one on every class; none for any other limit."""
    from qidguard.measuring.class_limits import is_of_classes

    if not is_of_classes(target.metric, target.arguments):
        return []
    if target.knows_any is None:
        return [target.qids]
    return list(combinations(target.qids, target.knows_any))


def _claim(rule: PolicyLimit) -> Guarantee:
    """Return that a limit holds on what is published."""
    return Guarantee(
        metric=rule.metric.name,
        limit=rule.limit,
        qids=rule.qids,
        sensitive=rule.sensitive,
        parameters=dict(rule.arguments),
    )


class _Suppression:
    """Leaves records out, class by class, until every class that is left keeps its limits.

    Args:
        records: The table.
        task: Names the entity.
        codes: QID → the code of what is published of it in each record.
    """

    def __init__(
        self, records: Records, task: AnonymizationTask, codes: "Mapping[str, NDArray[np.integer]]"
    ) -> None:
        import numpy as np

        self._records, self._codes, self._mark = records, codes, task.suppression_mark
        self._entity = None if task.entity is None else records.codes((task.entity,))[:, 0]
        # sets of QIDs are put together from one record of each class over all of them
        self._class_of = class_numbers(np.stack(list(codes.values()), axis=1))
        self._first = np.zeros(int(self._class_of.max(initial=0)) + 1, dtype=np.int64)
        self._first[self._class_of[::-1]] = np.arange(len(self._class_of) - 1, -1, -1)
        self._groups: dict[tuple[str, ...], NDArray[np.int64]] = {}

    def kept(self, rules: Sequence[PolicyLimit]) -> "NDArray[np.bool_]":
        """Return which records are kept: all but those that would break a rule."""
        import numpy as np

        rows = np.arange(self._records.records)
        while len(rows):
            is_out = np.zeros(len(rows), dtype=np.bool_)
            for (qids, sensitive), together in _grouped(rules).items():
                is_out |= self._breaking(qids, sensitive, together, rows)
            if not is_out.any():
                break
            rows = rows[~is_out]
        kept = np.zeros(self._records.records, dtype=np.bool_)
        kept[rows] = True
        return kept

    def _breaking(
        self,
        qids: tuple[str, ...],
        sensitive: str | None,
        rules: Sequence[PolicyLimit],
        rows: "NDArray[np.int64]",
    ) -> "NDArray[np.bool_]":
        """Return which of some records stand in a class of these that breaks a rule."""
        import numpy as np

        from qidguard.measuring.class_limits import missing_classes
        from qidguard.measuring.grouped import GroupedRecords

        class_of = class_numbers(self._group(qids)[rows].reshape(-1, 1))
        attribute, numbers, mark = None, None, -1
        if sensitive is not None:
            attribute = self._records.codes((sensitive,))[:, 0]
            numbers = _numbers(self._records, sensitive, attribute)
            is_mark = np.array([text == self._mark for text in self._records.column(sensitive).texts])
            marked = attribute[is_mark[self._records.column(sensitive).codes]]
            mark = int(marked[0]) if len(marked) else -1
            attribute = attribute[rows]
        classes = GroupedRecords(
            class_of,
            attribute=attribute,
            suppressed=mark,
            attribute_numbers=numbers,
            entity=None if self._entity is None else self._entity[rows],
        )
        is_out = np.zeros(len(classes.class_sizes), dtype=np.bool_)
        for rule in rules:
            is_out |= missing_classes(classes, rule.metric, rule.arguments, rule.limit)
        return is_out[class_of]

    def _group(self, qids: tuple[str, ...]) -> "NDArray[np.int64]":
        import numpy as np

        if qids not in self._groups:
            codes = np.stack([self._codes[name][self._first] for name in qids], axis=1)
            self._groups[qids] = class_numbers(codes)
        return self._groups[qids].take(self._class_of)


def _grouped(rules: Sequence[PolicyLimit]) -> dict[tuple[tuple[str, ...], str | None], list[PolicyLimit]]:
    """Return the rules by the classes that they are over; those of sizes go with any others of the QIDs."""
    beside = {rule.qids: rule.sensitive for rule in rules if rule.sensitive is not None}
    together: dict[tuple[tuple[str, ...], str | None], list[PolicyLimit]] = {}
    for rule in rules:
        sensitive = rule.sensitive or beside.get(rule.qids)
        together.setdefault((rule.qids, sensitive), []).append(rule)
    return together


def _numbers(records: Records, name: str, codes: "NDArray[np.int32]") -> "NDArray[np.float64] | None":
    """Return the number of each code, the smallest where several values have one; None for texts."""
    import numpy as np

    column = records.column(name)
    if column.numbers is None:
        return None
    numbers = np.full(int(codes.max(initial=0)) + 1, np.nan)
    np.fmin.at(numbers, codes, column.numbers[column.codes])
    numbers[0] = np.nan
    return numbers


def _check_share(
    records: Records, task: AnonymizationTask, kept: "NDArray[np.bool_]", allowed: float
) -> None:
    """Raise NotMeasurable where more is left out than may be."""
    import numpy as np

    if kept.all():
        return
    unit, total, out = "records", len(kept), int((~kept).sum())
    if task.entity is not None:
        persons = records.codes((task.entity,))[:, 0]
        unit, total, out = "persons", len(np.unique(persons)), len(np.unique(persons[~kept]))
    # a share is meant as it is written: 0.29 of 100 are 29, which floating point makes 28.999…
    if out > Fraction(repr(allowed)) * total or not kept.any():
        raise NotMeasurable(
            f"{out:,} of {total:,} {unit} ({_percent(out / total)}) stand in classes that miss a limit, above"
            f" suppress = {_percent(allowed)}; take coarser levels, drop a column, or raise suppress"
        )


def _percent(share: float) -> str:
    return f"{share * 100:.4g} %"


def _notes(levels: Mapping[str, Level], task: AnonymizationTask) -> tuple[str, ...]:
    others = sorted({target.metric.name for target in task.targets if not _known_sets(target)})
    told = [
        f"{name} not published" if level == DROP else f"{name} {level}{_of(task, name)}"
        for name, level in levels.items()
    ]
    notes = [f"levels: {', '.join(told)}"] if told else []
    if others:
        notes.append(
            f"nothing is left out for {', '.join(others)}, which the audit of the result judges as all others"
        )
    return tuple(notes)


def _of(task: AnonymizationTask, name: str) -> str:
    hierarchy = task.hierarchies.get(name)
    return "" if hierarchy is None else f" of {hierarchy.levels - 1}"

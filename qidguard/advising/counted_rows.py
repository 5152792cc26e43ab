"""An audited table as the search sees it: rows of codes, and what the policy asks of their classes."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from qidguard.advising.class_limits import ClassDemands, asked_of_classes
from qidguard.advising.classes import ClassLimit, DistinctRows
from qidguard.auditing.demands import demands
from qidguard.auditing.proposed import recognized_sensitive
from qidguard.rendering.isolated import most_isolated
from qidguard.trials.task import main_combination

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.anonymizing.records import SnapshotRecords
    from qidguard.core.report import AuditReport
    from qidguard.trials.context import TrialContext
    from qidguard.trials.stages import AuditedCopy


def _mark(records: "SnapshotRecords", name: str, mark: str | None) -> int:
    """Return the code of the suppression mark; −1 where it does not occur."""
    column = records.column(name)
    if mark is None or mark not in column.texts:
        return -1
    marked = column.codes == column.texts.index(mark)
    return int(records.codes((name,))[marked, 0][0]) if marked.any() else -1


@dataclass(frozen=True, kw_only=True)
class CountedRows:
    """Rows of a table with what is asked of their classes.

    Args:
        rows: The rows; their columns are ``names``, their sensitive attributes ``attributes``.
        names: Every QID of any combination.
        attributes: The sensitive attributes that the policy asks distinct values of.
        asked: What is asked over each combination that is limited; of the first one where none is.
        leading: The combination with the most persons below its limit.
        joint: What joint classes need, where earlier releases are known: the last column of the rows, beside
            the QIDs, is the trajectory of each row's person then.
    """

    rows: DistinctRows = field(repr=False)
    names: tuple[str, ...]
    attributes: tuple[str, ...]
    asked: tuple[ClassDemands, ...]
    leading: ClassDemands
    joint: ClassLimit | None = None

    @classmethod
    def of(
        cls, context: "TrialContext", source: "AuditedCopy", trajectory: "NDArray[np.int64] | None" = None
    ) -> Self:
        """Return an audited table as rows; ``trajectory`` is that of each record's person, -1 for none."""
        policy, report = context.policy, source.report
        qids = main_combination(report)
        recognized = recognized_sensitive(column.assignment for column in report.columns)
        asks = demands(policy, qids, context.host, recognized)
        every = [
            asked_of_classes(asks, c.name, tuple(c.quasi_identifiers)) for c in policy.all_combinations(qids)
        ]
        limited = tuple(one for one in every if one.is_limited) or tuple(every[:1])
        isolated = None if trajectory is None else most_isolated(report)
        over_time = () if isolated is None else isolated.qids
        names = tuple(dict.fromkeys((*(qid for one in limited for qid in one.qids), *over_time)))
        attributes = tuple(dict.fromkeys(name for one in limited for name, _ in one.values))
        records, entity = source.records, policy.roles.entity
        records.read((*names, *attributes, *((entity,) if entity is not None else ())))
        codes, joint = records.codes(names), None
        if isolated is not None and trajectory is not None:
            codes = np.column_stack([codes, (trajectory + 1).astype(np.int32)])
            places = (*map(names.index, over_time), len(names))
            joint = ClassLimit(columns=places, persons=isolated.k)
        rows = DistinctRows.of(
            codes,
            person=None if entity is None else records.codes((entity,))[:, 0],
            sensitive=records.codes(attributes),
            marks=tuple(_mark(records, name, policy.suppression_mark) for name in attributes),
            seed=context.seed,
        )
        below = [rows.count(one.limits(names, attributes), is_exact=True).persons for one in limited]
        leading = limited[below.index(max(below))]
        return cls(rows=rows, names=names, attributes=attributes, asked=limited, leading=leading, joint=joint)

    @property
    def limits(self) -> list[ClassLimit]:
        """What is asked over every combination, and of joint classes."""
        found = [limit for one in self.asked for limit in one.limits(self.names, self.attributes)]
        return found if self.joint is None else [*found, self.joint]

    @property
    def leading_limits(self) -> list[ClassLimit]:
        """What is asked over the combination with the most persons below."""
        return self.leading.limits(self.names, self.attributes)

    def twins(self, report: "AuditReport") -> list[tuple[int, int]]:
        """Return the places of QIDs of which one tells the other, as the audit found."""
        found: dict[tuple[int, int], None] = {}
        for column in report.columns:
            if column.facts.name in self.names:
                place = self.names.index(column.facts.name)
                others = (name for name in column.facts.determines if name in self.names)
                pairs = ((min(place, at), max(place, at)) for at in map(self.names.index, others))
                found |= dict.fromkeys(pair for pair in pairs if pair[0] != pair[1])
        return list(found)

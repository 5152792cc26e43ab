"""Columns of a raw table that carry the values of a QID once more."""

from collections.abc import Sequence
from dataclasses import dataclass

from qidguard.core.versions import ColumnSource
from qidguard.undoing.persons import dense

FEWEST_RECORDS_A_VALUE = 2.0
"""Mean records a value that a column has at least: one that hardly repeats determines everything."""


@dataclass(frozen=True, kw_only=True)
class SameValues:
    """A published column that carries the values of a quasi-identifier.

    Args:
        column: The published column.
        qid: The quasi-identifier.
        is_finer: Whether the column says more: several of its values stand for one of the QID.
    """

    column: str
    qid: str
    is_finer: bool


def same_values(
    records: ColumnSource, *, qids: Sequence[str], published: Sequence[str]
) -> tuple[SameValues, ...]:
    """Return which published columns carry the values of a quasi-identifier, under other names or finer."""
    columns = {name: dense(records.column(name).codes) for name in dict.fromkeys((*qids, *published))}
    found = []
    for qid in qids:
        values, kinds = columns[qid]
        for name in published:
            codes, groups = columns[name]
            if name == qid or not kinds > 1 or groups * FEWEST_RECORDS_A_VALUE > records.records:
                continue
            pairs = dense(codes * kinds + values)[1]
            if pairs == groups:
                found.append(SameValues(column=name, qid=qid, is_finer=pairs > kinds))
    return tuple(found)

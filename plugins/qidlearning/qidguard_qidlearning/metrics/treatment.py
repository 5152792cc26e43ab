"""Treated and control records beside the QIDs: what the metrics of causality are measured on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Grouping, NotMeasurable, TableView, ValueType

if TYPE_CHECKING:
    from numpy.typing import NDArray

NULL = 0
"""The code of NULL in every column."""


@dataclass(frozen=True, kw_only=True)
class Qid:
    """One QID of the treated and control records.

    Args:
        name: The column.
        codes: For each row its code; 0 is NULL.
        numbers: For each row its number, NaN where it has none; None for text, which has no order.
    """

    name: str
    codes: "NDArray[np.int64]"
    numbers: "NDArray[np.float64] | None"


@dataclass(frozen=True, kw_only=True)
class TreatmentGroups:
    """The records that are treated or in control, one row for each combination of QIDs.

    Args:
        qids: The QIDs, row by row.
        treated: For each row its treated records, ≥ 0.
        control: For each row its control records, ≥ 0.
    """

    qids: tuple[Qid, ...]
    treated: "NDArray[np.int64]"
    control: "NDArray[np.int64]"


def treatment_groups(view: TableView, grouping: Grouping) -> TreatmentGroups:
    """Return the treated and the control records of a table, at least one each.

    The treatment has exactly two values beside NULL; the one that comes later in the column's natural order
    (1 after 0, true after false, b after a) is the treated one. A record whose treatment is NULL or
    suppressed is in neither group and is left out. Records are counted, not entities: one may be treated at
    one visit only.
    """
    if grouping.sensitive is None:
        raise ValueError("treated and control records are told apart by a treatment column; name one")
    coded = view.codes(grouping.qids, (grouping.sensitive,))
    group = coded.codes[:, -1]
    is_in = (group != NULL) & (group != coded.suppressed[-1])
    values = np.unique(group[is_in])
    if len(values) != 2:  # noqa: PLR2004 - treated and control
        raise NotMeasurable(
            f"The treatment column has {len(values)} values beside NULL, and treated and control need exactly"
            " two; name another column as roles.treatment."
        )
    rows, combination = _combinations(coded.codes[is_in, :-1])
    is_treated = group[is_in] == values[1]
    records = coded.records[is_in]
    treated, control = (
        np.bincount(combination, weights=records * chosen, minlength=len(rows)).astype(np.int64)
        for chosen in (is_treated, ~is_treated)
    )
    types = {facts.name: facts.value_type for facts in view.columns}
    qids = []
    for place, name in enumerate(grouping.qids):
        codes = rows[:, place].astype(np.int64)
        numbers = None if types[name] is ValueType.TEXT else view.numbers(name)[codes]
        qids.append(Qid(name=name, codes=codes, numbers=numbers))
    return TreatmentGroups(qids=tuple(qids), treated=treated, control=control)


def _combinations(codes: "NDArray[np.int32]") -> "tuple[NDArray[np.int32], NDArray[np.int64]]":
    """Return the distinct rows, and for each row the number of its own among them."""
    # np.unique over rows does the same, several times as slowly
    order = np.lexsort(codes.T[::-1])
    ordered = codes[order]
    is_new = np.ones(len(ordered), dtype=np.bool_)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    combination = np.empty(len(codes), dtype=np.int64)
    combination[order] = np.cumsum(is_new) - 1
    return ordered[is_new], combination

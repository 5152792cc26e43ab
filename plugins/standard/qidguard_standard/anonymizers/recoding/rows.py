"""Equal records as rows with a rule for their classes, and what is claimed of the result."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import AnonymizationTask, Guarantee, NotMeasurable, Records, class_numbers
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.wanted import Wanted, guarantees

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class EqualRows:
    """Records that agree in all that counts, as rows.

    Args:
        row_of: Shape (records,), the row of each record.
        first: Shape (rows,), a record of each row.
        weight: Shape (rows,), the records of each row.
        rule: What a class of rows has to keep; t is measured from the whole table.
    """

    row_of: "NDArray[np.int64]" = field(repr=False)
    first: "NDArray[np.int64]" = field(repr=False)
    weight: "NDArray[np.int64]" = field(repr=False)
    rule: ClassRule


def rows_of(
    records: Records, codes: "NDArray[np.int32]", wanted: Wanted, task: AnonymizationTask
) -> EqualRows:
    """Put equal records into rows; NotMeasurable where not even the whole table keeps what is asked."""
    names = wanted.sensitive
    shown = [name for name in names if name in task.quasi_identifiers]
    if shown:
        raise NotMeasurable(
            f"l or t is asked of {shown[0]!r}, a quasi-identifier, too, and each class would show one value"
            " of it; ask none of it, or use a method that leaves it as it is, such as mondrian"
        )
    who = None if task.entity is None else records.codes((task.entity,))
    attributes = records.codes(names)
    parts = [attributes] if who is None else [attributes, who]
    row_of = class_numbers(np.concatenate([codes, *parts], axis=1))
    weight = np.bincount(row_of)
    first = np.empty(len(weight), dtype=np.int64)
    first[row_of[::-1]] = np.arange(len(codes))[::-1]
    entity = None if who is None else who[first, 0].astype(np.int64)
    sensitive = {name: attributes[first, j].astype(np.int64) for j, name in enumerate(names)}
    _check(wanted, len(codes) if entity is None else len(np.unique(entity)), sensitive)
    rule = ClassRule(wanted=wanted, entity=entity, sensitive=sensitive, weight=weight)
    whole = rule.part(np.arange(len(first)))
    return EqualRows(row_of=row_of, first=first, weight=weight, rule=whole)


def _check(wanted: Wanted, persons: int, sensitive: "dict[str, NDArray[np.int64]]") -> None:
    """Raise NotMeasurable where the whole table as one class does not keep k and l."""
    if persons < wanted.k:
        raise NotMeasurable(f"k = {wanted.k} needs as many persons, and the table has {persons:,}; lower k")
    for name, codes in sensitive.items():
        there, least = len(np.unique(codes)), wanted.l.get(name, 0)
        if there < least:
            raise NotMeasurable(f"l = {least} needs as many values of {name!r}, which has {there:,}; lower l")


MOST_CLAIMS = 200
"""Combinations that claims are made for: a receipt with twenty thousand sentences is read by nobody."""


def claims(asked: Wanted, task: AnonymizationTask) -> tuple[Guarantee, ...]:
    """Return the claim of what is wanted over each combination of a task, of the first 200."""
    in_order = replace(asked, l=dict(sorted(asked.l.items())), t=dict(sorted(asked.t.items())))
    return guarantees(in_order, task.combinations[:MOST_CLAIMS])


def claims_note(task: AnonymizationTask) -> tuple[str, ...]:
    """Return a sentence where there are more combinations than claims; nothing elsewhere."""
    many = len(task.combinations)
    if many <= MOST_CLAIMS:
        return ()
    return (f"the same holds for all {many:,} combinations; the claims name the first {MOST_CLAIMS}",)

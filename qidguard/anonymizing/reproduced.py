"""How many records of a new table equal one of the source: what chance, or copying, gave back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.anonymizing.class_numbers import class_numbers
from qidguard.core.column import ColumnValues
from qidguard.core.versions import ColumnSource

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RARITIES = ((1, 1), (2, 4), (5, None))
"""Sizes of classes of the source, in records: alone, among few, among five or more."""


@dataclass(frozen=True, kw_only=True)
class ReproducedOfSize:
    """The source's records in classes of some sizes, and those of them that a new record equals.

    Args:
        smallest: The smallest size, records.
        largest: The largest size; None has no end.
        records: Records of the source in such classes.
        reproduced: Those that at least one new record equals in all columns looked at.
    """

    smallest: int
    largest: int | None
    records: int
    reproduced: int


@dataclass(frozen=True, kw_only=True)
class Reproduced:
    """New records that equal a record of the source; it rests on the source, and is no public evidence.

    Args:
        over: ``quasi-identifiers`` or ``all columns``.
        columns: The columns in which they are equal.
        new_records: Records of the new table.
        equal: Those that equal at least one of the source.
        by_size: Records of the source by the size of their class, those alone in theirs first.
    """

    over: str
    columns: tuple[str, ...]
    new_records: int
    equal: int
    by_size: tuple[ReproducedOfSize, ...]

    @property
    def share(self) -> float:
        """Share of the new records that equal one of the source, 0..1."""
        return self.equal / self.new_records


def reproduced(before: ColumnSource, after: ColumnSource, qids: Sequence[str]) -> tuple[Reproduced, ...]:
    """Return how many new records equal one of the source, over the QIDs and over all columns.

    NULL equals NULL. Columns that the new table does not publish are not looked at.
    """
    shared = tuple(name for name in before.names if name in after.names)
    sets = {"quasi-identifiers": tuple(q for q in qids if q in shared), "all columns": shared}
    return tuple(_over(before, after, over, columns) for over, columns in sets.items() if columns)


def _over(before: ColumnSource, after: ColumnSource, over: str, columns: tuple[str, ...]) -> Reproduced:
    import numpy as np

    was = np.stack([before.column(name).codes for name in columns], axis=1)
    now = np.stack([translated(before.column(name), after.column(name)) for name in columns], axis=1)
    known = now[(now >= 0).all(axis=1)]
    classes = class_numbers(np.concatenate([was, known]))
    of_source, of_new = classes[: len(was)], classes[len(was) :]
    sizes = np.bincount(of_source, minlength=int(classes.max(initial=0)) + 1)
    is_met = np.zeros(len(sizes), dtype=np.bool_)
    is_met[of_new] = True
    size_of, met = sizes[of_source], is_met[of_source]
    by_size = []
    for smallest, largest in RARITIES:
        inside = (size_of >= smallest) & (True if largest is None else size_of <= largest)
        found = int((inside & met).sum())
        by_size.append(
            ReproducedOfSize(smallest=smallest, largest=largest, records=int(inside.sum()), reproduced=found)
        )
    return Reproduced(
        over=over,
        columns=columns,
        new_records=len(now),
        equal=int((sizes[of_new] > 0).sum()),
        by_size=tuple(by_size),
    )


def translated(before: ColumnValues, after: ColumnValues) -> "NDArray[np.int32]":
    """Return for each new record the source's code of its value, −1 where the source has no such value."""
    found: NDArray[np.int32] = codes_in(before, after)[after.codes]
    return found


def codes_in(column: ColumnValues, other: ColumnValues, *, by_number: bool = True) -> "NDArray[np.int32]":
    """Return for each code of another column that of the same value in this one, −1 where it has none.

    NULL is the same as NULL and as nothing else. Where ``by_number``, numbers written otherwise are the same.
    """
    import numpy as np

    places = {text: code for code, text in enumerate(column.texts)}
    code_of = np.array([places.get(text, -1) for text in other.texts], dtype=np.int32)
    if by_number and column.numbers is not None and other.numbers is not None:
        numbers = {number: code for code, number in enumerate(column.numbers.tolist())}  # NaN equals nothing
        for code, number in enumerate(other.numbers.tolist()):
            if code_of[code] < 0:
                code_of[code] = numbers.get(number, -1)
    return code_of

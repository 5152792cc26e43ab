"""Originality: cells that are published exactly as they were (the paper's Table III)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Changes, ColumnValues, Coverage, NotMeasurable, read_coverage


@dataclass(frozen=True, kw_only=True)
class Originality:
    """How many cells are as they were.

    Args:
        kept: Column → shape (published records,), whether the cell is as it was.
    """

    kept: Mapping[str, NDArray[np.bool_]] = field(repr=False)

    @property
    def by_column(self) -> dict[str, float]:
        """Share of the published records whose cell is as it was, 0..1, for each column."""
        return {name: float(one.mean()) for name, one in self.kept.items()}

    @property
    def share(self) -> float:
        """The same over all cells of all columns, 0..1."""
        return float(np.mean([one.mean() for one in self.kept.values()]))


def originality(changes: Changes, qids: Sequence[str]) -> Originality:
    """Return which quasi-identifier cells are published exactly as they were.

    A cell counts where its published value is the original one, as a number where both are numbers, else as
    text: 39 is 39.0, and an interval is not the number in it. Records that are suppressed count in no share.

    Args:
        changes: The original beside what is published.
        qids: The quasi-identifiers, at least one.

    Returns:
        A Boolean a cell; NULL that stays NULL is as it was.

    Units:
        Shares of cells, 0..1.

    Raises:
        NotMeasurable: When nobody knows which record became which, or none is published.
        DataError: When there is no such column.

    Example:
        >>> from qidguard_hybrid_dp.evaluation.example import six_people
        >>> found = originality(six_people(), ["age", "race"])
        >>> found.by_column["race"], round(found.share, 3)
        (0.5, 0.583)
    """
    kept = changes.kept
    if kept is None or not kept.any():
        raise NotMeasurable("originality needs records that are published, each beside its own original")
    return Originality(
        kept={
            name: same_cells(changes.before.column(name), changes.after.column(name), kept) for name in qids
        }
    )


def same_cells(before: ColumnValues, after: ColumnValues, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each published record whether its cell is the original's; shape (published records,)."""
    place = {_key(before, code): code for code in range(len(before.texts))}
    same = np.array([place.get(_key(after, code), -1) for code in range(len(after.texts))])
    found: NDArray[np.bool_] = same[after.codes] == before.codes[kept]
    return found


def _key(column: ColumnValues, code: int) -> str | float | None:
    text = column.texts[code]
    if column.numbers is None or np.isnan(column.numbers[code]):
        try:
            # a column with one interval is text throughout
            return text if text is None else float(text)
        except ValueError:
            return text
    return float(column.numbers[code])


def coverage_of(changes: Changes, name: str) -> Coverage:
    """Return what each published cell of a column stands for."""
    before, after = changes.before.column(name), changes.after.column(name)
    return read_coverage(before, after, changes.hierarchies.get(name), changes.suppression_mark)

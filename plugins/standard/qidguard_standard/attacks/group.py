"""A group of people on whom conditions are tried."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qidguard_standard.attacks.column_match import ColumnMatch
from qidguard_standard.attacks.persons import Persons
from qidguard_standard.attacks.predicates import Condition
from qidguard_standard.attacks.rows import Rows
from qidguard_standard.attacks.source_column import SourceColumn

_MOST_MASKS = 2000
"""Conditions whose outcome is kept: on a column of 100,000 values they take 200 MB."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """The people of the original, or those withheld.

    Args:
        persons: Whose record each one is.
        columns: How each column is matched.
        source: Each column of these people.
        rows: Their distinct combinations.
    """

    persons: Persons
    columns: tuple[ColumnMatch, ...]
    source: tuple[SourceColumn, ...]
    rows: Rows
    _masks: dict[Condition, NDArray[np.bool_]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, source: tuple[SourceColumn, ...], columns: tuple[ColumnMatch, ...], persons: Persons
    ) -> "Group":
        """Return the group of some columns."""
        rows = Rows.of([column.codes for column in source], len(persons.of_record))
        return cls(persons=persons, columns=columns, source=source, rows=rows)

    def meeting(self, predicate: tuple[Condition, ...]) -> tuple[int, int]:
        """Return how many persons have a record that meets all conditions, and who is one of them, or −1.

        Args:
            predicate: Conditions, each on a column of its own.
        """
        rows = self.rows.where({one.column: self._mask(one) for one in predicate})
        if not len(rows):
            return 0, -1
        somebody = int(self.persons.of_record[self.rows.order[self.rows.start[rows[0]]]])
        if not self.persons.has_entities:
            return int((self.rows.start[rows + 1] - self.rows.start[rows]).sum()), somebody
        is_there = np.zeros(self.persons.count, dtype=np.bool_)
        is_there[self.persons.of_record[self.rows.records_of(rows)]] = True
        return int(is_there.sum()), somebody

    def _mask(self, condition: Condition) -> NDArray[np.bool_]:
        if condition not in self._masks:
            if len(self._masks) >= _MOST_MASKS:
                self._masks.clear()
            self._masks[condition] = condition.holds(
                self.columns[condition.column], self.source[condition.column]
            )
        return self._masks[condition]


def chance_of_one(meeting: NDArray[np.int64], withheld: int, persons: int) -> NDArray[np.float64]:
    """Return the chance that exactly one of ``persons`` people drawn from those withheld meets a condition.

    Hypergeometric, drawn without replacement, where at least as many are withheld; else binomial.

    Args:
        meeting: Shape (conditions,), how many of those withheld meet each.
        withheld: How many are withheld, ≥ 1.
        persons: How many are drawn, ≥ 1.

    Returns:
        The chances; shape (conditions,).

    Units:
        Shares, 0..1.

    Raises:
        Nothing.

    Example:
        >>> chance_of_one(np.array([0, 1, 2]), 4, 2).round(3).tolist()
        [0.0, 0.5, 0.667]
    """
    from scipy import stats

    if withheld == persons:
        return np.where(meeting == 1, 1.0, 0.0)
    if withheld > persons:
        chance = stats.hypergeom.pmf(1, withheld, meeting, persons)
    else:
        chance = stats.binom.pmf(1, persons, meeting / withheld)
    return np.asarray(np.clip(chance, 0.0, 1.0), dtype=np.float64)

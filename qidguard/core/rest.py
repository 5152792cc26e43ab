"""The rest: what is published outside the quasi-identifiers, and whom it tells apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Alone:
    """How many persons some columns tell apart from everybody else.

    Args:
        alone: Persons whose values nobody else has: alone in one of their classes.
        persons: The persons who were looked at.
    """

    alone: int
    persons: int

    @property
    def share(self) -> float:
        """The share of persons who are alone, 0..1; 0 where there is nobody."""
        return self.alone / self.persons if self.persons else 0.0


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Records of a table in which only equality of values can be seen, for a search.

    Args:
        codes: Shape (rows, columns); equal values of a column have equal codes, NULL is one of them.
        entity: Shape (rows,), a number for each entity, or None in a table without an entity column.
    """

    codes: "NDArray[np.int64]"
    entity: "NDArray[np.int64] | None"


class RestView(Protocol):
    """A table that can count whom any of its columns tell apart, kept as codes or not."""

    def alone(self, columns: Sequence[str], *, is_present: bool = False) -> Alone:
        """Return how many persons are alone on these columns together; at least one column.

        NULL is a value like any other, or ``is_present`` looks only at records that lack none of them.
        """

    def drawn(self, columns: Sequence[str], most: int) -> Drawn:
        """Return about ``most`` records at random, always the same ones; with entities, all of each drawn."""

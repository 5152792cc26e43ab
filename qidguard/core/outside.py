"""The rest: what is published outside the quasi-identifiers, and whom it tells apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from qidguard.core.role import Role

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
class TellingColumns:
    """A small set of columns on which many persons are alone.

    Args:
        columns: The columns, in the order in which they were given.
        alone: Persons who are alone on them, in the whole table.
    """

    columns: tuple[str, ...]
    alone: int


@dataclass(frozen=True, kw_only=True)
class ToldApart:
    """Whom published columns that are no QID tell apart.

    Args:
        columns: The columns, together; none that a person accepted by itself.
        found: The persons who are alone on all of them, of how many.
        has_sensitive: Whether sensitive attributes are among them.
        smallest: The smallest sets of these columns that tell most of them apart; none were looked for where
            few persons are told apart.
    """

    columns: tuple[str, ...]
    found: Alone
    has_sensitive: bool = False
    smallest: tuple[TellingColumns, ...] = ()


@dataclass(frozen=True, kw_only=True)
class IdentifyingColumn:
    """A published column outside the QIDs that identifies people by itself: it blocks until it is accepted.

    Args:
        column: Its name.
        role: What it is called.
        reason: Why, in words without a value.
        found: The persons who are alone on it, of those who have a value; None where its content or its name
            is the reason.
        accepted: The words in which a person accepts it, and who; None where nobody does.
    """

    column: str
    role: Role
    reason: str
    found: Alone | None = None
    accepted: str | None = None


@dataclass(frozen=True, kw_only=True)
class OutsideQids:
    """What is published outside the QIDs.

    Args:
        told_apart: Whom it tells apart, all of it together, sensitive attributes too. None where there is no
            such column, or the engine cannot count.
        identifying: The columns that identify people by themselves, in the table's order.
    """

    told_apart: tuple[ToldApart, ...] = ()
    identifying: tuple[IdentifyingColumn, ...] = ()


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

"""Criteria that each class keeps or breaks on its own, so that suppressing classes makes a table hold."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

import numpy as np

from qidguard import Limit
from qidguard_standard.anonymisers.full_domain.classes import Classes
from qidguard_standard.anonymisers.full_domain.limits import below

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Criterion(Protocol):
    """What every class has to keep."""

    @property
    def is_inherited(self) -> bool:
        """Whether every part of a class that breaks it breaks it too, whatever else is in the table.

        Then suppression is monotone: what a level suppresses, each finer level suppresses as well.
        """

    @property
    def is_relative(self) -> bool:
        """Whether it compares with the whole table, so that suppressing one class may break another."""

    def breaking(self, classes: Classes) -> "NDArray[np.bool_]":
        """Return which classes break it."""

    def removed(self, classes: Classes, lost_share: float) -> "NDArray[np.float64]":
        """Return how many records of each class must go before any partition of the rest can keep it.

        Only where a person is one record. All classes of the table are given; ``lost_share`` of its records
        may be left out, which changes the table that classes are compared with.
        """


@dataclass(frozen=True, kw_only=True)
class SmallestClass:
    """At least k persons a class (Samarati 2001; Sweeney 2002).

    Args:
        k: Persons, ≥ 1.
    """

    k: int
    is_inherited: bool = True
    is_relative: bool = False

    def breaking(self, classes: Classes) -> "NDArray[np.bool_]":
        """Return the classes of fewer than k persons."""
        found: NDArray[np.bool_] = classes.size < self.k
        return found

    def removed(self, classes: Classes, lost_share: float) -> "NDArray[np.float64]":  # noqa: ARG002 - it compares with no table
        """Return all records of the classes that break it: their parts do so too."""
        return np.where(self.breaking(classes), classes.records, 0.0)


@dataclass(frozen=True, kw_only=True)
class DistinctValues:
    """At least l different values of the sensitive attribute in a class (Machanavajjhala et al. 2007).

    Args:
        sensitive: The attribute.
        least: l, values.
    """

    sensitive: str
    least: float
    is_inherited: bool = True
    is_relative: bool = False

    def breaking(self, classes: Classes) -> "NDArray[np.bool_]":
        """Return the classes of fewer than l values."""
        values = np.bincount(classes.cells(self.sensitive).class_id, minlength=classes.count)
        return below(values, self.least)

    def removed(self, classes: Classes, lost_share: float) -> "NDArray[np.float64]":  # noqa: ARG002 - it compares with no table
        """Return all records of the classes that break it: their parts do so too."""
        return np.where(self.breaking(classes), classes.records, 0.0)


def persons_for_risk(risk: Limit) -> int:
    """Return the smallest class size whose risk 1/size a limit from above allows.

    Args:
        risk: The limit, its value above 0.

    Returns:
        Persons, ≥ 1.

    Units:
        Persons.

    Raises:
        ZeroDivisionError: When the limit is 0, which no class reaches.

    Example:
        >>> from qidguard import Bound
        >>> persons_for_risk(Limit(bound=Bound.AT_MOST, value=0.09))
        12
    """
    size = int(1 / Fraction(risk.value))
    while size < 1 or not risk.is_met_by(1 / size):
        size += 1
    return size

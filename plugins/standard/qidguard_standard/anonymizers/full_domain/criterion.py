"""What every class must reach: criteria over sizes and values, with the limits of a policy."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from qidguard.sdk import Limit
from qidguard_standard.anonymizers.full_domain.classes import SortedClasses

if TYPE_CHECKING:
    from numpy.typing import NDArray


TOLERANCE = 1e-12
"""As close as this to a limit, relative to it, equals it: so a verdict has it."""
SLACK = 1e-9
"""What bounds give away, so that rounding and the tolerance above can never make them wrong."""


def below(values: "NDArray[Any]", least: float) -> "NDArray[np.bool_]":
    """Return which figures are below a limit.

    Example:
        >>> below(np.array([1.9, 2.0 - 1e-15, 2.1]), 2).tolist()
        [True, False, False]
    """
    is_below: NDArray[np.bool_] = (values < least) & ~_close(values, least)
    return is_below


def above(values: "NDArray[Any]", most: float) -> "NDArray[np.bool_]":
    """Return which figures are above a limit.

    Example:
        >>> above(np.array([0.19, 0.2 + 1e-15, 0.21]), 0.2).tolist()
        [False, False, True]
    """
    is_above: NDArray[np.bool_] = (values > most) & ~_close(values, most)
    return is_above


def _close(values: "NDArray[Any]", limit: float) -> "NDArray[np.bool_]":
    is_close: NDArray[np.bool_] = np.abs(values - limit) <= TOLERANCE * np.maximum(np.abs(values), abs(limit))
    return is_close


def at_least(records: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return whole records that are surely as many: rounding errors never make them more.

    Example:
        >>> at_least(np.array([2.0 + 1e-12, 1.5, -3.0])).tolist()
        [2.0, 2.0, 0.0]
    """
    persons: NDArray[np.float64] = np.ceil(np.maximum(records, 0.0) * (1 - SLACK) - SLACK)
    return np.maximum(persons, 0.0)


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

    def breaking(self, classes: SortedClasses) -> "NDArray[np.bool_]":
        """Return which classes break it."""

    def removed(self, classes: SortedClasses, lost_share: float) -> "NDArray[np.float64]":
        """Return how many records of each class must go before any partition of the rest can keep it.

        All classes of the table are given; ``lost_share`` of its records
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

    def breaking(self, classes: SortedClasses) -> "NDArray[np.bool_]":
        """Return the classes of fewer than k persons."""
        is_small: NDArray[np.bool_] = classes.size < self.k
        return is_small

    def removed(self, classes: SortedClasses, lost_share: float) -> "NDArray[np.float64]":  # noqa: ARG002 - it compares with no table
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

    def breaking(self, classes: SortedClasses) -> "NDArray[np.bool_]":
        """Return the classes of fewer than l values."""
        values = np.bincount(classes.cells(self.sensitive).class_id, minlength=classes.count)
        return below(values, self.least)

    def removed(self, classes: SortedClasses, lost_share: float) -> "NDArray[np.float64]":  # noqa: ARG002 - it compares with no table
        """Return all records of the classes that break it: their parts do so too."""
        return np.where(self.breaking(classes), classes.records, 0.0)


def persons_for_risk(risk: Limit) -> int:
    """Return the smallest class size whose risk 1/size a limit from above allows.

    Example:
        >>> from qidguard.sdk import Bound
        >>> persons_for_risk(Limit(bound=Bound.AT_MOST, value=0.09))
        12
    """
    size = int(1 / Fraction(risk.value))
    while size < 1 or not risk.is_met_by(1 / size):
        size += 1
    return size

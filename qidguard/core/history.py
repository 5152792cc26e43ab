"""Releases over time: what a metric may see of earlier releases. Keyed numbers, never values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BUCKETS = 1024
"""Keyed buckets into which the values of a column are counted."""


@dataclass(frozen=True, kw_only=True)
class PublishedColumn:
    """What is kept of one published column.

    Args:
        name: The column's name.
        value_type: A ``ValueType`` as text, or the engine's own name of the type.
        buckets: Shape (BUCKETS + 1,), records whose value falls into each keyed bucket; NULL comes last.
    """

    name: str
    value_type: str
    buckets: "NDArray[np.int64]"


@dataclass(frozen=True, kw_only=True)
class JointClasses:
    """Every person of any release, by the class they had in each: who shares all of them shares a number.

    To be absent from a release counts as a class of it, since an attacker who holds both can subtract.

    Args:
        joint: Shape (persons,), the number of the joint class, 0..classes−1.
        is_now: Shape (persons,), whether the person is in the table itself.
        is_before: Shape (persons,), whether the person is in at least one earlier release.
        is_absent: Shape (persons,), whether the person is absent from at least one of the releases
            (the table itself is one of them).
    """

    joint: "NDArray[np.int64]"
    is_now: "NDArray[np.bool_]"
    is_before: "NDArray[np.bool_]"
    is_absent: "NDArray[np.bool_]"


class History(Protocol):
    """The earlier releases of a data set, and the table that is to be the next one."""

    @property
    def releases(self) -> int:
        """Number of earlier releases, ≥ 0."""

    def joint_classes(self, qids: tuple[str, ...], *, most_recent: int | None = None) -> JointClasses:
        """Return the joint classes over the table and its ``most_recent`` earlier releases; None takes all.

        The table's classes are those of ``qids``. An earlier release answers with the combination of the same
        QIDs, else with one that contains them all, which is finer and so never flatters, else with its main
        combination.
        """

    def columns(self) -> "tuple[tuple[PublishedColumn, ...], ...]":
        """Return the published columns of each release, oldest first, those of the table itself last."""

"""Other versions of a table: the releases before it, and the original that it was made from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from qidguard.core.column import ColumnValues
from qidguard.core.new_table import NewTableFacts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.isolated import IsolatedOverTime


ORDER_OF_RECORDS = "the order of the records"
"""What is said in a column's place where the order of records undoes a generalization."""

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


@dataclass(frozen=True, kw_only=True)
class LeftPersons:
    """The persons whom the latest earlier release shows and the table does not.

    Args:
        batch: Shape (persons,), the number of the joint class over the earlier releases, ≥ 0: who shares one
            left the same class, and is what remains when the table is subtracted.
        value: Shape (persons,), the number of the sensitive value that the latest release shows of the
            person, ≥ 0; who has records with several values has a value of their own, made of all of them.
    """

    batch: "NDArray[np.int64]"
    value: "NDArray[np.int64]"


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

    def size_changes(
        self, qids: tuple[str, ...], *, most_recent: int | None = None
    ) -> "tuple[NDArray[np.int64], ...]":
        """Return for each of those releases by how many persons classes of the table differ in size, if any.

        Each number is ≥ 1; a class that one of the two lacks has size 0. A release without classes of these
        QIDs is left out, and so are all where an entity tells who came and who left.
        """

    def isolated(
        self, qids: tuple[str, ...], *, k: int, most_recent: int | None = None
    ) -> "IsolatedOverTime | None":
        """Return whom the table and those releases isolate in joint classes below ``k``, in counts.

        None where there is no earlier release.
        """

    def left(self, qids: tuple[str, ...], sensitive: str, *, most_recent: int | None = None) -> LeftPersons:
        """Return who left since the latest earlier release, with the sensitive value that it shows of them.

        NotMeasurable where that release was recorded without the values of the attribute.
        """

    def columns(self) -> "tuple[tuple[PublishedColumn, ...], ...]":
        """Return the published columns of each release, oldest first, those of the table itself last."""


class ColumnSource(Protocol):
    """A table that gives its columns in the order of its records."""

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""

    @property
    def records(self) -> int:
        """Number of records."""

    def column(self, name: str) -> ColumnValues:
        """Return one column; DataError when there is none of this name."""


@dataclass(frozen=True, kw_only=True)
class ReadColumns:
    """Columns that were read, as a table.

    Args:
        columns: The columns by name, at least one.
    """

    columns: Mapping[str, ColumnValues] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return tuple(self.columns)

    @property
    def records(self) -> int:
        """Number of records."""
        return next(iter(self.columns.values())).records

    def column(self, name: str) -> ColumnValues:
        """Return one column."""
        return self.columns[name]


@dataclass(frozen=True, kw_only=True)
class Changes:
    """The original table beside the published one.

    Args:
        before: The original.
        after: The published table.
        kept: Shape (records of ``before``,), which records are published: the published ones stand in the
            order of the kept. None where nobody knows which record became which.
        hierarchies: Column → the generalization hierarchy that its published values may come from.
        suppression_mark: The text that stands for a suppressed cell, beside ``*``.
        seed: Seeds whatever is random in what is measured.
        new_table: What the published table is where none of its records is one of the original; None where
            it was made of those.
        is_order_published: Whether the records are published in the order in which they stand.
    """

    before: ColumnSource
    after: ColumnSource
    kept: "NDArray[np.bool_] | None"
    hierarchies: "Mapping[str, Hierarchy]" = field(default_factory=dict)
    suppression_mark: str | None = None
    seed: int = 0
    new_table: NewTableFacts | None = None
    is_order_published: bool = False

    def __post_init__(self) -> None:
        if self.new_table is not None and self.kept is not None:
            raise ValueError("of a new table no record of the original is kept")
        if self.kept is None:
            return
        if len(self.kept) != self.before.records or int(self.kept.sum()) != self.after.records:
            raise ValueError("the published records are not the kept ones of the original")


class Technique(StrEnum):
    """What can become of the cells of a column."""

    GENERALIZATION = "generalization"
    PERTURBATION = "perturbation"
    SUPPRESSION = "suppression"


@dataclass(frozen=True, kw_only=True)
class Treatment:
    """What became of one column's cells.

    Args:
        techniques: What was found, in order of name. Generalized is a cell that stands for its original and
            for other values, suppressed one that stands for all, perturbed one that no longer stands for its
            original: a mean, a rounded or an exchanged value.
        hierarchy: What the hierarchy was made from that gave the values; None without one.
        levels: The levels of it that published values are of, ascending; 0 is exact. Nothing where some value
            is of none.
    """

    techniques: tuple[Technique, ...]
    hierarchy: str | None = None
    levels: tuple[int, ...] = ()

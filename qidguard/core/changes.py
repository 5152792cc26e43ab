"""What was made of a table: its original beside what is published, for metrics that tell what was lost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from qidguard.core.column_values import ColumnValues

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.core.hierarchy import Hierarchy


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
class Changes:
    """The original table beside the published one.

    Args:
        before: The original.
        after: The published table.
        kept: Shape (records of ``before``,), which records are published: the published ones stand in the
            order of the kept. None where nobody knows which record became which.
        hierarchies: Column → the generalisation hierarchy that its published values may come from.
        suppression_mark: The text that stands for a suppressed cell, beside ``*``.
        seed: Seeds whatever is random in what is measured.
    """

    before: ColumnSource
    after: ColumnSource
    kept: "NDArray[np.bool_] | None"
    hierarchies: "Mapping[str, Hierarchy]" = field(default_factory=dict)
    suppression_mark: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kept is None:
            return
        if len(self.kept) != self.before.records or int(self.kept.sum()) != self.after.records:
            raise ValueError("the published records are not the kept ones of the original")

"""The levels on which each column may be published, what each costs, and how a policy says them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from qidguard.advising.advice import DROPPED
from qidguard.advising.written import written_hierarchy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.core.column import ColumnValues
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.kind import ColumnKind
    from qidguard.core.versions import ColumnSource
    from qidguard.policy import HierarchySettings, Policy


@dataclass(frozen=True, kw_only=True)
class Option:
    """One way to publish a column.

    Args:
        level: The level, 0 for exact; ``drop`` where it is not published.
        groups: Shape (codes,), the group of each code.
        ncp: What it costs, 0..1.
    """

    level: int | Literal["drop"]
    groups: "NDArray[np.int32]" = field(repr=False)
    ncp: float


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """The ways to publish a column, from exact to dropped; each merges what the one before does.

    Args:
        name: The column.
        options: The ways, the exact one first.
        hierarchy: What the levels are of; None where the column can only be dropped.
        written: What a policy has to say for that hierarchy; None where it declares one, or there is none.
        is_beside: Whether it is no column that is published, so that it costs nothing.
    """

    name: str
    options: tuple[Option, ...]
    hierarchy: "Hierarchy | None" = field(default=None, repr=False)
    written: "HierarchySettings | None" = None
    is_beside: bool = False

    @property
    def coarsest(self) -> int:
        """The coarsest level of its hierarchy; 0 where it has none."""
        return 0 if self.hierarchy is None else self.hierarchy.levels - 1


def column_options(
    name: str,
    records: "ColumnSource",
    policy: "Policy",
    declared: Mapping[str, "Hierarchy"],
    kind: "ColumnKind | None" = None,
) -> ColumnOptions:
    """Return the ways to publish a column that may be changed.

    Args:
        name: The column.
        records: The table.
        policy: The policy.
        declared: The hierarchies that the policy declares, by column.
        kind: What the column's values are, where somebody knows.
    """
    values = records.column(name)
    hierarchy, written = declared.get(name), None
    if hierarchy is None:
        made = written_hierarchy(records, values, kind, policy)
        if made is not None:
            written, hierarchy = made
    exact = Option(level=0, groups=np.arange(len(values.texts), dtype=np.int32), ncp=0.0)
    dropped = Option(level=DROPPED, groups=np.zeros(len(values.texts), dtype=np.int32), ncp=1.0)
    levels = [] if hierarchy is None else _levels(values, hierarchy)
    return ColumnOptions(
        name=name,
        options=(exact, *levels, dropped),
        hierarchy=hierarchy if levels else None,
        written=written if levels else None,
    )


def kept_column(values: "ColumnValues") -> ColumnOptions:
    """Return the one way to publish a column that nobody may change."""
    exact = Option(level=0, groups=np.arange(len(values.texts), dtype=np.int32), ncp=0.0)
    return ColumnOptions(name=values.name, options=(exact,))


def beside(span: int) -> ColumnOptions:
    """Return what stands beside the columns, with codes below a number, as the search takes columns."""
    exact = Option(level=0, groups=np.arange(span, dtype=np.int32), ncp=0.0)
    return ColumnOptions(name="", options=(exact,), is_beside=True)


def _levels(values: "ColumnValues", hierarchy: "Hierarchy") -> list[Option]:
    """Return the levels between exact and all in one, without those that merge nothing more."""
    found: list[Option] = []
    groups = len(values.texts)
    for level in range(1, hierarchy.levels):
        row = hierarchy.groups[level]
        held = int(row.max()) + 1
        if held < groups and len(np.unique(row[1:])) > 1:
            found.append(Option(level=level, groups=row, ncp=level_ncp(values, row)))
            groups = held
    return found


def level_ncp(values: "ColumnValues", groups: "Sequence[int] | NDArray[np.int32]") -> float:
    """Return the normalized certainty penalty of a level, the mean over records.

    A cell costs (values of its group − 1) / (values of the column − 1); of numbers and dates the range of its
    group / the range of the column (Xu et al. 2006). A missing value that stays apart costs nothing.
    """
    row = np.asarray(groups)
    records = np.bincount(values.codes, minlength=len(values.texts)).astype(np.float64)
    if not records.sum():
        return 0.0
    numbers = values.numbers
    if numbers is not None and np.isfinite(numbers[1:]).all() and len(numbers) > 1:
        own = numbers[1:]
        low = np.full(int(row.max()) + 1, np.inf)
        high = np.full(int(row.max()) + 1, -np.inf)
        np.minimum.at(low, row[1:], own)
        np.maximum.at(high, row[1:], own)
        whole = float(own.max() - own.min())
        cost = np.zeros(len(low)) if not whole else (high - low) / whole
    else:
        leaves = np.bincount(row[1:], minlength=int(row.max()) + 1)
        cost = (leaves - 1) / max(1, values.distinct - 1)
    cost = np.where(np.isfinite(cost), np.clip(cost, 0.0, 1.0), 0.0)
    return float((cost[row] * records).sum() / records.sum())

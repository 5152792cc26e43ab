"""One quasi-identifier in the lattice: the groups of each level of its hierarchy, and what a level loses."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    ColumnValues,
    Hierarchy,
    NotMeasurable,
    Records,
    readable_hierarchy,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

STAR = "*"
STARRED = 0
"""The group of whatever is published as the suppression mark, on every level."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Domain:
    """A column with its hierarchy.

    Args:
        column: The column's values.
        groups: For each level the group of each code: 0 for what is published as the suppression mark, the
            others from 1 in the order of their first codes.
        labels: For each level the published text of each group; None for NULL.
    """

    column: ColumnValues
    groups: "tuple[NDArray[np.int64], ...]"
    labels: tuple[tuple[str | None, ...], ...]

    def exact(self) -> "Domain":
        """Return the column with its exact level alone."""
        return replace(self, groups=self.groups[:1], labels=self.labels[:1])

    @property
    def levels(self) -> int:
        """Number of levels, the exact one included."""
        return len(self.groups)

    def is_starred(self, level: int) -> "NDArray[np.bool_]":
        """Return for each code whether the level publishes it as the suppression mark."""
        is_starred: NDArray[np.bool_] = self.groups[level] == STARRED
        return is_starred


def domain_of(column: ColumnValues, hierarchy: Hierarchy, mark: str) -> Domain:
    """Return a column in the lattice."""
    groups: list[NDArray[np.int64]] = []
    labels = []
    for level in range(hierarchy.levels):
        texts = column.texts if level == 0 else hierarchy.labels[level]
        # a star among the exact values is published as it is
        place: dict[str | None, int] = {mark: STARRED} if level == 0 else {mark: STARRED, STAR: STARRED}
        names: list[str | None] = [mark]
        for text in texts:
            if text not in place:
                place[text] = len(names)
                names.append(text)
        number = np.array([place[text] for text in texts], dtype=np.int64)
        group = number.take(hierarchy.groups[level])
        if groups and not _is_coarser(groups[-1], group):
            raise NotMeasurable(
                f"level {level - 1} of the hierarchy of {column.name!r} has a label twice for values that"
                f" level {level} separates; give each group its own label"
            )
        groups.append(group)
        labels.append(tuple(names))
    return Domain(column=column, groups=tuple(groups), labels=tuple(labels))


def _is_coarser(fine: "NDArray[np.int64]", coarse: "NDArray[np.int64]") -> bool:
    of_group = np.zeros(int(fine.max(initial=0)) + 1, dtype=coarse.dtype)
    of_group[fine] = coarse
    return bool((of_group.take(fine) == coarse).all())


def height_losses(domain: Domain) -> "list[NDArray[np.float64]]":
    """Return level / highest level for each level and code (Sweeney 2002, precision)."""
    top = max(domain.levels - 1, 1)
    return [np.full(len(domain.groups[0]), level / top) for level in range(domain.levels)]


def covered_losses(domain: Domain, *, is_by_width: bool) -> "list[NDArray[np.float64]]":
    """Return for each level and code which part of the domain its published value covers."""
    column = domain.column
    occurs = np.bincount(column.codes, minlength=len(column.texts)) > 0
    values = int(occurs.sum())
    of_one = 1 / (values - 1) if values > 1 else 0.0
    widths = column.numbers if is_by_width and column.is_numeric else None
    losses = [np.zeros(len(occurs))]
    for level in range(1, domain.levels):
        group, span = domain.groups[level], len(domain.labels[level])
        covered = np.bincount(group[occurs], minlength=span)
        lost = np.maximum(covered - 1, 0) * of_one
        if widths is not None:
            lost = _by_width(group, span, widths, occurs, of_one)
        lost[STARRED] = 1.0
        losses.append(lost.take(group))
    return losses


def _by_width(
    group: "NDArray[np.int64]",
    span: int,
    numbers: "NDArray[np.float64]",
    occurs: "NDArray[np.bool_]",
    of_one: float,
) -> "NDArray[np.float64]":
    """Return for each group the width of its numbers / the range, and what NULL beside them adds."""
    is_number = occurs & np.isfinite(numbers)
    if not is_number.any():
        return np.maximum(np.bincount(group[occurs], minlength=span) - 1, 0) * of_one
    low, high = np.full(span, np.inf), np.full(span, -np.inf)
    np.minimum.at(low, group[is_number], numbers[is_number])
    np.maximum.at(high, group[is_number], numbers[is_number])
    whole = float(np.ptp(numbers[is_number]))
    has_numbers = low <= high
    width = np.where(has_numbers, high - np.where(has_numbers, low, 0.0), 0.0)
    others = np.bincount(group[occurs & ~is_number], minlength=span)
    extra = np.where(has_numbers, others, np.maximum(others - 1, 0)) * of_one
    share = width / whole if whole else np.zeros(span)
    return np.minimum(share + extra, 1.0)


def read_domains(
    records: Records, task: AnonymizationTask, as_they_are: Collection[str] = ()
) -> tuple[Domain, ...]:
    """Return the QIDs with their hierarchies, automatic ones where the policy names none.

    What is to stay as it is has one level: l and t of a QID that is sensitive, too, are of what is published.
    """
    if task.entity in task.quasi_identifiers:
        raise NotMeasurable(
            f"{task.entity!r} is the entity and cannot be generalized; take it out of the QIDs"
        )
    columns = [records.column(name) for name in task.quasi_identifiers]
    hierarchies: list[Hierarchy] = []
    for column in columns:
        hierarchy = task.hierarchies.get(column.name)
        if hierarchy is None:
            hierarchy = readable_hierarchy(column)
        if hierarchy.groups.shape[1] != len(column.texts):
            raise NotMeasurable(
                f"the hierarchy of {column.name!r} is bound to other values than the column's; bind it anew"
            )
        hierarchies.append(hierarchy)
    domains = [
        domain_of(column, hierarchy, task.suppression_mark)
        for column, hierarchy in zip(columns, hierarchies, strict=True)
    ]
    return tuple(one.exact() if one.column.name in as_they_are else one for one in domains)


def check_marks(domains: tuple[Domain, ...]) -> None:
    """Check that what a level publishes as the mark stays so: else marks would help finer levels only."""
    for domain in domains:
        for level in range(domain.levels - 1):
            if (domain.is_starred(level) & ~domain.is_starred(level + 1)).any():
                raise NotMeasurable(
                    f"level {level} of {domain.column.name!r} publishes values as the suppression mark that"
                    f" level {level + 1} shows; suppress records, or let the coarser levels keep the mark"
                )

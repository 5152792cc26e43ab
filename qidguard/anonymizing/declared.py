"""The hierarchies that published labels may come from: those that a policy declares, and automatic ones."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from qidguard.anonymizing.protocol import AnonymizationTask, Anonymized, NewTable
from qidguard.core.errors import DataError
from qidguard.core.kind import ColumnKind
from qidguard.core.versions import Changes

if TYPE_CHECKING:
    from qidguard.anonymizing.coverage.coverage import Coverage
    from qidguard.anonymizing.hierarchy.policy import DeclaredFile
    from qidguard.core.column import ColumnValues
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.new_table import NewTableFacts
    from qidguard.core.versions import ColumnSource
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class DeclaredHierarchies:
    """What a policy declares, with its files read once: every table is bound to the same bytes.

    Args:
        policy: The policy.
        files: Column → what its file says.
    """

    policy: "Policy"
    files: "Mapping[str, DeclaredFile]" = field(repr=False)

    @classmethod
    def read(cls, policy: "Policy") -> Self:
        """Return what a policy declares; nothing is read for one without files."""
        if not policy.hierarchies:
            return cls(policy=policy, files={})
        from qidguard.anonymizing.hierarchy.policy import read_declared

        return cls(policy=policy, files=read_declared(policy))

    @property
    def digests(self) -> dict[str, str]:
        """Column → the digest of the bytes that were read, hex; those of ready hierarchies are installed."""
        if not self.policy.hierarchies:
            return {}
        from qidguard.anonymizing.hierarchy.policy import ready_digests

        return {column: file.sha256 for column, file in self.files.items()} | ready_digests(self.policy)

    def bound_to(self, records: "ColumnSource") -> "Mapping[str, Hierarchy]":
        """Return column → hierarchy for each column whose policy names one."""
        if not self.policy.hierarchies:
            return {}
        from qidguard.anonymizing.hierarchy.policy import bind_hierarchies

        return bind_hierarchies(self.policy, records, files=self.files)


class LabelHierarchies(Mapping[str, "Hierarchy"]):
    """The hierarchies by which published values are read; each is made when it is first asked for.

    An anonymizer makes a hierarchy by itself where the policy declares none, and its labels, such as the
    number of a group, cannot be read by themselves. The same hierarchy is made again from the original
    column, for a column of which something could not be read without.

    Args:
        declared: Those that the policy declares.
        before: The original.
        after: The published table.
        mark: The text that stands for a suppressed cell.
    """

    def __init__(
        self, declared: "Mapping[str, Hierarchy]", before: "ColumnSource", after: "ColumnSource", mark: str
    ) -> None:
        self._declared = declared
        self._before = before
        self._after = after
        self._mark = mark
        self._found: dict[str, Hierarchy | None] = {}

    def __getitem__(self, name: str) -> "Hierarchy":
        if name not in self._found:
            self._found[name] = self._declared.get(name) or self._automatic(name)
        hierarchy = self._found[name]
        if hierarchy is None:
            raise KeyError(name)
        return hierarchy

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._after.names if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _automatic(self, name: str) -> "Hierarchy | None":
        from qidguard.anonymizing.coverage.reading import read_coverage
        from qidguard.anonymizing.hierarchy.automatic import automatic_hierarchy

        try:
            before, after = self._before.column(name), self._after.column(name)
        except DataError:
            return None
        plain = read_coverage(before, after, None, self._mark)
        # the number of a group of codes, such as 021 of ZIP codes, is no number that does not occur
        has_other_codes = not before.is_numeric and bool(plain.is_point.any())
        is_needed = plain.unreadable or has_other_codes or _has_masks(after)
        grown = set() if before.is_numeric else _grown(plain, before, after)
        if not (is_needed or grown):
            return None
        try:
            found = automatic_hierarchy(before)
        except DataError:  # dates that may be read in two ways
            return None
        # a family of codes may be called as its first member is: F32 stands for F32.1, too
        if not is_needed and not any(grown & labels for labels in _wide_labels(found)):
            return None
        left = read_coverage(before, after, found, self._mark).unreadable
        # it may have been made of a kind that nobody knows any more
        for kind in _READ_BACK if before.kind is None else ():
            if not left:
                break
            other = automatic_hierarchy(before, column_kind=kind)
            unreadable = read_coverage(before, after, other, self._mark).unreadable
            if unreadable < left:
                found, left = other, unreadable
        return found


def changes_of(
    task: AnonymizationTask,
    before: "ColumnSource",
    after: "ColumnSource",
    done: Anonymized | NewTable,
    new_table: "NewTableFacts | None",
) -> Changes:
    """Return a table beside what was made of it, for what reads published values."""
    mark = task.suppression_mark
    return Changes(
        before=before,
        after=after,
        kept=done.kept if isinstance(done, Anonymized) else None,
        hierarchies=LabelHierarchies(task.hierarchies, before, after, mark),
        suppression_mark=mark,
        seed=task.seed,
        new_table=new_table,
    )


_READ_BACK = (
    ColumnKind.NOMINAL,
    ColumnKind.CODE,
    ColumnKind.PLACE,
    ColumnKind.ORDINAL,
    ColumnKind.PERIOD,
    ColumnKind.AMOUNT,
)
"""The kinds whose labels cannot always be read by themselves."""


def _grown(plain: "Coverage", before: "ColumnValues", after: "ColumnValues") -> set[str | None]:
    """Return the published values that more cells have than the original: they stand for others as well."""
    import numpy as np

    counts = np.bincount(before.codes, minlength=len(before.texts))
    published = np.bincount(after.codes, minlength=len(after.texts))
    is_grown = (plain.same > 0) & (published > counts[plain.same])
    return {after.texts[code] for code in np.flatnonzero(is_grown).tolist()}


def _wide_labels(hierarchy: "Hierarchy") -> Iterator[set[str | None]]:
    """Yield the labels of groups of several values, level by level."""
    import numpy as np

    for level in range(1, hierarchy.levels):
        is_wide = np.bincount(hierarchy.groups[level][1:], minlength=len(hierarchy.labels[level])) > 1
        yield {hierarchy.labels[level][group] for group in np.flatnonzero(is_wide).tolist()}


def _has_masks(after: "ColumnValues") -> bool:
    """Whether a text ends with a star behind a prefix, which may stand for more than it seems to."""
    return any(text is not None and text.endswith("*") and text.strip("*") != "" for text in after.texts)

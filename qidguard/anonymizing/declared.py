"""The hierarchies that published labels may come from: those that a policy declares, and automatic ones."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from qidguard.core.errors import DataError

if TYPE_CHECKING:
    from qidguard.anonymizing.hierarchy.policy import DeclaredFile
    from qidguard.core.hierarchy import Hierarchy
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
        """Column → the digest of the bytes that were read, hex."""
        return {column: file.sha256 for column, file in self.files.items()}

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
        from qidguard.anonymizing.hierarchy import automatic_hierarchy

        try:
            before, after = self._before.column(name), self._after.column(name)
        except DataError:
            return None
        if not read_coverage(before, after, None, self._mark).unreadable:
            return None
        return automatic_hierarchy(before)

"""The original of a table that is audited: what was lost on the way is measured against it."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.declared import DeclaredHierarchies, LabelHierarchies
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.auditing.context import AuditContext
from qidguard.auditing.reading import read_options
from qidguard.core.errors import UserError
from qidguard.core.hierarchy import SUPPRESSED
from qidguard.core.versions import Changes
from qidguard.engines.base import ReadOptions

if TYPE_CHECKING:
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.kind import ColumnKind
    from qidguard.engines.base import Snapshot
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Private copies of a table and of its original.

    Args:
        source: The copy that is audited.
        original: The copy of the original.
        changes: The two held against each other.
    """

    source: "Snapshot"
    original: "Snapshot"
    changes: Changes

    def close(self) -> None:
        """Remove both copies."""
        self.source.close()
        self.original.close()


def mark_of(policy: "Policy") -> str:
    """Return the text that stands for a suppressed cell under a policy."""
    return policy.source.suppression_mark or SUPPRESSED


def pair_of(context: AuditContext, policy: "Policy", original: Any, *, is_same_order: bool) -> Pair:
    """Return the table of an audit beside its original, which is read as the policy says.

    Raises:
        UserError: When the original lacks a column, or has not as many records where the order is the same.
        DataError: When one of them cannot be read.
    """
    return paired(
        context,
        original,
        read=read_options(policy.source, policy.order),
        mark=mark_of(policy),
        declared=lambda records: DeclaredHierarchies.read(policy).bound_to(records),
        is_same_order=is_same_order,
        kinds=policy.kinds,
    )


def paired(
    context: AuditContext,
    original: Any,
    *,
    read: ReadOptions,
    mark: str,
    declared: "Callable[[SnapshotRecords], Mapping[str, Hierarchy]]",
    is_same_order: bool,
    kinds: "Mapping[str, ColumnKind] | None" = None,
) -> Pair:
    """Return the table beside its original.

    ``declared`` gives the hierarchies that somebody named for it, ``kinds`` what somebody said columns are.
    """
    import numpy as np

    engine: Any = context.engine  # it takes snapshots, or says that it does not
    with ExitStack() as stack:
        after = engine.snapshot(context.source, context.read, context.settings)
        stack.callback(after.close)
        before = engine.snapshot(original, read, context.settings)
        stack.callback(before.close)
        _check_fit(before, after, is_same_order=is_same_order)
        was, now = SnapshotRecords(before, mark, kinds=kinds), SnapshotRecords(after, mark)
        changes = Changes(
            before=was,
            after=now,
            kept=np.ones(was.records, dtype=np.bool_) if is_same_order else None,
            hierarchies=LabelHierarchies(declared(was), was, now, mark),
            suppression_mark=mark,
            is_order_published=True,
        )
        stack.pop_all()
    return Pair(source=after, original=before, changes=changes)


def _check_fit(before: "Snapshot", after: "Snapshot", *, is_same_order: bool) -> None:
    lacking = [name for name in after.names if name not in before.names]
    if lacking:
        raise UserError(
            f"The original lacks the column {lacking[0]!r} of the table; name the table that this one was"
            " made from."
        )
    if is_same_order and before.records != after.records:
        raise UserError(
            f"The original holds {before.records:,} records and the table {after.records:,}, so they cannot"
            " stand in the same order; leave that out."
        )

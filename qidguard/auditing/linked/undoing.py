"""What the columns of other tables tell: a generalized QID of the persons, or a date that was moved."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.auditing.leaks import RULE, leaks_in, with_more
from qidguard.auditing.linked.joining import Joined, JoinedTable, is_changed, joined_name, joined_table
from qidguard.core.leaks import Leak, Leaks, LeakTask
from qidguard.core.report import AuditReport
from qidguard.core.verdict import Block
from qidguard.core.versions import Changes, ColumnSource
from qidguard.engines.linked import LinkedCopy, linked_copy
from qidguard.rendering.undone import together

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.auditing.context import AuditContext
    from qidguard.core.column import ColumnValues
    from qidguard.policy import Policy


def linked_of(changes: Changes) -> LinkedCopy | None:
    """Return the tables beside the persons of an original; None where it is a single table."""
    snapshot = getattr(changes.before, "snapshot", None)
    return None if snapshot is None else linked_copy(snapshot)


def with_joined(context: "AuditContext", task: LeakTask, found: Leaks) -> Leaks:
    """Return what was found with what columns of other tables tell of generalized QIDs.

    Each table is joined to the persons, as a reader would, and searched as one table is. A person is told
    where any of their records tells.
    """
    changes, linked = task.changes, linked_of(task.changes)
    if linked is None or changes.kept is None:
        return found
    generalized = tuple(qid for qid in task.qids if is_changed(changes, qid))
    more, unexamined = [], list(found.unexamined)
    for child in linked.children if generalized else ():
        joined = joined_table(linked, child, changes)
        if joined is None:
            continue
        published = (*task.qids, *joined.columns)
        asked = replace(
            task, changes=joined.changes, qids=generalized, published=published, persons=joined.places
        )
        own = leaks_in(context.host, asked)
        more += [
            _as_of_persons(leak, joined, changes.after.records)
            for leak in own
            if set(leak.columns) & set(joined.columns)
        ]
        unexamined += [one for one in own.unexamined if one not in unexamined]
    return Leaks(found=(*found.found, *more), unexamined=tuple(unexamined))


def _as_of_persons(leak: Leak, joined: JoinedTable, persons: int) -> Leak:
    """Return what records undo as what it is of their persons: told by any record, known of all together."""
    known = np.zeros(persons, dtype=np.bool_)
    known[joined.places[leak.known]] = True
    if leak.joined is None:
        return replace(leak, known=known)
    read = np.where(leak.known, leak.joined, 0)
    each = np.unique(np.stack([joined.places, read]), axis=1)
    mixed = np.random.default_rng(0).integers(1, 2**53, int(each[1].max(initial=0)) + 1)
    sums = np.zeros(persons, dtype=np.int64)
    np.add.at(sums, each[0], np.where(each[1] > 0, mixed[each[1]], 0))
    return replace(leak, known=known, joined=np.unique(sums, return_inverse=True)[1].reshape(-1) + 1)


def with_dates(
    context: "AuditContext",
    policy: "Policy",
    report: AuditReport,
    changes: Changes,
    published: Sequence[str],
) -> AuditReport:
    """Return the report with a block for each moved date whose original another published column tells.

    Args:
        context: The limits of the work.
        policy: What it accepts in words does not block.
        report: The report.
        changes: The persons, before and as they would be published.
        published: The columns of the persons that are published, those made of records not among them.
    """
    linked = linked_of(changes)
    if linked is None or changes.kept is None:
        return report
    persons = linked.source.persons.name
    own_dates = {name: v for name, v in linked.moved(persons).items() if name in published}
    rest = tuple(name for name in published if name not in own_dates)
    joined = [joined_table(linked, child, changes, has_parents=True) for child in linked.children]
    if own_dates:
        joined.insert(0, _of_persons(changes, changes.kept, own_dates, persons))
    return with_more(
        report, blocks=[block for one in joined if one for block in _blocks(context, policy, one, rest)]
    )


def _of_persons(
    changes: Changes, kept: "NDArray[np.bool_]", moved: "dict[str, ColumnValues]", name: str
) -> JoinedTable:
    """Return the persons joined to their own dates, as they were and as they are moved."""
    before, after = np.flatnonzero(kept), np.arange(changes.after.records)

    def joined(persons: ColumnSource, places: "NDArray[np.int64]", read: "Sequence[ColumnValues]") -> Joined:
        own = (
            replace(one, name=name, codes=one.codes[before]) for name, one in zip(names, read, strict=True)
        )
        return Joined(persons=persons, places=places, own={one.name: one for one in own})

    names = [joined_name(name, date) for date in moved]
    return JoinedTable(
        name=name,
        columns=tuple(names),
        places=after,
        changes=Changes(
            before=joined(changes.before, before, [changes.before.column(date) for date in moved]),
            after=joined(changes.after, after, [*moved.values()]),
            kept=np.ones(len(before), dtype=np.bool_),
            seed=changes.seed,
        ),
    )


def _blocks(
    context: "AuditContext", policy: "Policy", joined: JoinedTable, rest: Sequence[str]
) -> list[Block]:
    every = (joined_name(name, date) for name, table in policy.tables.items() for date in table.dates)
    moved = [name for name in every if name in joined.columns]
    own = {name for name in joined.columns if name.startswith(f"{joined.name}.")}
    if not moved:
        return []
    task = LeakTask(
        changes=joined.changes,
        qids=tuple(moved),
        published=tuple(dict.fromkeys((*rest, *joined.columns))),
        persons=joined.places,
        most_notes=0,
        is_known_asked=False,
        progress=context.progress,
    )
    return [
        Block(
            rule=RULE,
            sentence=(
                f"{together(leak.columns)} {'tells' if len(leak.columns) == 1 else 'tell'} the original"
                f" {leak.qid}, which is moved, of {leak.persons:,} of {leak.generalized:,} persons,"
                " so their days are known. Move it too, drop it, or accept it in words."
            ),
        )
        for leak in leaks_in(context.host, task)
        # what tells a date of the record that is referred to by itself was found with that one
        if own & {leak.qid, *leak.columns}
        and leak.is_undone
        and policy.acceptance_of(leak.columns, leak.qid) is None
    ]

"""What the columns of other tables tell: a generalized QID of the persons, or a date that was moved."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.auditing.linked.joining import Joined, JoinedTable, is_changed, joined_name, joined_table
from qidguard.auditing.undoing_report import RULE
from qidguard.core.verdict import Block
from qidguard.core.versions import Changes
from qidguard.engines.linked import LinkedCopy, linked_copy
from qidguard.rendering.undone import together

if TYPE_CHECKING:
    from qidguard.auditing.context import AuditContext
    from qidguard.core.column import ColumnValues
    from qidguard.policy import Policy
    from qidguard.undoing import Undoing, Undoings


def linked_of(changes: Changes) -> LinkedCopy | None:
    """Return the tables beside the persons of an original; None where it is a single table."""
    snapshot = getattr(changes.before, "snapshot", None)
    return None if snapshot is None else linked_copy(snapshot)


def with_joined(
    context: "AuditContext",
    changes: Changes,
    found: "Undoings",
    *,
    qids: Sequence[str],
    most_notes: int | None,
) -> "Undoings":
    """Return what was found with what columns of other tables tell of generalized QIDs.

    Each table is joined to the persons, as a reader would, and searched as one table is. A person is told
    where any of their records tells.
    """
    linked = linked_of(changes)
    if linked is None or changes.kept is None:
        return found
    generalized = [qid for qid in qids if is_changed(changes, qid)]
    more, not_measured = [], list(found.not_measured)
    for child in linked.children if generalized else ():
        joined = joined_table(linked, child, changes)
        if joined is None:
            continue
        own = _found(
            context,
            joined,
            qids=generalized,
            published=(*qids, *joined.columns),
            most_notes=most_notes,
            seed=changes.seed,
        )
        more += [
            _as_of_persons(undoing, joined, changes.after.records)
            for undoing in own
            if set(undoing.columns) & set(joined.columns)
        ]
        not_measured += [one for one in own.not_measured if one not in not_measured]
    return replace(found, found=(*found.found, *more), not_measured=tuple(not_measured))


def _found(
    context: "AuditContext",
    joined: JoinedTable,
    *,
    qids: Sequence[str],
    published: Sequence[str],
    most_notes: int | None,
    seed: int,
    is_known_asked: bool = True,
) -> "Undoings":
    from qidguard.undoing import find_undoings

    return find_undoings(
        joined.changes,
        qids=qids,
        published=tuple(dict.fromkeys(published)),
        persons=joined.places,
        seed=seed,
        is_known_asked=is_known_asked,
        most_notes=most_notes,
        progress=context.progress,
    )


def _as_of_persons(undoing: "Undoing", joined: JoinedTable, persons: int) -> "Undoing":
    """Return what records undo as what it is of their persons: told by any record, known of all together."""
    import numpy as np

    known = np.zeros(persons, dtype=np.bool_)
    known[joined.places[undoing.known]] = True
    if undoing.joined is None:
        return replace(undoing, known=known)
    read = np.where(undoing.known, undoing.joined, 0)
    each = np.unique(np.stack([joined.places, read]), axis=1)
    mixed = np.random.default_rng(0).integers(1, 2**53, int(each[1].max(initial=0)) + 1)
    sums = np.zeros(persons, dtype=np.int64)
    np.add.at(sums, each[0], np.where(each[1] > 0, mixed[each[1]], 0))
    return replace(undoing, known=known, joined=np.unique(sums, return_inverse=True)[1].reshape(-1) + 1)


def told_dates(
    context: "AuditContext", policy: "Policy", changes: Changes, published: Sequence[str]
) -> list[Block]:
    """Return a block for each moved date whose original another published column tells.

    Args:
        context: The limits of the work.
        policy: What it accepts in words does not block.
        changes: The persons, before and as they would be published.
        published: The columns of the persons that are published, those made of records not among them.
    """
    linked = linked_of(changes)
    if linked is None or changes.kept is None:
        return []
    blocks = []
    persons = linked.source.persons
    own_dates = {name: v for name, v in linked.moved(persons.name).items() if name in published}
    rest = tuple(name for name in published if name not in own_dates)
    if own_dates:
        blocks += _blocks(context, policy, _of_persons(changes, own_dates, persons.name), rest, changes.seed)
    for child in linked.children:
        joined = joined_table(linked, child, changes, has_parents=True)
        if joined is not None:
            blocks += _blocks(context, policy, joined, rest, changes.seed)
    return blocks


def _of_persons(changes: Changes, moved: "dict[str, ColumnValues]", name: str) -> JoinedTable:
    """Return the persons joined to their own dates, as they were and as they are moved."""
    import numpy as np

    kept = changes.kept
    assert kept is not None  # noqa: S101 - the caller looked
    before, after = np.flatnonzero(kept), np.arange(changes.after.records)

    def own(column: "ColumnValues", called: str) -> "ColumnValues":
        return replace(column, name=called, codes=column.codes[before])

    names = {joined_name(name, date): date for date in moved}
    return JoinedTable(
        name=name,
        columns=tuple(names),
        places=after,
        changes=Changes(
            before=Joined(
                persons=changes.before,
                places=before,
                own={called: own(changes.before.column(date), called) for called, date in names.items()},
            ),
            after=Joined(
                persons=changes.after,
                places=after,
                own={called: own(moved[date], called) for called, date in names.items()},
            ),
            kept=np.ones(len(before), dtype=np.bool_),
            seed=changes.seed,
        ),
    )


def _blocks(
    context: "AuditContext", policy: "Policy", joined: JoinedTable, rest: Sequence[str], seed: int
) -> list[Block]:
    every = (joined_name(name, date) for name, table in policy.tables.items() for date in table.dates)
    moved = [name for name in every if name in joined.columns]
    own = {name for name in joined.columns if name.startswith(f"{joined.name}.")}
    if not moved:
        return []
    found = _found(
        context,
        joined,
        qids=moved,
        published=(*rest, *joined.columns),
        most_notes=0,
        seed=seed,
        is_known_asked=False,
    )
    return [
        Block(
            rule=RULE,
            sentence=(
                f"{together(undoing.columns)} {'tells' if len(undoing.columns) == 1 else 'tell'} the original"
                f" {undoing.qid}, which is moved, of {undoing.persons:,} of {undoing.generalized:,} persons,"
                " so their days are known. Move it too, drop it, or accept it in words."
            ),
        )
        for undoing in found
        # what tells a date of the record that is referred to by itself was found with that one
        if own & {undoing.qid, *undoing.columns}
        and undoing.is_undone
        and policy.acceptance_of(undoing.columns, undoing.qid) is None
    ]

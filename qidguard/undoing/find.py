"""Search what is published for columns that tell what a generalization was to hide."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.progress import SILENT, Progress
from qidguard.core.versions import Changes
from qidguard.undoing.groups import tells_itself
from qidguard.undoing.persons import persons_of
from qidguard.undoing.scale import Scale
from qidguard.undoing.search import QidSearch
from qidguard.undoing.target import Target, same_code
from qidguard.undoing.undoing import FEWEST_PERSONS, MOST_NOTES, NotMeasured, Undoings

if TYPE_CHECKING:
    from numpy.typing import NDArray

TITLE = "what columns tell"

MOST_AT_ONCE = 4
"""Quasi-identifiers that are searched at once where nobody says: each takes memory of its own."""


def find_undoings(
    changes: Changes,
    *,
    qids: Sequence[str],
    published: Sequence[str],
    persons: "NDArray[np.integer] | None" = None,
    seed: int = 0,
    threads: int | None = None,
    most_notes: int | None = MOST_NOTES,
    progress: Progress = SILENT,
) -> Undoings:
    """Return which published columns, alone or two together, tell the original values of generalized QIDs.

    Args:
        changes: The original beside the published table; its suppression mark and NULL count as generalized.
        qids: The quasi-identifiers.
        published: The columns that are published, quasi-identifiers among them.
        persons: Shape (records of the published table,), a code of the person of each record, who counts once
            however many records there are; None where nobody says, and equal rows count once.
        seed: Draws samples, and the order of records whose values are the same.
        threads: How many quasi-identifiers are searched at once; None takes one a processor, at most 4.
        most_notes: How many columns or pairs that tell only some are wanted for each; None is all.
        progress: Hears how far the search is.
    """
    if changes.kept is None:
        reason = "nobody knows which published record was made of which original one"
        return Undoings(not_measured=tuple(NotMeasured(qid=qid, reason=reason) for qid in qids))
    columns = [Scale(changes.after.column(name)) for name in published]
    originals = {qid: Scale(changes.before.column(qid)) for qid in qids}
    # rows that were equal may be published with different values
    rows = [scale.codes[changes.kept] for scale in originals.values()]
    rows += [column.codes for column in columns if column.name not in originals]
    everyone = persons_of(persons, rows)
    everything = _Everything(
        changes=changes, originals=originals, columns=columns, persons=everyone, most_notes=most_notes
    )

    def search(place: int) -> Undoings:
        has_entity = persons is not None
        return _search(everything, qids[place], has_entity=has_entity, seed=[seed, place + 1])

    found: list[Undoings] = []
    progress.step(TITLE, 0, len(qids))
    with ThreadPoolExecutor(max_workers=threads or min(MOST_AT_ONCE, os.cpu_count() or 1)) as pool:
        # each has a generator of its own, so what is found is the same however many work at once
        for done, one in enumerate(pool.map(search, range(len(qids))), start=1):
            found.append(one)
            progress.step(TITLE, done, len(qids))
    return Undoings(
        found=tuple(undoing for one in found for undoing in one.found),
        not_measured=tuple(reason for one in found for reason in one.not_measured),
        left_out=tuple(left_out for one in found for left_out in one.left_out),
    )


@dataclass(frozen=True, kw_only=True)
class _Everything:
    """What is searched for every quasi-identifier."""

    changes: Changes
    originals: dict[str, Scale]
    columns: Sequence[Scale]
    persons: "NDArray[np.int64]"
    most_notes: int | None


def _search(everything: _Everything, qid: str, *, has_entity: bool, seed: list[int]) -> Undoings:
    """Return what tells one quasi-identifier, or why nobody can say."""
    target = target_of(everything.changes, qid, everything.persons, has_entity=has_entity)
    if target.hidden >= FEWEST_PERSONS:
        others = [column for column in everything.columns if column.name != qid]
        generator = np.random.default_rng(seed)
        search = QidSearch(target=target, qid=everything.originals[qid], columns=others, generator=generator)
        found = search.found()
        return Undoings(found=tuple(found), left_out=tuple(search.left_out))
    if target.hidden:
        reason = f"fewer than {FEWEST_PERSONS} persons were generalized, too few to tell from chance"
        return Undoings(not_measured=(NotMeasured(qid=qid, reason=reason),))
    return Undoings()


def target_of(changes: Changes, qid: str, persons: "NDArray[np.int64]", *, has_entity: bool) -> Target:
    """Return one quasi-identifier of the published records; ``persons`` are numbers 0..persons−1."""
    before, after = changes.before.column(qid), changes.after.column(qid)
    original = before.codes[changes.kept].astype(np.int64)
    published = after.codes.astype(np.int64)
    is_alone = int(persons.max(initial=-1)) + 1 == len(persons)
    is_changed = same_code(before, after)[published] != original
    target = Target(
        qid=qid,
        values=original,
        published=published,
        is_open=np.bincount(published, weights=is_changed, minlength=1)[published] > 0,
        is_hidden=is_changed,
        persons=None if is_alone else persons,
        has_entity=has_entity,
    )
    return replace(target, is_hidden=is_changed & ~tells_itself(target)) if is_changed.any() else target

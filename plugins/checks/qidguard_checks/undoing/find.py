"""Search what is published for columns that are known, or tell, what a generalization was to hide."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.progress import SILENT, Progress
from qidguard.core.versions import Changes
from qidguard.undoing.search_known import KnownSearch
from qidguard.undoing.search_told import GAIN, ToldSearch
from qidguard.undoing.searched import Readings, SearchedQid
from qidguard.undoing.tables import SAMPLED, Tables
from qidguard.undoing.undoing import FEWEST_PERSONS, MOST_NOTES, NotMeasured, Undoing, Undoings

if TYPE_CHECKING:
    from numpy.typing import NDArray


TITLE = "what columns tell"


def find_undoings(
    changes: Changes,
    *,
    qids: Sequence[str],
    published: Sequence[str],
    persons: "NDArray[np.integer] | None" = None,
    seed: int = 0,
    most_notes: int | None = MOST_NOTES,
    is_known_asked: bool = True,
    progress: Progress = SILENT,
) -> Undoings:
    """Return which published columns undo the generalization of quasi-identifiers.

    What is read in one or two columns outside the QIDs either is known to whoever knows the original QID (or
    two), or it tells the original QID. Of a QID that was not generalized, a reading that determines it and is
    finer is known.

    Args:
        changes: The original beside the published table; its suppression mark and NULL count as generalized.
        qids: The quasi-identifiers.
        published: The columns that are published, quasi-identifiers among them.
        persons: Shape (records of the published table,), a code of the person of each record, who counts once
            however many records there are; None where nobody says, and equal rows count once.
        seed: Draws samples, and the order of records whose values are the same.
        most_notes: How many columns or pairs that tell only some are wanted for each; None is all, however
            few they tell.
        is_known_asked: Whether what is known to whoever knows an original value is looked for, too.
        progress: Hears how far the search is.
    """
    if changes.kept is None:
        reason = "nobody knows which published record was made of which original one"
        return Undoings(not_measured=tuple(NotMeasured(qid=qid, reason=reason) for qid in qids))
    tables = Tables(changes=changes, qids=tuple(qids), published=tuple(published), persons=persons, seed=seed)
    readings, found = Readings(tables), []
    progress.step(TITLE, 0, len(qids))
    # numbers may be of any size: what overflows is no number, and chooses nothing
    with np.errstate(all="ignore"):
        for place, qid in enumerate(qids, start=1):
            generator = np.random.default_rng([seed, place])
            one = undoings_of(readings, qid, generator, most_notes=most_notes, is_known_asked=is_known_asked)
            found.append(one)
            progress.step(TITLE, place, len(qids))
    return Undoings(
        found=tuple(undoing for one in found for undoing in one.found),
        not_measured=tuple(reason for one in found for reason in one.not_measured),
    )


NEARLY_ALL = 0.95
"""The share of persons told by a column from which nothing more is looked for in it."""


def undoings_of(
    readings: Readings,
    qid: str,
    generator: np.random.Generator,
    *,
    most_notes: int | None,
    is_known_asked: bool,
) -> Undoings:
    """Return what undoes a quasi-identifier, and the strongest notes, the strongest first.

    Args:
        readings: What is read in the published columns.
        qid: The quasi-identifier.
        generator: Shuffles.
        most_notes: How many notes are wanted beside all that undoes it; None is all.
        is_known_asked: Whether what is known to whoever knows it is looked for, too.
    """
    searched = SearchedQid(readings, qid)
    joining, telling = KnownSearch(searched), ToldSearch(searched, generator, most_notes)
    known = [*joining.found(readings.whole)] if is_known_asked else []
    taken = {undoing.columns[0] for undoing in known if not undoing.beside}
    if not searched.is_changed:
        known += joining.found(searched.inside, taken) if is_known_asked else ()
        return Undoings(found=tuple(known))
    if searched.some(SAMPLED).hidden < FEWEST_PERSONS and searched.all.hidden < FEWEST_PERSONS:
        reason = f"fewer than {FEWEST_PERSONS} persons were generalized, too few to tell from chance"
        not_measured = (NotMeasured(qid=qid, reason=reason),) if searched.all.hidden else ()
        return Undoings(found=tuple(known), not_measured=not_measured)
    told = [*telling.found(r for r in readings.whole if r.part.columns[0] not in taken)]
    taken |= {undoing.columns[0] for undoing in told if undoing.told >= NEARLY_ALL}
    known += joining.found(searched.inside, taken) if is_known_asked else ()
    parts = {(undoing.columns, undoing.part) for undoing in known}
    inside = [r for r in searched.inside if not taken & {*r.part.columns}]
    shares = {undoing.columns[0]: undoing.told for undoing in told}
    told += [
        undoing
        for undoing in telling.found(r for r in inside if (r.part.columns, r.part.words) not in parts)
        if undoing.is_undone or undoing.told > max(GAIN + shares.get(c, -GAIN) for c in undoing.columns)
    ]
    told += telling.pairs(taken, shares)
    told.sort(key=lambda undoing: (undoing.is_undone, undoing.told), reverse=True)
    notes = [undoing for undoing in told if not undoing.is_undone][:most_notes]
    undone: list[Undoing] = [undoing for undoing in told if undoing.is_undone]
    return Undoings(found=(*known, *undone, *notes), not_measured=(*searched.left_out(), *telling.left_out()))

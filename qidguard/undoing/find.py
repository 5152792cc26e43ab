"""Search what is published for columns that are known, or tell, what a generalization was to hide."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.progress import SILENT, Progress
from qidguard.core.versions import Changes
from qidguard.undoing.search import undoings_of
from qidguard.undoing.searched import Readings
from qidguard.undoing.tables import Tables
from qidguard.undoing.undoing import MOST_NOTES, NotMeasured, Undoings

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

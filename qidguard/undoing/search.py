"""The search for all that undoes one quasi-identifier."""

import numpy as np

from qidguard.undoing.search_known import KnownSearch
from qidguard.undoing.search_told import GAIN, ToldSearch
from qidguard.undoing.searched import Readings, SearchedQid
from qidguard.undoing.tables import SAMPLED
from qidguard.undoing.undoing import FEWEST_PERSONS, NotMeasured, Undoing, Undoings

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

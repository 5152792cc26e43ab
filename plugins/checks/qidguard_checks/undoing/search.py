"""Search what is published for columns that are known, or tell, what a generalization was to hide."""

import numpy as np

from qidguard.sdk import Leak, Leaks, LeakTask, Unexamined
from qidguard_checks.undoing.known import known_in
from qidguard_checks.undoing.searched import Readings, SearchedQid
from qidguard_checks.undoing.tables import SAMPLED, Tables
from qidguard_checks.undoing.told import GAIN, ToldSearch

TITLE = "what columns tell"

FEWEST_PERSONS = 28
"""Persons that have to be generalized before anything can be told from chance."""

NEARLY_ALL = 0.95
"""The share of persons told by a column from which nothing more is looked for in it."""


def leaks_in(task: LeakTask) -> Leaks:
    """Return which published columns undo the generalization of quasi-identifiers.

    What is read in one or two columns outside the QIDs either is known to whoever knows the original QID (or
    two), or it tells the original QID. Of a QID that was not generalized, a reading that determines it and is
    finer is known.
    """
    if task.changes.kept is None:
        reason = "nobody knows which published record was made of which original one"
        return Leaks(unexamined=tuple(Unexamined(qid=qid, reason=reason) for qid in task.qids))
    readings, found = Readings(Tables(task)), []
    task.progress.step(TITLE, 0, len(task.qids))
    # numbers may be of any size: what overflows is no number, and chooses nothing
    with np.errstate(all="ignore"):
        for place, qid in enumerate(task.qids, start=1):
            found.append(leaks_of(readings, qid, np.random.default_rng([task.changes.seed, place])))
            task.progress.step(TITLE, place, len(task.qids))
    return Leaks(
        found=tuple(leak for one in found for leak in one.found),
        unexamined=tuple(reason for one in found for reason in one.unexamined),
    )


def leaks_of(readings: Readings, qid: str, generator: np.random.Generator) -> Leaks:
    """Return what undoes a quasi-identifier, and the strongest notes, the strongest first.

    Args:
        readings: What is read in the published columns.
        qid: The quasi-identifier.
        generator: Shuffles.
    """
    searched, task = SearchedQid(readings, qid, generator), readings.tables.task
    telling = ToldSearch(searched)
    known = [*known_in(searched, readings.whole)] if task.is_known_asked else []
    taken = {leak.columns[0] for leak in known if not leak.beside}
    if not searched.is_changed:
        known += known_in(searched, searched.inside, taken) if task.is_known_asked else ()
        return Leaks(found=tuple(known))
    if searched.some(SAMPLED).hidden < FEWEST_PERSONS and searched.some().hidden < FEWEST_PERSONS:
        reason = f"fewer than {FEWEST_PERSONS} persons were generalized, too few to tell from chance"
        unexamined = (Unexamined(qid=qid, reason=reason),) if searched.some().hidden else ()
        return Leaks(found=tuple(known), unexamined=unexamined)
    told = [*telling.found(r for r in readings.whole if r.part.columns[0] not in taken)]
    taken |= {leak.columns[0] for leak in told if leak.told >= NEARLY_ALL}
    known += known_in(searched, searched.inside, taken) if task.is_known_asked else ()
    parts = {(leak.columns, leak.part) for leak in known}
    inside = [r for r in searched.inside if not taken & {*r.part.columns}]
    shares = {leak.columns[0]: leak.told for leak in told}
    told += [
        leak
        for leak in telling.found(r for r in inside if (r.part.columns, r.part.words) not in parts)
        if leak.is_undone or leak.told > max(GAIN + shares.get(c, -GAIN) for c in leak.columns)
    ]
    told += telling.pairs(taken, shares)
    told.sort(key=lambda leak: (leak.is_undone, leak.told), reverse=True)
    notes = [leak for leak in told if not leak.is_undone][: task.most_notes]
    undone: list[Leak] = [leak for leak in told if leak.is_undone]
    return Leaks(found=(*known, *undone, *notes), unexamined=(*searched.left_out(), *telling.left_out()))

"""Whom somebody may be who is known by all quasi-identifiers, where columns tell only some of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.versions import Changes
from qidguard.undoing.persons import dense
from qidguard.undoing.undoing import Undoing

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """How many persons somebody may be, for all who were published.

    Args:
        fewest: The fewest candidates of anybody, ≥ 1; None for an empty table.
        below: Persons with fewer candidates than were asked for.
    """

    fewest: int | None
    below: int


def candidates(
    changes: Changes,
    undoings: Iterable[Undoing],
    *,
    qids: Sequence[str],
    least: float,
    persons: "NDArray[np.integer] | None" = None,
) -> Candidates:
    """Return how many persons have fewer candidates than they must have.

    A record may be somebody's if its published values are theirs and whatever is known or told of it is true
    of them; of a record of which nothing is, everything stays possible.

    Args:
        changes: The original beside the published table, records paired.
        undoings: What is known and told; all of it counts, whether it undoes a quasi-identifier or tells only
            some of it.
        qids: The quasi-identifiers by which somebody is known.
        least: How many candidates everybody must have.
        persons: Shape (records of the published table,), a code of each record's person; None where each
            record is one. Whose records are told differently within a class counts there in parts, so there
            are never too many.

    Raises:
        ValueError: When nobody knows which published record was made of which original one.
    """
    if changes.kept is None:
        raise ValueError("candidates are counted where published and original records are paired")
    records = changes.after.records
    if not records:
        return Candidates(fewest=None, below=0)
    used = [undoing for undoing in undoings if undoing.shows(tuple(qids))]
    classes = _joint([changes.after.column(qid).codes for qid in qids], records)
    # what is shown of whom: an original value, or what is read and known; nothing of the others
    told: dict[str, NDArray[np.bool_]] = {}
    shown: list[tuple[NDArray[np.bool_], NDArray[np.integer]]] = []
    for undoing in used:
        if undoing.joined is not None:
            shown.append((undoing.known, undoing.joined))
        else:
            told[undoing.qid] = told.get(undoing.qid, np.zeros(records, dtype=np.bool_)) | undoing.known
    shown += [(known, changes.before.column(qid).codes[changes.kept]) for qid, known in told.items()]
    patterns = _joint([is_shown for is_shown, _ in shown], records)

    def kinds() -> "Iterator[tuple[NDArray[np.bool_], NDArray[np.int64]]]":
        # whose records show which values: their class, and what is shown of them
        for pattern in range(int(patterns.max()) + 1):
            is_of = patterns == pattern
            example = int(np.argmax(is_of))
            some = [codes for is_shown, codes in shown if is_shown[example]]
            yield is_of, _joint([classes, *some], records)

    weights = np.ones(records)
    if persons is not None:
        own = np.empty(records, dtype=np.int64)
        for is_of, kind in kinds():
            own[is_of] = kind[is_of]
        weights = _weights(classes, _joint([patterns, own], records), persons)
    found = np.zeros(records)
    for is_of, kind in kinds():
        found += np.bincount(kind, weights=np.where(is_of, weights, 0.0))[kind]
    # thirds of a person add up to a little less than one
    whole = np.maximum(np.floor(found + 1e-6), 1)
    few = whole < least
    below = int(few.sum()) if persons is None else len(np.unique(np.asarray(persons)[few]))
    return Candidates(fewest=int(whole.min()), below=below)


def _joint(columns: "Sequence[NDArray[np.generic]]", records: int) -> "NDArray[np.int64]":
    joint = np.zeros(records, dtype=np.int64)
    for column in columns:
        codes, kinds = dense(column.astype(np.int64))
        joint = dense(joint * kinds + codes)[0]
    return joint


def _weights(
    classes: "NDArray[np.int64]", own: "NDArray[np.int64]", persons: "NDArray[np.integer]"
) -> "NDArray[np.float64]":
    """Return what each record counts: all of a person in a class count as one together."""
    people = dense(np.asarray(persons, dtype=np.int64))[0]
    cells = _joint([people, own], len(classes))
    is_first = np.zeros(len(classes), dtype=np.bool_)
    is_first[np.unique(cells, return_index=True)[1]] = True
    both = _joint([people, classes], len(classes))
    return np.where(is_first, 1.0 / np.bincount(both[is_first])[both], 0.0)

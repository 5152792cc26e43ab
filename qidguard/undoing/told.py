"""What some guesses tell of a quasi-identifier, where chance cannot explain it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.gates import PRECISION, is_beyond_chance
from qidguard.undoing.target import Target
from qidguard.undoing.undoing import Undoing, Way, is_undone

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Told:
    """Guesses that are too often right for chance.

    Args:
        way: How they were made.
        right: Persons of whom the value is hidden and the guess right.
        precision: The share of the guesses that are right.
        known: The records of which the value is hidden and the guess right.
    """

    way: Way
    right: float
    precision: float
    known: "NDArray[np.int64]" = field(repr=False)


def told_of(target: Target, at: "NDArray[np.int64]", guesses: "NDArray[np.int64]", way: Way) -> Told | None:
    """Return what guesses tell; None where chance may explain it.

    Args:
        target: The quasi-identifier.
        at: The records that are guessed, open ones.
        guesses: Shape of ``at``, the guess of each, −1 for a value that the quasi-identifier does not have.
        way: How they were made.
    """
    weights = target.weights[at]
    is_right = guesses == target.values[at]
    right, wrong = float(weights[is_right].sum()), float(weights[~is_right].sum())
    if not right:
        return None
    if right < PRECISION * (right + wrong):
        return None  # what would be wrong without the columns need not be reckoned
    expected = float(weights @ target.unguessed(at, guesses))
    if not is_beyond_chance(right, wrong, expected):
        return None
    known = at[is_right & target.is_hidden[at]]
    told = float(target.weights[known].sum())
    return Told(way=way, right=told, precision=right / (right + wrong), known=known) if told else None


def undoing_of(target: Target, columns: tuple[str, ...], told: Told) -> Undoing:
    """Return what columns tell of a quasi-identifier, in shares and persons."""
    share = told.right / target.hidden
    weights = np.where(target.is_hidden, target.weights, 0.0)
    by_value = np.bincount(target.values, weights=weights, minlength=target.kinds)
    known_by_value = np.bincount(
        target.values[told.known], weights=weights[told.known], minlength=target.kinds
    )
    occurs = by_value > 0
    values_told = float((known_by_value[occurs] / by_value[occurs]).mean())
    known = np.zeros(len(target.values), dtype=np.bool_)
    known[told.known] = True
    return Undoing(
        columns=columns,
        qid=target.qid,
        told=min(1.0, share),
        values_told=min(1.0, values_told),
        precision=told.precision,
        persons=_persons(target, known),
        generalized=_persons(target, target.is_hidden),
        way=told.way,
        is_undone=is_undone(told.way, share, values_told),
        known=known,
    )


def _persons(target: Target, chosen: "NDArray[np.bool_]") -> int:
    if not target.has_entity or target.persons is None:
        return int(chosen.sum())
    return len(np.unique(target.persons[chosen]))

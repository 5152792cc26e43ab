"""What somebody who knows a person's original quasi-identifiers knows of the other published columns."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.neighbors import in_order
from qidguard.undoing.tally import tally_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST_GAIN = 0.9
"""The gain from which a reading is known, and the precision and recall from which one of its values is."""

FEWEST_OTHERS = 3
"""Others that a value has at least to say anything of it."""

FEWEST_RECORDS = 28
"""Records over which anything is measured at least."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """A reading that is known to whoever knows original values.

    Args:
        gain: What knowing them gains over guessing the commonest value, ≤ 1.
        precision: The share of the guesses of what is known that are right, 0..1.
        values: The codes of the reading that are known; None for all.
    """

    gain: float
    precision: float
    values: "NDArray[np.int64] | None" = field(default=None, repr=False)

    def holds(self, codes: "NDArray[np.int64]") -> "NDArray[np.bool_]":
        """Return of which records what is read is known."""
        return codes > 0 if self.values is None else np.isin(codes, self.values)

    def joined(self, codes: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return what is known of each record as a code: 1 for any other value, 0 where nothing is read."""
        return np.where(codes == 0, 0, np.where(self.holds(codes), codes + 1, 1))


def known_by_values(qid: "NDArray[np.int64]", reading: "NDArray[np.int64]") -> Known | None:
    """Return whether records of the same original value tell a reading, by all others; None is not.

        gain = (share guessed right − share of the commonest value) / (1 − share of the commonest value)

    Args:
        qid: Shape (records,), an original value, or several together; 0 is missing, which nobody knows.
        reading: Shape (records,), what is read, 0 for nothing.
    """
    at = np.flatnonzero((qid > 0) & (reading > 0))
    tally = tally_of(qid[at], reading[at])
    asked = tally.others >= FEWEST_OTHERS
    return _known(reading[at][asked], tally.guess[asked], (tally.votes > tally.next)[asked])


def known_by_order(ranks: "NDArray[np.int64]", reading: "NDArray[np.int64]") -> Known | None:
    """Return whether a neighbor in the order of original values tells a reading, where these hardly repeat.

    So are a band of an income and an age beside a date of birth. Of the two neighbors the better one counts,
    since one of them may lie beyond a border, and so for the commonest value.
    """
    at = np.flatnonzero((ranks > 0) & (reading > 0))
    values = reading[at[in_order(ranks[at], np.random.default_rng(0))]]
    if len(values) < FEWEST_RECORDS:
        return None
    is_same = values[1:] == values[:-1]
    share = float((np.append(is_same, False) | np.append(False, is_same)).mean())
    commonest = float(np.bincount(values).max() / len(values))
    by_chance = 1 - (1 - commonest) ** 2
    gain = (share - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0
    return Known(gain=gain, precision=share) if gain >= LEAST_GAIN else None


def _known(
    values: "NDArray[np.int64]", guess: "NDArray[np.int64]", is_said: "NDArray[np.bool_]"
) -> Known | None:
    held = np.bincount(values)
    if len(values) < FEWEST_RECORDS or np.count_nonzero(held) < 2:  # noqa: PLR2004 - one value is no reading
        return None
    commonest = held.max() / len(values)
    is_right = is_said & (guess == values)
    gain = float((is_right.mean() - commonest) / (1 - commonest))
    if gain >= LEAST_GAIN:
        return Known(gain=gain, precision=float(is_right.sum() / is_said.sum()))
    guessed = np.bincount(guess[is_said], minlength=len(held))
    right = np.bincount(values[is_right], minlength=len(held))
    is_known = (held >= FEWEST_RECORDS) & (right >= LEAST_GAIN * held) & (right >= LEAST_GAIN * guessed)
    is_known[held.argmax()] = False
    if not is_known.any():
        return None
    precision = float(right[is_known].sum() / guessed[is_known].sum())
    return Known(gain=gain, precision=precision, values=np.flatnonzero(is_known))

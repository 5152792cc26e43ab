"""What is known to whoever knows original values: tried on some records, confirmed on all."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Leak
from qidguard_checks.undoing.reading import RecordReading, Scale
from qidguard_checks.undoing.searched import SearchedQid
from qidguard_checks.undoing.tally import dense, in_order, tally_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int64]

LEAST_GAIN = 0.9
"""The gain from which a reading is known, and the precision and recall from which one of its values is."""

FEWEST_OTHERS = 3
"""Others that a value has at least to say anything of it."""

FEWEST_RECORDS = 28
"""Records over which anything is measured at least."""

OF_TWO = 3_000
"""Records on which readings are tried beside two quasi-identifiers."""

MOST_MISSING = 0.1
"""Share of the records without a reading up to which it joins the QIDs; beyond, candidates are counted."""


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
    values: "Codes | None" = field(default=None, repr=False)

    def holds(self, codes: "Codes") -> "NDArray[np.bool_]":
        """Return of which records what is read is known."""
        return codes > 0 if self.values is None else np.isin(codes, self.values)

    def joined(self, codes: "Codes") -> "Codes":
        """Return what is known of each record as a code: 1 for any other value, 0 where nothing is read."""
        return np.where(codes == 0, 0, np.where(self.holds(codes), codes + 1, 1))


def known_by_values(qid: "Codes", reading: "Codes") -> Known | None:
    """Return whether records of the same original value tell a reading, by all others; None is not.

        gain = (share guessed right − share of the commonest value) / (1 − share of the commonest value)

    Args:
        qid: Shape (records,), an original value, or several together; 0 is missing, which nobody knows.
        reading: Shape (records,), what is read, 0 for nothing.
    """
    at = np.flatnonzero((qid > 0) & (reading > 0))
    tally = tally_of(qid[at], reading[at])
    asked = tally.others >= FEWEST_OTHERS
    values, guess, is_said = reading[at][asked], tally.guess[asked], (tally.votes > tally.next)[asked]
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


def known_by_order(ranks: "Codes", reading: "Codes") -> Known | None:
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
    by_chance = 1 - (1 - float(np.bincount(values).max() / len(values))) ** 2
    gain = (share - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0
    return Known(gain=gain, precision=share) if gain >= LEAST_GAIN else None


def known_in(
    searched: SearchedQid, readings: Iterable[RecordReading], taken: Iterable[str] = ()
) -> Iterator[Leak]:
    """Yield what is known to whoever knows the original value, of columns that are not taken."""
    found: dict[tuple[str, ...], list[tuple[RecordReading, Known]]] = {}
    for reading in readings:
        part, most = reading.part, len(reading.codes)
        if not reading.is_repeating or not {*part.columns}.isdisjoint(taken):
            continue
        if _known(searched, reading.codes, partial(searched.tables.original, most=most)):
            known = _in_all(searched, reading)
            if known:
                found.setdefault(part.columns, []).append(known)
        elif not part.words and searched.is_changed:
            yield from _known_beside(searched, reading)
    for columns, several in found.items():
        yield from _joining(searched, columns, several)


def _known(
    searched: SearchedQid, codes: "Codes", original: Callable[[str], Scale], beside: str | None = None
) -> Known | None:
    """Return whether a reading is known over some records."""
    qid = original(searched.qid).codes
    if not searched.is_changed:  # what determines it and is finer is another value of the same thing
        known = known_by_values(codes, qid)
        return known if known is not None and known.values is None else None
    if beside is not None:
        other = original(beside).codes
        qid = np.where((qid > 0) & (other > 0), qid * (int(other.max(initial=0)) + 1) + other, 0)
    qid = dense(qid)[0] + int(qid.min(initial=1) > 0)
    repeats = np.bincount(qid)[qid] > FEWEST_OTHERS
    is_repeating = beside is not None or 2 * repeats.sum() >= len(qid)
    return known_by_values(qid, codes) if is_repeating else known_by_order(qid, codes)


def _in_all(
    searched: SearchedQid, some: RecordReading, beside: str | None = None
) -> tuple[RecordReading, Known] | None:
    """Return what is read in all records, if it is known over all persons."""
    at, every = searched.some().places, searched.tables.reading(some.part)
    known = _known(searched, every.codes[at], lambda qid: searched.tables.original(qid).at(at), beside)
    return None if known is None else (every, known)


def _known_beside(searched: SearchedQid, reading: RecordReading) -> Iterator[Leak]:
    """Yield what is known to whoever knows the original values of two QIDs, and of no single one."""
    tables, qids = searched.tables, searched.task.qids
    some, place = tables.reading(reading.part, OF_TWO), qids.index(searched.qid)
    for at, other in enumerate(qids):
        # of two that were generalized the first one asks
        if at == place or (at < place and tables.is_generalized(other)):
            continue
        known = _known(searched, some.codes, partial(tables.original, most=OF_TWO), other)
        alone = None if known is None else known_by_values(tables.original(other, OF_TWO).codes, some.codes)
        if known is None or known.values is not None or (alone is not None and alone.values is None):
            continue
        in_all = _in_all(searched, reading, other)
        if in_all is not None and in_all[1].values is None:
            yield from _joining(searched, reading.part.columns, [in_all], other)
            return


def _joining(
    searched: SearchedQid,
    columns: tuple[str, ...],
    several: Sequence[tuple[RecordReading, Known]],
    beside: str | None = None,
) -> Iterator[Leak]:
    """Yield what is known of columns, if it parts any published value; all readings of them together."""
    tables = searched.tables
    joined = np.zeros(len(several[0][0].codes), dtype=np.int64)
    holds = joined > 0
    for reading, known in several:
        own = known.joined(reading.codes)
        holds |= known.holds(reading.codes)
        joined = np.where((joined > 0) | (own > 0), 1 + joined * (int(own.max()) + 1) + own, 0)
        joined = dense(joined)[0] + int(bool((joined > 0).all()))
    published = tables.scale(searched.qid).column.codes.astype(np.int64)
    if dense(published * (int(joined.max()) + 1) + joined)[1] == dense(published)[1]:
        return
    first, best = max(several, key=lambda one: (one[1].values is None, one[0].size))
    is_asked = tables.is_changed(searched.qid) | (not searched.is_changed)
    is_read = joined > 0
    if not is_read.all():  # of the others it is what the others of the same original value show
        original = tables.original(searched.qid).codes
        expected = np.full(int(original.max(initial=0)) + 1, int(joined.max()) + 1)
        expected[original[is_read]] = tally_of(original[is_read], joined[is_read]).guess
        joined = np.where(is_read, joined, expected[original])
    yield Leak(
        columns=columns,
        qid=searched.qid,
        part=first.part.words,
        beside=beside,
        is_finer=not searched.is_changed,
        told=min(1.0, max(0.0, best.gain)),
        precision=best.precision,
        persons=tables.count(is_asked & holds),
        generalized=tables.count(is_asked),
        # whoever of nobody knows whether they have a value stays possible for all of them
        is_undone=bool(is_read[is_asked].mean() >= 1 - MOST_MISSING),
        known=is_read,
        joined=joined,
    )

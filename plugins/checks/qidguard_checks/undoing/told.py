"""The search for what published columns tell of original values: tried on some records, confirmed on all."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Leak, Unexamined
from qidguard_checks.undoing.reading import Part, RecordReading, plain, together, whole
from qidguard_checks.undoing.searched import SearchedQid, not_tried
from qidguard_checks.undoing.tables import PRECISION, Target
from qidguard_checks.undoing.tally import dense, in_order, on_both_sides, tally_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int64]


MOST_WRONG = 0.2
"""What is wrong must stay below this share of what would be wrong without the columns."""

MOST_CHANCE = 1e-6
"""The probability of so few wrong by chance."""

FEWEST_TOLD = 14
"""Persons told from which chance may be ruled out: e^−14 is just below that probability."""

SUPPORTS = (1, 2, 4, 8, 19, 49)
"""How many others a group must have at least, and how many neighbors must agree on each side: the first of
these that chance cannot explain tells most."""

BROAD = 50
"""Mean records of a published value from which groups within it tell no less than across all."""

HOLDS = 0.9
"""The share of the records that are tried for which arithmetic must hold to be looked at in all."""

_TRIED, _FEWEST = 1_000, 3
"""Records on which a relation is looked for, and the fewest for which it holds."""

_TOLERANCE = 2e-6
"""How far a reckoned number may lie from the original one, as a share of it: six digits agree."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """Guesses that are too often right for chance.

    Args:
        share: T, the share of the persons whose value is hidden of whom it is told and right, 0..1.
        precision: The share of the guesses that are right, 0..1.
        known: Which of the records are hidden and told right.
    """

    share: float
    precision: float
    known: "Codes" = field(repr=False)


def told_of(target: Target, at: "Codes", guesses: "Codes", tries: int = 1) -> Told | None:
    """Return what guesses tell; None where chance may explain it.

    Args:
        target: The quasi-identifier.
        at: The records that are guessed, open ones.
        guesses: Shape of ``at``, the guess of each.
        tries: How many such guesses were tried, of which one may look right by chance.
    """
    is_right = guesses == target.values[at]
    right, wrong = int(is_right.sum()), int((~is_right).sum())
    if right < FEWEST_TOLD or right < PRECISION * (right + wrong):
        return None  # what would be wrong without the columns need not be reckoned
    if not is_beyond_chance(wrong, float(target.unguessed(at, guesses).sum()), tries):
        return None
    known = at[is_right & target.is_hidden[at]]
    precision = right / (right + wrong)
    return Told(share=len(known) / target.hidden, precision=precision, known=known) if len(known) else None


def is_beyond_chance(wrong: int, expected: float, tries: int = 1) -> bool:
    """Return whether so few are wrong that chance does not explain it.

    Args:
        wrong: Persons told and wrong.
        expected: How many of the same guesses would be wrong by what is published of the QIDs alone.
        tries: How many such guesses were tried.
    """
    return wrong <= MOST_WRONG * expected and poisson_at_most(wrong, expected) * tries <= MOST_CHANCE


def poisson_at_most(count: int, mean: float) -> float:
    """Return P(N ≤ count) of a Poisson variable.

    Example:
        >>> round(poisson_at_most(1, 2.0), 4)
        0.406
    """
    if mean <= 0:
        return 1.0
    if count < mean:
        # Chernoff's bound is enough where it is far below every limit, and costs nothing for large counts
        bound = -mean + count + (count * math.log(mean / count) if count else 0.0)
        if bound < -40:  # noqa: PLR2004 - e^−40 is far below any limit in use
            return math.exp(bound)
    terms = (k * math.log(mean) - mean - math.lgamma(k + 1) for k in range(count + 1))
    return min(1.0, math.fsum(math.exp(term) for term in terms))


def told_by_values(target: Target, codes: "Codes", tries: int = 1) -> Told | None:
    """Return what records of the same codes tell, beside the published value or alone; None is nothing.

    ``tries`` is how many columns, or pairs of them, were tried.
    """
    groupings = [target.published * (int(codes.max(initial=0)) + 1) + codes]
    if int(target.published.max(initial=0)) * BROAD > len(codes):
        groupings.append(codes)
    found = []
    for groups in groupings:
        tally = tally_of(groups, target.values)
        sure = np.flatnonzero(target.is_open & (tally.others > 0) & (tally.certainty >= PRECISION))
        found.append(_by_support(target, sure, tally.guess[sure], tally.others[sure], tries))
    return _most(found)


def _most(found: "Iterable[Told | None]") -> Told | None:
    """Return what tells most; None where nothing tells anything."""
    return max(filter(None, found), key=lambda told: told.share, default=None)


def _by_support(
    target: Target, at: "Codes", guesses: "Codes", support: "Codes", tries: int = 1
) -> Told | None:
    """Return what is told with the least support that chance cannot explain: with more of it less is told."""
    for least in SUPPORTS:
        is_enough = support >= least
        if least > 1 and is_enough.all():
            continue  # the same records were tried
        if np.count_nonzero(is_enough) < FEWEST_TOLD:
            return None
        if told := told_of(target, at[is_enough], guesses[is_enough], tries):
            return told
    return None


def told_by_order(target: Target, ranks: "Codes", generator: np.random.Generator) -> Told | None:
    """Return what neighbors on both sides tell; None is nothing.

    Args:
        target: The quasi-identifier.
        ranks: Shape (records,), the place of each record's value in the column's order, ≥ 0.
        generator: Shuffles the records of one value.
    """
    ordered = in_order(ranks, generator)
    guess, width = on_both_sides(target.values[ordered])
    said = np.flatnonzero(target.is_open[ordered] & (width > 0))
    return _by_support(target, ordered[said], guess[said], width[said])


def told_by_relation(target: Target, reading: RecordReading, generator: np.random.Generator) -> Told | None:
    """Return what a reading tells by being the original value, or by a line aX + b; None is nothing."""
    at = np.flatnonzero(target.is_open & (reading.codes > 0))
    said = (guess[reading.codes[at]] for guess in _relations(target, reading, at, generator))
    return _most(told_of(target, at[guesses >= 0], guesses[guesses >= 0]) for guesses in said)


def _relations(
    target: Target, reading: RecordReading, at: "Codes", generator: np.random.Generator
) -> Iterator["Codes"]:
    """Yield what each code of a reading would be as an original value, −1 for none."""
    if not len(at):
        return
    tried = generator.choice(at, min(_TRIED, len(at)), replace=False, shuffle=False)
    qid, asked, given = target.original, target.values[tried], reading.codes[tried]
    if reading.texts is not None:
        place = {text: code for code, text in enumerate(qid.plain_texts) if text is not None}
        said = [place.get(plain(reading.texts[code] or ""), -1) for code in given.tolist()]
        if _holds(np.array(said), asked):
            texts = [-1 if text is None else place.get(plain(text), -1) for text in reading.texts]
            yield np.array(texts, dtype=np.int64)
    if reading.numbers is None or qid.numbers is None:
        return
    x, y = reading.numbers[given], qid.numbers[asked]
    is_number = ~(np.isnan(x) | np.isnan(y))
    for slope, shift in _lines(x[is_number], y[is_number]):
        guess = code_of_numbers(qid.numbers, slope * reading.numbers + shift)
        if _holds(guess[given], asked):
            yield guess


def _holds(said: "Codes", asked: "Codes") -> bool:
    return int((said == asked).sum()) >= max(HOLDS * int((said >= 0).sum()), _FEWEST)


def _lines(x: "NDArray[np.float64]", y: "NDArray[np.float64]") -> Iterator[tuple[float, float]]:
    yield 1.0, 0.0
    if len(x) < 3 or x.min() == x.max():  # noqa: PLR2004 - a line through two points always holds
        return
    yield 1.0, float(np.median(y - x))
    order = np.argsort(x, kind="stable")
    half = len(x) // 2
    low, high = order[:half], order[-half:]
    run = x[high] - x[low]
    rises = (y[high] - y[low])[run > 0] / run[run > 0]
    if len(rises):
        rest = y - float(np.median(rises)) * x
        # the middle slope of noisy points lies near the line; least squares over those near it gives the line
        near = np.abs(rest - np.median(rest)) <= np.quantile(np.abs(rest - np.median(rest)), HOLDS)
        if np.count_nonzero(near) < _FEWEST:  # numbers so large that they have no differences
            return
        middle = float(x[near].mean())
        x, y = x[near] - middle, y[near]
        slope = float((x * y).sum() / (x**2).sum()) if x.any() else 0.0
        if np.isfinite(slope) and slope:
            yield slope, float(y.mean() - slope * middle)


def code_of_numbers(own: "NDArray[np.float64]", numbers: "NDArray[np.float64]") -> "Codes":
    """Return the code of an original value for each number, −1 for none; whole ones are met by rounding."""
    order = np.argsort(own, kind="stable")
    order = order[~np.isnan(own[order])]
    ordered = own[order]
    if not len(ordered):
        return np.full(len(numbers), -1, dtype=np.int64)
    right = np.minimum(np.maximum(np.searchsorted(ordered, numbers), 1), len(ordered) - 1)
    left = np.maximum(right - 1, 0)
    is_whole = bool(np.all(ordered == np.rint(ordered)))
    with np.errstate(invalid="ignore"):
        near = np.where(np.abs(ordered[left] - numbers) <= np.abs(ordered[right] - numbers), left, right)
        limit = 0.5 if is_whole else np.maximum(np.abs(ordered[near]) * _TOLERANCE, 1e-9)
        return np.where(np.abs(ordered[near] - numbers) <= limit, order[near], -1)


OF_PAIRS = 3_000
"""Records on which pairs of columns are tried."""

MOST_COLUMNS = 60
"""Columns of which pairs are tried, those of the most values that repeat first; others are said."""

GAIN = 0.1
"""What a pair must tell beyond its better column alone, and beyond a shuffled partner."""

SLACK = 0.8
"""The share of what is told in all that must be told in a sample, where groups are met less often."""

MOST_DISTINCT = 0.999
"""Values a record from which a column does not repeat any."""

RARE, REPEATED = 50, 200
"""Records a value from which arithmetic, and the order, tell no more than values do."""


UNDONE_TOLD = 0.9
"""The share of persons told from which a generalization counts as undone, whatever the values are."""

UNDONE_HALF, UNDONE_VALUES = 0.5, 0.75
"""The shares of persons and of values told that undo a generalization together."""

NOTED_TOLD = 0.1
"""The share of persons told below which nothing is said, unless candidates are counted."""


@dataclass(frozen=True)
class ToldSearch:
    """What published columns tell of a quasi-identifier.

    Args:
        searched: The quasi-identifier.
    """

    searched: SearchedQid

    def found(self, readings: Iterable[RecordReading]) -> Iterator[Leak]:
        """Yield what readings tell, of each column or pair the strongest that undoes, or else the notes."""
        tried = sorted(((*self._in_sample(r), r) for r in readings), key=lambda one: -one[0])
        undone: set[tuple[str, ...]] = set()
        for place, (share, ways, reading) in enumerate(tried):
            if not ways or self._is_enough(share, place) or reading.part.columns in undone:
                continue
            target, every = self.searched.some(), self.searched.tables.reading(reading.part)
            every = replace(every, codes=every.codes[target.places])
            told = next((told for way in ways if (told := way(target, every))), None)
            for leak in self._leak(reading.part, told):
                yield leak
                if leak.is_undone:
                    undone.add(leak.columns)

    def _is_enough(self, share: float, place: int) -> bool:
        """Return whether what tells so much at a place is left to those before it, which tell more."""
        most = self.searched.task.most_notes
        return share < SLACK * UNDONE_HALF and most is not None and place >= most

    @property
    def _floor(self) -> float:
        """The share of persons that must be told to be said."""
        return 0.0 if self.searched.task.most_notes is None else NOTED_TOLD

    def _in_sample(self, reading: RecordReading) -> "tuple[float, list[Way]]":
        """Return the share that a reading tells in its records, and in which ways, the best first."""
        target = self.searched.some(len(reading.codes))
        # of values that are rare few are met twice, so that few are told
        met = float((np.bincount(reading.codes)[reading.codes] > 1).mean()) if len(reading.codes) else 0.0
        told = [(way(target, reading), way) for way in self._ways(reading)]
        found = [(one.share, way) for one, way in told if one and one.share > SLACK * self._floor * met]
        found.sort(key=lambda one: -one[0])
        return (found[0][0] if found else 0.0), [way for _, way in found]

    def _ways(self, reading: RecordReading) -> "Iterator[Way]":
        """Yield how a reading may tell: by its values, by its order, by being the original value."""
        records, distinct, generator = len(reading.codes), dense(reading.codes)[1], self.searched.generator
        if 1 < distinct <= MOST_DISTINCT * records:
            yield lambda target, own: told_by_values(target, own.codes)
        if distinct * REPEATED > records:
            yield lambda target, own: told_by_order(target, own.ranks, generator)
        if distinct * RARE > records:
            yield lambda target, own: told_by_relation(target, own, generator)

    def _leak(self, part: Part, told: Told | None) -> Iterator[Leak]:
        """Yield what is told as it is said, if it is enough to be said."""
        target, tables = self.searched.some(), self.searched.tables
        if told is None or told.share < self._floor:
            return
        by_value = np.bincount(target.values[target.is_hidden], minlength=target.kinds)
        right = np.bincount(target.values[told.known], minlength=target.kinds)
        values_told = float((right[by_value > 0] / by_value[by_value > 0]).mean())
        # whoever is told is told of all their records that show the same
        changed, everyone = tables.is_changed(self.searched.qid), tables.everyone
        known, hidden = (
            changed & (np.bincount(everyone[target.places[some]], minlength=everyone.max() + 1) > 0)[everyone]
            for some in (told.known, target.is_hidden)
        )
        is_half_undone = told.share >= UNDONE_HALF and values_told >= UNDONE_VALUES
        yield Leak(
            columns=part.columns,
            qid=self.searched.qid,
            part=part.words,
            told=told.share,
            precision=told.precision,
            persons=tables.count(known),
            generalized=tables.count(hidden),
            is_undone=told.share >= UNDONE_TOLD or is_half_undone,
            known=known,
        )

    @cached_property
    def partners(self) -> list[RecordReading]:
        """The columns of which pairs are tried, other quasi-identifiers as published among them."""
        others = (name for name in self.searched.task.published if name != self.searched.qid)
        readings = (self.searched.tables.reading(whole(name), OF_PAIRS) for name in others)
        return sorted((reading for reading in readings if reading.is_repeating), key=lambda r: -r.size)

    def left_out(self) -> Iterator[Unexamined]:
        """Yield the columns of which pairs are not tried."""
        names = [reading.part.columns[0] for reading in self.partners]
        yield from not_tried(self.searched, names, MOST_COLUMNS, "together with another column")

    def pairs(self, taken: set[str], shares: dict[str, float]) -> Iterator[Leak]:
        """Yield pairs of columns that tell more than either alone, and than beside a shuffled partner."""
        target, task = self.searched.some(OF_PAIRS), self.searched.task
        shuffle = self.searched.generator.permutation
        some = [r for r in self.partners[:MOST_COLUMNS] if r.part.columns[0] not in taken]
        tries = max(1, len(some) * (len(some) - 1) // 2)
        alone = {r.part.columns[0]: _share(target, r.codes) for r in some}
        found: list[tuple[float, str, str]] = []
        for one, other in combinations(some, 2):
            pair = (one.part.columns[0], other.part.columns[0])
            if {*pair} <= {*task.qids}:
                continue
            told = _share(target, one.codes * other.size + other.codes)
            if told >= max(NOTED_TOLD, GAIN + max(alone[name] for name in pair)) and told >= GAIN + max(
                _share(target, one.codes * other.size + shuffle(other.codes)),
                _share(target, shuffle(one.codes) * other.size + other.codes),
            ):
                first, second = sorted(pair, key=task.published.index)
                found.append((told, first, second))
        found.sort(key=lambda one: -one[0])
        for place, (share, first, second) in enumerate(found):
            if self._is_enough(share, place):
                return
            part, every = together(first, second), self.searched.some()
            codes = self.searched.tables.reading(part).codes[every.places]
            for leak in self._leak(part, told_by_values(every, codes, tries)):
                if leak.told >= max(shares.get(first, 0.0), shares.get(second, 0.0)):
                    yield leak


def _share(target: Target, codes: "Codes") -> float:
    """Return T of groups; 0 where they hardly repeat."""
    told = told_by_values(target, codes) if dense(codes)[1] * 2 <= len(codes) else None
    return told.share if told else 0.0


Way = Callable[[Target, RecordReading], Told | None]
"""How a reading may tell."""

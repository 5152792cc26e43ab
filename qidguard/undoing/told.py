"""What published columns tell of a quasi-identifier's original values, where chance cannot explain it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.neighbors import in_order, on_both_sides
from qidguard.undoing.scale import plain
from qidguard.undoing.tally import tally_of
from qidguard.undoing.target import PRECISION, Target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.undoing.reading import Reading

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
    known: "NDArray[np.int64]" = field(repr=False)


def told_of(
    target: Target, at: "NDArray[np.int64]", guesses: "NDArray[np.int64]", tries: int = 1
) -> Told | None:
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


def told_by_values(target: Target, codes: "NDArray[np.int64]", tries: int = 1) -> Told | None:
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
        told = _by_support(target, sure, tally.guess[sure], tally.others[sure], tries)
        found += [told] if told else []
    return max(found, key=lambda told: told.share, default=None)


def _by_support(
    target: Target,
    at: "NDArray[np.int64]",
    guesses: "NDArray[np.int64]",
    support: "NDArray[np.int64]",
    tries: int = 1,
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


def told_by_order(target: Target, ranks: "NDArray[np.int64]", generator: np.random.Generator) -> Told | None:
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


def told_by_relation(target: Target, reading: "Reading", generator: np.random.Generator) -> Told | None:
    """Return what a reading tells by being the original value, or by a line aX + b; None is nothing."""
    at = np.flatnonzero(target.is_open & (reading.codes > 0))
    found = []
    for guess in _relations(target, reading, at, generator):
        guesses = guess[reading.codes[at]]
        found.append(told_of(target, at[guesses >= 0], guesses[guesses >= 0]))
    return max((told for told in found if told), key=lambda told: told.share, default=None)


def _relations(
    target: Target, reading: "Reading", at: "NDArray[np.int64]", generator: np.random.Generator
) -> Iterator["NDArray[np.int64]"]:
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


def _holds(said: "NDArray[np.int64]", asked: "NDArray[np.int64]") -> bool:
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


def code_of_numbers(own: "NDArray[np.float64]", numbers: "NDArray[np.float64]") -> "NDArray[np.int64]":
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

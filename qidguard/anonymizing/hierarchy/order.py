"""Hierarchies of grades: neighbors in their order are merged first."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from qidguard.anonymizing.hierarchy.assembling import Level, labeled_level
from qidguard.anonymizing.hierarchy.frequent import LONGEST_SET, MOST_MEMBERS
from qidguard.anonymizing.hierarchy.known_orders import KNOWN_ORDERS, MONTHS, WEEKDAYS
from qidguard.anonymizing.hierarchy.written_bands import written_bands
from qidguard.core.hierarchy import interval_text, set_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PUNCTUATION = re.compile(r"[\s_./()'’-]+")
_APART = {
    "?",
    "*",
    "",
    "-",
    "unknown",
    "n a",
    "na",
    "nan",
    "other",
    "missing",
    "not available",
    "refused",
    "null",
}
"""What stands among grades and is none; it stays apart."""

_SATURDAY = 5
_FEWEST = 3
"""Grades from which on there is something to merge."""

_GRADE = re.compile(r"([A-F])([+-]?)", re.IGNORECASE)
_NUMBERED = re.compile(r"\D{0,3}(\d+(?:\.\d+)?)(?!\d).*", re.DOTALL)


def known_order(texts: Sequence[str], largest_set: int = MOST_MEMBERS) -> tuple[list[Level], str] | None:
    """Return the levels of values whose order everybody knows; None for others.

    Example:
        >>> levels, origin = known_order(["high", "low", "medium", "very low"])
        >>> levels[0].labels, origin
        (('{medium, high}', '{very low, low}'), 'neighbors in their known order')
    """
    bands = written_bands(texts)
    if bands is not None:
        return bands
    words = [_PUNCTUATION.sub(" ", text.casefold()).strip() for text in texts]
    months = _places(words, MONTHS)
    if months is not None:
        cuts = [[month // 3 for month in months], [month // 6 for month in months]]
        return _levels(texts, months, cuts, largest_set), "quarters and halves"
    days = _places(words, WEEKDAYS)
    if days is not None:
        weekend = [int(day >= _SATURDAY) for day in days]
        return _levels(texts, days, [weekend], largest_set), "days of the week and weekend"
    for order in KNOWN_ORDERS:
        places = _places(words, order)
        if places is not None:
            return neighbors(texts, places, largest_set), "neighbors in their known order"
    return None


def stated_order(texts: Sequence[str], largest_set: int = MOST_MEMBERS) -> tuple[list[Level], str] | None:
    """Return the levels of values that somebody knows to be grades: by a number in each, or by letters.

    Example:
        >>> stated_order(["2 - fair", "1 - good", "3 - poor"])[0][0].labels
        ('{1 - good, 2 - fair}', '3 - poor')
    """
    grades = [_GRADE.fullmatch(text.strip()) for text in texts]
    if all(grades) and len(texts) >= _FEWEST:
        keys = [
            (match[1].upper(), "+-".find(match[2]) if match[2] == "+" else len(match[2]))
            for match in grades
            if match
        ]
        return neighbors(texts, _ranks(keys), largest_set), "neighbors in the order of their letters"
    found = [_NUMBERED.fullmatch(text.strip()) for text in texts]
    numbers = [float(match[1]) for match in found if match]
    if len(numbers) < max(_FEWEST, len(texts)) or len(set(numbers)) < len(numbers):
        return None
    return neighbors(texts, _ranks(numbers), largest_set), "neighbors in the order of their numbers"


def _ranks(keys: Sequence[object]) -> list[int]:
    place = {key: rank for rank, key in enumerate(sorted(set(keys)))}  # type: ignore[type-var] # of one kind each
    return [place[key] for key in keys]


def _places(words: Sequence[str], order: Sequence[str]) -> list[int] | None:
    """Return the place of each word, −1 of what stands apart; None where a word is none of the order."""
    place = {word: at for at, known in enumerate(order) for word in known.split("|")}
    places = [place.get(word, -1 if word in _APART else None) for word in words]
    known = [at for at in places if at is not None and at >= 0]
    if None in places or len(set(known)) < _FEWEST or len(set(known)) < len(known):
        return None
    return [at for at in places if at is not None]


def neighbors(texts: Sequence[str], places: Sequence[int], largest_set: int = MOST_MEMBERS) -> list[Level]:
    """Return levels on which two neighbors are one, then four, …; a place below 0 stays apart."""
    order = sorted({place for place in places if place >= 0})
    rank = {place: at for at, place in enumerate(order)}
    cuts = []
    size = 2
    while size < len(order):
        cuts.append([rank[place] // size if place >= 0 else -1 for place in places])
        size *= 2
    return _levels(texts, places, cuts, largest_set)


def _levels(
    texts: Sequence[str], places: Sequence[int], cuts: Sequence[Sequence[int]], largest_set: int
) -> list[Level]:
    levels = []
    taken = set(texts)
    before = len(texts)
    for cut in cuts:
        members: dict[int, list[int]] = {}
        for code, (place, group) in enumerate(zip(places, cut, strict=True)):
            members.setdefault(group if place >= 0 else -1 - code, []).append(code)
        if not 1 < len(members) < before:
            continue
        before = len(members)
        labels = [""] * len(texts)
        for codes in members.values():
            ordered = [texts[code] for code in sorted(codes, key=lambda code: places[code])]
            label = _label(ordered, taken, largest_set)
            for code in codes:
                labels[code] = label
        levels.append(labeled_level(labels))
    return levels


def _label(ordered: Sequence[str], taken: set[str], largest_set: int) -> str:
    label = set_text(ordered) if len(ordered) <= largest_set else ""
    if not label or len(label) > LONGEST_SET or (len(ordered) > 1 and label in taken):
        label = f"{ordered[0]} to {ordered[-1]}"
        while label in taken:
            label += "'"
    return label


def number_neighbors(numbers: "NDArray[np.float64]", texts: Sequence[str]) -> list[Level]:
    """Return levels of grades that are numbers, cut after as many values; the rest stays apart.

    Example:
        >>> import numpy as np
        >>> number_neighbors(np.array([1.0, 2.0, 3.0, 4.0]), ["1", "2", "3", "4"])[0].labels
        ('[1, 2]', '[3, 4]')
    """
    import numpy as np

    finite = np.flatnonzero(np.isfinite(numbers))
    ordered = finite[np.argsort(numbers[finite], kind="stable")]
    levels = []
    size = 2
    while size < len(ordered):
        labels = list(texts)
        for start in range(0, len(ordered), size):
            codes = ordered[start : start + size].tolist()
            label = interval_text(texts[codes[0]], texts[codes[-1]])
            for code in codes:
                labels[code] = label
        levels.append(labeled_level(labels))
        size *= 2
    return levels

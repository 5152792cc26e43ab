"""Hierarchies of grades: neighbors in their order are merged first."""

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from qidguard.anonymizing.hierarchy.assembling import MOST_MEMBERS, HierarchyLevel, group_label, labeled_level
from qidguard.anonymizing.hierarchy.known_orders import KNOWN_ORDERS, MONTHS, WEEKDAYS
from qidguard.anonymizing.hierarchy.trees import doubled
from qidguard.core.hierarchy import set_text

_NUMBER = r"-?\d+(?:\.\d+)?"
_BAND = re.compile(
    rf"(?P<before>[^\d-]*)(?P<low>{_NUMBER})(?P<between>\s*(?:-|–|—|,|;|:|\.\.+|to|bis|à|a)\s*)"
    rf"(?P<high>{_NUMBER})(?P<after>\D*)"
)
_ABOVE = re.compile(
    rf"(?P<before>[^\d-]*?)(?:(?:>=|≥|>|over|above|from)\s*)?(?P<low>{_NUMBER})\s*"
    r"(?:\+|and (?:over|above|older|more)|or (?:over|above|older|more))?(?P<after>\D*?)",
    re.IGNORECASE,
)
_BELOW = re.compile(
    rf"(?:<=|≤|<|under|below|up to|less than)\s*(?P<high>{_NUMBER})\D*"
    rf"|(?P<until>{_NUMBER})\s*(?:and (?:under|below|younger|less)|or (?:under|below|younger|less))",
    re.IGNORECASE,
)
_IS_ABOVE = re.compile(r"[>≥+]|over|above|from|older|more", re.IGNORECASE)

_MOST_APART = 0.25
"""Share of the values that may be no band, such as a mark of what is missing; they stay as they are."""

_COARSER = 1.3


class Band(NamedTuple):
    """A value that is a band; an end is infinite where it is open."""

    text: str
    low: float
    high: float
    form: tuple[str, str, str] = ("", "", "")


def read_band(text: str) -> Band | None:
    """Return what a value says that is a band; None for any other.

    Example:
        >>> read_band("[0-10)")[1:3], read_band("65+")[1:3], read_band("under 18")[1:3], read_band("?")
        ((0.0, 10.0), (65.0, inf), (-inf, 18.0), None)
    """
    text = text.strip()
    found = _BAND.fullmatch(text)
    if found and float(found["low"]) <= float(found["high"]):
        form = found["before"], found["between"], found["after"]
        return Band(text, float(found["low"]), float(found["high"]), form)
    below = _BELOW.fullmatch(text)
    if below:
        return Band(text, -math.inf, float(below["high"] or below["until"]))
    above = _ABOVE.fullmatch(text)
    if above and _IS_ABOVE.search(text):
        return Band(text, float(above["low"]), math.inf)
    return None


def written_bands(texts: Sequence[str]) -> tuple[list[HierarchyLevel], str] | None:
    """Return levels on which neighboring bands are one; None where the values are no bands.

    Bands of one width become bands of twice that, four times, … cut at multiples of their width, written as
    they were. Others are merged in pairs of neighbors. What is no band stays apart.

    Example:
        >>> levels, origin = written_bands(["[0-10)", "[10-20)", "[20-30)", "[30-40)"])
        >>> levels[0].labels, origin
        (('[0-20)', '[20-40)'), 'neighboring bands: widths of 20')
    """
    read = [read_band(text) for text in texts]
    bands = sorted((band for band in read if band), key=lambda band: (band.low, band.high))
    closed = [band for band in bands if math.isfinite(band.low) and math.isfinite(band.high)]
    if len(bands) < _FEWEST or len(closed) < 2 or len(texts) - len(bands) > _MOST_APART * len(texts):  # noqa: PLR2004 - two ends
        return None
    if len({band.form for band in closed}) > 1 or _overlap(bands):
        return None
    width = _width(closed)
    if width is not None:
        labels, said = _widened(bands, closed, width)
    else:
        labels, said = _paired(bands), "neighboring bands in pairs"
    if not labels:
        return None
    taken = {text for text, band in zip(texts, read, strict=True) if band is None}
    if any(label in taken for level in labels for label in level.values()):
        return None
    return [labeled_level([level.get(text.strip(), text) for text in texts]) for level in labels], said


def _overlap(bands: Sequence[Band]) -> bool:
    return any(before.high > after.low for before, after in pairwise(bands))


def _width(closed: Sequence[Band]) -> float | None:
    """Return from one band's low end to the next one's, where it is the same everywhere."""
    steps = {after.low - before.low for before, after in pairwise(closed)}
    spans = {band.high - band.low for band in closed}
    width = min(steps)
    is_even = all(abs(step / width - round(step / width)) < 1e-9 for step in steps)  # noqa: PLR2004 - rounding
    return width if len(spans) == 1 and is_even and width >= max(spans) > 0 else None


def _widened(bands: Sequence[Band], closed: Sequence[Band], width: float) -> tuple[list[dict[str, str]], str]:
    levels: list[dict[str, str]] = []
    widths = []
    lowest = closed[0].low
    groups = len(bands)
    gap = width - (closed[0].high - lowest)
    form = closed[0].form
    wide = 2 * width
    while wide <= 2 * (closed[-1].high - lowest):
        # cut at multiples of the width where the bands are, else from the first one on
        origin = 0.0 if lowest % width == 0 else lowest
        places = [
            math.floor(((band.low if band.low > -math.inf else band.high - width / 2) - origin) / wide)
            for band in bands
        ]
        open_at = {place for place, band in zip(places, bands, strict=True) if math.isinf(band.high)}
        below_at = {place for place, band in zip(places, bands, strict=True) if math.isinf(band.low)}
        labels = {}
        for place, band in zip(places, bands, strict=True):
            low = origin + place * wide
            if places.count(place) == 1 and (math.isinf(band.high) or math.isinf(band.low)):
                labels[band.text] = band.text
            elif place in open_at:
                labels[band.text] = f">= {_plain(low)}"
            elif place in below_at:
                labels[band.text] = f"< {_plain(low + wide)}"
            else:
                labels[band.text] = f"{form[0]}{_plain(low)}{form[1]}{_plain(low + wide - gap)}{form[2]}"
        left = len(set(labels.values()))
        # a last band that reaches far beyond all values says less than it seems to
        reach = origin + (math.floor((closed[-1].low - origin) / wide) + 1) * wide - closed[-1].high
        if left > 1 and left * _COARSER <= groups and (reach <= wide / 2 + gap or len(bands) > len(closed)):
            levels.append(labels)
            widths.append(_plain(wide))
            groups = left
        wide *= 2
    return levels, f"neighboring bands: widths of {', '.join(widths)}"


def _paired(bands: Sequence[Band]) -> list[dict[str, str]]:
    levels = []
    for size in doubled(len(bands)):
        labels = {}
        for start in range(0, len(bands), size):
            members = bands[start : start + size]
            label = members[0].text if len(members) == 1 else _joined(members[0], members[-1])
            labels.update({band.text: label for band in members})
        levels.append(labels)
    return levels


def _joined(first: Band, last: Band) -> str:
    if math.isinf(first.low) or math.isinf(last.high):
        return f"{first.text} to {last.text}" if first.low == -math.inf == -last.high else _open(first, last)
    return f"{first.form[0]}{_plain(first.low)}{first.form[1]}{_plain(last.high)}{first.form[2]}"


def _open(first: Band, last: Band) -> str:
    return f">= {_plain(first.low)}" if math.isinf(last.high) else f"<= {_plain(last.high)}"


def _plain(number: float) -> str:
    number = float(f"{number:.12g}")
    return str(int(number)) if number.is_integer() else repr(number)


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
"""Bands or grades from which on there is something to merge."""

_GRADE = re.compile(r"([A-F])([+-]?)", re.IGNORECASE)
_NUMBERED = re.compile(r"\D{0,3}(\d+(?:\.\d+)?)(?!\d).*", re.DOTALL)


def known_order(
    texts: Sequence[str], largest_set: int = MOST_MEMBERS
) -> tuple[list[HierarchyLevel], str] | None:
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


def stated_order(
    texts: Sequence[str], largest_set: int = MOST_MEMBERS
) -> tuple[list[HierarchyLevel], str] | None:
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


def neighbors(
    texts: Sequence[str], places: Sequence[int], largest_set: int = MOST_MEMBERS
) -> list[HierarchyLevel]:
    """Return levels on which two neighbors are one, then four, …; a place below 0 stays apart."""
    order = sorted({place for place in places if place >= 0})
    rank = {place: at for at, place in enumerate(order)}
    cuts = [[rank[place] // size if place >= 0 else -1 for place in places] for size in doubled(len(order))]
    return _levels(texts, places, cuts, largest_set)


def _levels(
    texts: Sequence[str], places: Sequence[int], cuts: Sequence[Sequence[int]], largest_set: int
) -> list[HierarchyLevel]:
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
    others = taken if len(ordered) > 1 else taken - {label}
    name = f"{ordered[0]} to {ordered[-1]}" if len(ordered) > 1 else label
    return group_label(label, name, others)

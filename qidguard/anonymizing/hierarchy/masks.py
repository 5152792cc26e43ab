"""Hierarchies of codes and postcodes by ever shorter prefixes; the masks of one level have one width."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from qidguard.anonymizing.hierarchy.assembling import HierarchyLevel, labeled_level

_SHORTEST = 3
"""Characters of codes whose beginning says something."""

_LONGEST = 12
_CODE = re.compile(r"[A-Za-z0-9.]+")
_FAMILY = 1.15
"""A level is kept when it has this many times fewer groups than the one below it."""

_MOST_APART = 0.1
"""Share of the values that may have another form; they stay as they are."""

_USUAL = 0.6
"""Share of the codes whose length is the usual one, from which shorter numbers have lost their zeros."""


class Masks(NamedTuple):
    """Levels of prefixes, and what they are in words."""

    levels: list[HierarchyLevel]
    origin: str


def code_masks(texts: Sequence[str]) -> Masks | None:
    """Return ever shorter prefixes of codes; None where codes are too short or too long to have families.

    Codes of one length keep their places: ``101**``. Of codes of several lengths the characters that are kept
    are counted without dots, and one star stands for any rest: ``250*`` for ``250`` and ``250.01``. Numbers
    that are shorter than most have lost their leading zeros, which the prefix puts back.

    Example:
        >>> code_masks(["250", "250.01", "251", "252.1"]).levels[0].labels
        ('250*', '251*', '252*')
    """
    fits = [_CODE.fullmatch(text) is not None and len(text) <= _LONGEST for text in texts]
    if not _mostly(fits):
        return None
    codes = [text for text, is_code in zip(texts, fits, strict=True) if is_code]
    lengths = Counter(map(len, codes))
    usual, times = lengths.most_common(1)[0]
    has_dots = any("." in code for code in codes)
    if len(lengths) == 1 and not has_dots:
        return _masked(texts, fits, [_star(kept, usual) for kept in range(usual - 1, 0, -1)], "prefixes")
    if not has_dots and all(code.isdecimal() for code in codes):
        if usual != max(lengths) or times < _USUAL * len(codes):
            return None
        return _masked(
            texts,
            fits,
            [_star(kept, usual) for kept in range(usual - 1, 0, -1)],
            "prefixes; leading zeros were lost and are put back",
        )
    heads = Counter(len(code.partition(".")[0]) for code in codes)
    head = heads.most_common(1)[0][0]
    longest = max(len(code.replace(".", "")) for code in codes)
    if longest < _SHORTEST or head < 2:  # noqa: PLR2004 - a single letter has no beginning
        return None
    is_lost = any(code.partition(".")[0].isdecimal() and len(code.partition(".")[0]) < head for code in codes)
    origin = "prefixes of codes" + ("; leading zeros were lost and are put back" if is_lost else "")
    # what stands behind the dot is one family
    first = min(head, longest - 1)
    return _masked(texts, fits, [_family(kept, head) for kept in range(first, 0, -1)], origin, is_family=True)


def _star(kept: int, length: int) -> Callable[[str], str]:
    return lambda text: text.zfill(length)[:kept] + "*" * (length - kept)


def _family(kept: int, head: int) -> Callable[[str], str]:
    def masked(text: str) -> str:
        before, _, after = text.partition(".")
        bare = (before.zfill(head) if before.isdecimal() else before) + after.replace(".", "")
        return bare[:kept].ljust(kept, "*") + "*"

    return masked


class _Postcode(NamedTuple):
    """The form of a country's postcodes; the groups c, b and a are what ever coarser levels keep."""

    origin: str
    form: str
    is_padded: bool


_POSTCODES = (
    _Postcode(
        "postcodes of the United Kingdom: outward code, district, area",
        r"(?P<c>(?P<b>(?P<a>[A-Z]{1,2})\d{1,2})[A-Z]?) ?(?:\d[A-Z]{2})?",
        is_padded=False,
    ),
    _Postcode(
        "postcodes of the Netherlands by their digits",
        r"(?P<c>(?P<b>(?P<a>\d)\d)\d\d) ?(?:[A-Z]{2})?",
        is_padded=True,
    ),
    _Postcode(
        "postal codes of Canada by their prefix",
        r"(?P<c>(?P<b>(?P<a>[A-Z])\d)[A-Z]) ?(?:\d[A-Z]\d)?",
        is_padded=False,
    ),
    _Postcode(
        "ZIP codes by 5, 3 and 1 digits",
        r"(?P<c>(?P<b>(?P<a>\d)\d\d)\d\d)-?(?:\d{4})?",
        is_padded=True,
    ),
)


def postcode_masks(texts: Sequence[str]) -> Masks | None:
    """Return the levels of postcodes by country; None where values have the form of none.

    Example:
        >>> [level.labels for level in postcode_masks(["SW1A 1AA", "SW1A 2AA", "SW9 0AB", "E1 6AN"]).levels]
        [('SW1A', 'SW9', 'E1'), ('SW', 'E')]
    """
    written = [text.strip().upper() for text in texts]
    for country in _POSTCODES:
        pattern = re.compile(country.form)
        found = [pattern.fullmatch(text) for text in written]
        # outward codes alone may be anything
        if not _mostly([match is not None for match in found]) or not _has_rest(written, found):
            continue
        width = max(len(match["c"]) for match in found if match) if country.is_padded else 0
        masks = [
            [
                text if match is None else match[part].ljust(width, "*")
                for text, match in zip(texts, found, strict=True)
            ]
            for part in "cba"
        ]
        return _kept(texts, [match is not None for match in found], masks, country.origin)
    digits = [text.isdecimal() for text in written]
    return code_masks(texts) if _mostly(digits) else None


def _has_rest(texts: Sequence[str], found: Sequence["re.Match[str] | None"]) -> bool:
    pairs = [(text, match) for text, match in zip(texts, found, strict=True) if match is not None]
    return 2 * sum(len(text) > len(match["c"]) for text, match in pairs) >= len(pairs)


def _mostly(fits: Sequence[bool]) -> bool:
    return bool(fits) and sum(fits) >= (1 - _MOST_APART) * len(fits)


def _masked(
    texts: Sequence[str],
    fits: Sequence[bool],
    masks: Sequence[Callable[[str], str]],
    origin: str,
    *,
    is_family: bool = False,
) -> Masks | None:
    if len(masks) + 1 < _SHORTEST and not is_family:
        return None
    labels = [
        [mask(text) if is_code else text for text, is_code in zip(texts, fits, strict=True)] for mask in masks
    ]
    return _kept(texts, fits, labels, origin, is_family=is_family)


def _kept(
    texts: Sequence[str],
    fits: Sequence[bool],
    masks: Sequence[Sequence[str]],
    origin: str,
    *,
    is_family: bool = False,
) -> Masks | None:
    """Return those levels that merge enough, and the first of families where it merges any.

    None where no level does, or a mask is what another value says.
    """
    apart = {text for text, is_code in zip(texts, fits, strict=True) if not is_code}
    levels: list[HierarchyLevel] = []
    groups = len(texts)
    for labels in masks:
        shown = set(labels)
        if any(label in apart for label, is_code in zip(labels, fits, strict=True) if is_code):
            return None
        least = 1 if is_family and not levels else _FAMILY
        if len(shown) - len(apart) > 1 and len(shown) < groups and len(shown) * least <= groups:
            levels.append(labeled_level(labels))
            groups = len(shown)
    return Masks(levels, origin) if levels else None

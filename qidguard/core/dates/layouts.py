"""Texts by their layout: what is left of a text when each of its digits is a 9."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGEST = 48
"""Characters beyond which a text is no date."""

MOST = 4_000
"""Layouts that are looked at, those of most texts first: beyond it a column is no column of dates."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_ZERO, _NINE, _UPPER_A, _UPPER_Z, _TO_LOWER = 48, 57, 65, 90, 32


class LayoutGroup(NamedTuple):
    """The texts of one layout.

    Args:
        layout: The layout, in small letters.
        places: Shape (texts,), where they stand among all.
        characters: Shape (characters, all texts), the characters of every text.
    """

    layout: str
    places: "NDArray[np.int64]"
    characters: "NDArray[np.integer]"

    def number(self, span: tuple[int, int]) -> "NDArray[np.int64]":
        """Return the number that each text has at some of the layout's nines.

        Example:
            >>> next(groups(["31.12."])).number((3, 5)).tolist()
            [12]
        """
        number = np.zeros(len(self.places), dtype=np.int64)
        for at in range(*span):
            number *= 10
            number += self.characters[at, self.places]
            number -= _ZERO
        return number


def groups(texts: Sequence[str]) -> Iterator[LayoutGroup]:
    """Yield the texts by layout, the most frequent layout first; texts that are too long have none.

    Example:
        >>> [(group.layout, group.places.tolist()) for group in groups(["1.2.", "JAN 7", "3.4."])]
        [('9.9.', [0, 2]), ('jan 9', [1])]
    """
    if not len(texts):
        return
    characters, is_whole = _characters(texts)
    width = len(characters)
    codes = characters.copy()
    codes[(codes >= _ZERO) & (codes <= _NINE)] = _NINE
    codes[(codes >= _UPPER_A) & (codes <= _UPPER_Z)] += _TO_LOWER
    # a layout is told by a number, and what has the number by chance is taken out again
    hashed = np.zeros(len(texts), dtype=np.uint64)
    for row in codes:
        hashed *= _FACTOR
        hashed += row
    hashed[~is_whole] = 0
    numbers, first, owner, sizes = np.unique(
        hashed, return_index=True, return_inverse=True, return_counts=True
    )
    by_owner = np.argsort(owner.reshape(-1), kind="stable") if len(numbers) > 1 else np.arange(len(texts))
    ends = np.cumsum(sizes)
    for group in np.argsort(-sizes, kind="stable")[:MOST].tolist():
        if numbers[group] == 0:
            continue
        places = by_owner[ends[group] - sizes[group] : ends[group]]
        own = codes[:, first[group]]
        is_same = np.ones(len(places), dtype=np.bool_)
        for at in range(width):
            is_same &= codes[at, places] == own[at]
        layout = "".join(map(chr, own.tolist())).rstrip("\0").lower()
        yield LayoutGroup(layout, places[is_same], characters)


def _characters(texts: Sequence[str]) -> "tuple[NDArray[np.integer], NDArray[np.bool_]]":
    """Return the characters of each text, shape (characters, texts), 0 behind its end; and which fit in."""
    joined = "\0".join(texts)
    if joined.isascii() and joined.count("\0") == len(texts) - 1:
        line = np.frombuffer(joined.encode() + b"\0" * (LONGEST + 1), dtype=np.uint8)
        ends = np.flatnonzero(line[: len(joined) + 1] == 0)
        starts = np.concatenate([[0], ends[:-1] + 1])
        lengths = ends - starts
        width = int(min(lengths.max(), LONGEST))
        rows = np.empty((width, len(texts)), dtype=np.uint8)
        for at in range(width):
            np.copyto(rows[at], np.where(lengths > at, line[starts + at], 0))
        return rows, lengths <= LONGEST
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    width = max(1, int(min(lengths.max(), LONGEST)))
    wide = np.array(texts, dtype=f"U{width}").view(np.uint32).reshape(len(texts), width)
    return np.ascontiguousarray(wide.T), lengths <= LONGEST

"""Canonical sets: columns that others determine split no class, so sets with and without them are one.

A column determines another when equal values in it always meet equal values in the other: a code and its
label determine one another, a postcode its town. Each set is answered by the smallest with the same classes.
"""

from dataclasses import dataclass

import numpy as np

from qidguard.engines.classes import Ints
from qidguard.measuring.lattice.records import Records
from qidguard.measuring.masks import Masks

_LOOK = 4096
"""Rows of the first look, which refutes nearly every pair."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """What the columns say of one another.

    Args:
        stands_for: For each column the first column with the very same classes, often itself.
        determines: Pairs (a, b) of such first columns: a determines b, but not the other way round.
    """

    stands_for: tuple[int, ...]
    determines: tuple[tuple[int, int], ...]

    def masks(self, masks: Masks) -> Masks:
        """Return the canonical set of each set."""
        found = masks
        for column, first in enumerate(self.stands_for):
            if column != first:
                # the first column comes in where it is not there yet
                held = found >> column & 1
                found = (found - (held << column)) | (held << first)
        left = found
        for one, other in self.determines:
            # judged by the whole set: what a column determines that goes itself, those that stay determine
            left = left & ~(((found >> one & 1) & (found >> other & 1)) << other)
        return left


def canonical_of(records: Records) -> Canonical:
    """Return which columns determine which others; exact, found by counting pairs of values."""
    columns = range(len(records.columns))
    step = max(1, records.rows // _LOOK)
    look = [codes[::step] for codes in records.columns]
    seen = [len(np.unique(codes)) for codes in look]
    stands_for = list(columns)
    determined: set[tuple[int, int]] = set()
    for a in columns:
        for b in columns:
            if a == b or records.cardinalities[a] < records.cardinalities[b]:
                continue
            if _pairs(look[a], look[b], records.cardinalities[b]) > seen[a]:
                continue
            whole = _pairs(records.columns[a], records.columns[b], records.cardinalities[b])
            if whole == records.cardinalities[a]:
                determined.add((a, b))
    for a, b in sorted(determined):
        if (b, a) in determined:
            stands_for[max(a, b)] = min(stands_for[max(a, b)], a, b)
    strict = [
        (a, b)
        for a, b in sorted(determined)
        if (b, a) not in determined and stands_for[a] == a and stands_for[b] == b
    ]
    return Canonical(tuple(stands_for), tuple(strict))


def _pairs(left: Ints, right: Ints, cardinality: int) -> int:
    """Return the number of distinct pairs."""
    ranked = np.sort(left * cardinality + right)
    return int((ranked[1:] != ranked[:-1]).sum()) + 1 if len(ranked) else 0

"""SQI, the baseline of Omer & Mohamad 2016: quasi-identifiers by their number of distinct values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from qidguard.sdk import Records, UserError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Algorithm = Literal["selective", "decompose"]
ALGORITHMS: tuple[Algorithm, ...] = ("selective", "decompose")

MOST_NOMINATED = 10
"""Nominated attributes: 1,023 sets. Mansour et al. call more than eight impractical."""
NOMINATED = 8
"""Attributes that are nominated where nobody does."""


@dataclass(frozen=True, kw_only=True)
class CountedSet:
    """A set of attributes.

    Args:
        columns: The attributes, in the table's order.
        distinct: How many different combinations of values occur in them, ≥ 1; NULL is a value.
    """

    columns: tuple[str, ...]
    distinct: int


@dataclass(frozen=True, kw_only=True)
class SimpleQuasiIdentifier:
    """What SQI selects.

    Args:
        algorithm: ``selective`` or ``decompose``.
        nominated: The nominated attributes, in the table's order.
        sets: The sets that were counted, the largest count first; of equals the smaller set, then the one
            whose attributes come first.
        records: Number of records.
    """

    algorithm: Algorithm
    nominated: tuple[str, ...]
    sets: tuple[CountedSet, ...]
    records: int

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The selected attributes: those of the first set."""
        return self.sets[0].columns

    @property
    def tied(self) -> tuple[tuple[str, ...], ...]:
        """The other sets of the largest count."""
        most = self.sets[0].distinct
        return tuple(one.columns for one in self.sets[1:] if one.distinct == most)


def nominate(records: Records, candidates: Sequence[str], most: int = NOMINATED) -> tuple[str, ...]:
    """Return the attributes that are nominated where nobody does: those of the most distinct values.

    Nominating is a person's work in the method, and all that follows hangs on it. Of equals the first of the
    table's order is taken.
    """
    place = {name: at for at, name in enumerate(records.names)}
    counts = {name: _distinct(records.codes((name,))[:, 0]) for name in candidates}
    first = sorted(candidates, key=lambda name: (-counts[name], place[name]))[:most]
    return tuple(sorted(first, key=place.__getitem__))


def select(
    records: Records, nominated: Sequence[str] | None = None, *, algorithm: Algorithm = "decompose"
) -> SimpleQuasiIdentifier:
    """Return the quasi-identifier that SQI selects among nominated attributes.

    ``selective`` counts the distinct values of each attribute and takes the one of the most. ``decompose``
    counts the distinct combinations of each set of the power set and takes the set of the most. A set never
    has fewer combinations than a part of it, so the set of all nominated attributes always has the most: what
    ``decompose`` decides is only which attributes add no combination and can go. Whoever nominates a column
    of unique values gets that column from both. Source: Omer & Mohamad 2016, Simple and effective method for
    selecting quasi-identifier, as Mansour et al. 2021 describe it.

    Args:
        records: The records.
        nominated: The attributes, 1..10; None nominates those of the most distinct values, at most eight.
        algorithm: ``selective`` or ``decompose``.

    Returns:
        Every counted set, the selected one first: of equals the smallest, then the one whose attributes come
        first in the table.

    Units:
        Distinct combinations of values.

    Raises:
        UserError: When no attribute is nominated, more than ten, one twice, or there is no such algorithm.
        DataError: When there is no such column.

    NULL is a value. A column of one value has the count 1. Records and not persons are counted, as in the
    paper, which makes no difference for distinct values.

    Example:
        >>> from qidguard_qir.example import small
        >>> table = small(age=["31", "31", "42", "47"], sex=["f", "m", "f", "f"], site=["a"] * 4)
        >>> select(table, algorithm="selective").quasi_identifiers, select(table).quasi_identifiers
        (('age',), ('age', 'sex'))
        >>> select(table).tied
        (('age', 'sex', 'site'),)
    """
    if algorithm not in ALGORITHMS:
        raise UserError(f"SQI has the algorithms {' and '.join(ALGORITHMS)}, not {algorithm!r}")
    place = {name: at for at, name in enumerate(records.names)}
    chosen = nominate(records, records.names) if nominated is None else tuple(nominated)
    if not chosen or len(set(chosen)) < len(chosen):
        raise UserError("SQI needs nominated attributes, each once; name at least one")
    if len(chosen) > MOST_NOMINATED:
        raise UserError(
            f"SQI counts every set of the nominated attributes, and {len(chosen)} of them make"
            f" {2 ** len(chosen) - 1:,}; nominate at most {MOST_NOMINATED}"
        )
    codes = {name: records.codes((name,))[:, 0] for name in chosen}
    ordered = tuple(sorted(chosen, key=lambda name: place.get(name, len(place))))
    if algorithm == "selective":
        counted = [CountedSet(columns=(name,), distinct=_distinct(codes[name])) for name in ordered]
    else:
        counted = list(_power_set(codes, ordered))
    at = {name: i for i, name in enumerate(ordered)}
    counted.sort(key=lambda one: (-one.distinct, len(one.columns), [at[name] for name in one.columns]))
    return SimpleQuasiIdentifier(
        algorithm=algorithm, nominated=ordered, sets=tuple(counted), records=records.records
    )


def _power_set(codes: "dict[str, NDArray[np.int32]]", names: tuple[str, ...]) -> Iterator[CountedSet]:
    """Yield every set that is not empty with its count, over the distinct rows of all of them."""
    rows = np.unique(np.stack([codes[name] for name in names], axis=1), axis=0)
    column = {name: rows[:, at].astype(np.int64) for at, name in enumerate(names)}
    numbers: dict[tuple[str, ...], NDArray[np.int64]] = {(): np.zeros(len(rows), dtype=np.int64)}
    for size in range(1, len(names) + 1):
        larger: dict[tuple[str, ...], NDArray[np.int64]] = {}
        for some in combinations(names, size):
            # the set without its last attribute was numbered before
            number = _joined(numbers[some[:-1]], column[some[-1]])
            larger[some] = number
            yield CountedSet(columns=some, distinct=int(number.max()) + 1)
        numbers = larger


_DENSE = 8
"""Numbers a row up to which they are counted in an array; beyond, they are sorted."""


def _joined(number: "NDArray[np.int64]", codes: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Number the combinations of what is numbered and of codes, from 0."""
    width = int(codes.max()) + 1
    key = number * width + codes
    span = (int(number.max()) + 1) * width
    joined: NDArray[np.int64]
    if span > _DENSE * len(key):
        _, joined = np.unique(key, return_inverse=True)
    else:
        occurs = np.zeros(span, dtype=np.int64)
        occurs[key] = 1
        joined = (np.cumsum(occurs) - 1)[key]
    return joined


def _distinct(codes: "NDArray[np.int32]") -> int:
    return int(np.count_nonzero(np.bincount(codes, minlength=1)))

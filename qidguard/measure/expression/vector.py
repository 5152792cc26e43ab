"""Vectors: numbers in the types that the database gives them, with NULL.

A sum of decimals of 18 places passes what 64 bits hold, so such a number is kept in two halves:
``high · 2^32 + low`` units of 10^-18, 0 ≤ low < 2^32. Everything is exact or refused.
"""

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidguard.measure.expression.unsupported import Unsupported

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

EXACT_PLACES = 18
HALF = 32
LOW_MASK = (1 << HALF) - 1
_UNIT = 10**EXACT_PLACES
_UNIT_HIGH, _UNIT_LOW = _UNIT >> HALF, _UNIT & LOW_MASK
_LARGEST_UNIT = 2**31
_MOST_UNITS = 1e38
"""The database's decimals end here."""
_MOST_HALVED = 2.0**90
"""Units up to which the high half fits in 64 bits, with room for a sum."""
LARGEST = 2**62
"""Whole numbers beyond this are refused: the next operation could leave 64 bits."""
_SHOWN_BY_A_FLOAT = 2**53


class Kind(IntEnum):
    """A type; of two numbers the result has the later one."""

    BOOLEAN = 0
    INTEGER = 1
    DECIMAL = 2
    EXACT = 3
    DOUBLE = 4


@dataclass(frozen=True, slots=True)
class Vector:
    """Numbers of one type; one number stands for a constant.

    Args:
        kind: The type.
        data: Truth values, whole numbers (of a decimal in units of its last place; of an exact one its high
            half, as Python's numbers where 64 bits do not hold it) or floating-point numbers.
        null: Where there is NULL, or None for nowhere; what ``data`` holds there means nothing.
        low: The low half of exact numbers.
        places: Digits behind a decimal's point.
    """

    kind: Kind
    data: NDArray[Any]
    null: Booleans | None = None
    low: Ints | None = None
    places: int = 0

    @property
    def halves(self) -> tuple[Ints, Ints]:
        """The two halves of exact numbers."""
        if self.low is None:
            raise Unsupported
        return self.data, self.low

    @property
    def largest(self) -> float:
        """The largest absolute value of ``data`` as a floating-point number; 0 where there is none."""
        if not self.data.size:
            return 0.0
        return max(float(self.data.max()), -float(self.data.min()))


def constant(value: float | Fraction | None, places: int = 0, kind: Kind = Kind.INTEGER) -> Vector:
    """Return a literal."""
    if value is None:
        return Vector(Kind.INTEGER, np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.bool_))
    if isinstance(value, bool):
        return Vector(Kind.BOOLEAN, np.array([value]))
    if isinstance(value, float):
        return Vector(Kind.DOUBLE, np.array([value]))
    units = int(value * 10**places)
    # the database computes with literals of 32 bits and refuses larger results
    if abs(units) >= _LARGEST_UNIT:
        raise Unsupported
    return Vector(kind, np.array([units], dtype=np.int64), places=places)


def integers(values: NDArray[np.int64]) -> Vector:
    """Return whole numbers."""
    return Vector(Kind.INTEGER, values)


def doubles(values: Floats) -> Vector:
    """Return floating-point numbers, NaN standing for NULL."""
    null = np.isnan(values)
    return Vector(Kind.DOUBLE, values, null if null.any() else None)


def either_null(*vectors: Vector) -> Booleans | None:
    """Return where any of the vectors is NULL."""
    found = None
    for vector in vectors:
        if vector.null is not None:
            found = vector.null if found is None else found | vector.null
    return found


def as_double(vector: Vector) -> Floats:
    """Return the data as floating-point numbers, each the nearest one."""
    match vector.kind:
        case Kind.DOUBLE:
            return vector.data
        case Kind.INTEGER:
            return vector.data.astype(np.float64)
        case Kind.DECIMAL:
            if vector.largest >= _SHOWN_BY_A_FLOAT:
                raise Unsupported
            return vector.data.astype(np.float64) / float(10**vector.places)
        case Kind.EXACT:
            high, low = vector.halves
            units = zip(high.tolist(), low.tolist(), strict=True)
            return np.array([((one << HALF) + other) / _UNIT for one, other in units], dtype=np.float64)
        case Kind.BOOLEAN:
            raise Unsupported


def as_decimal(vector: Vector, places: int) -> Ints:
    """Return whole numbers or decimals in units of 10^-places."""
    if vector.kind not in {Kind.INTEGER, Kind.DECIMAL}:
        raise Unsupported
    factor = 10 ** (places - vector.places)
    if vector.largest * factor >= LARGEST:
        raise Unsupported
    return vector.data * np.int64(factor)


def as_exact(vector: Vector) -> Vector:
    """Return the numbers as decimals of 18 places, rounded half away from zero as the database does."""
    if vector.kind is Kind.EXACT:
        return vector
    if vector.kind is Kind.DOUBLE:
        with np.errstate(over="ignore", invalid="ignore"):
            units = vector.data * float(_UNIT)
        if vector.null is not None:
            units = np.where(vector.null, 0.0, units)
        largest = float(np.abs(units).max(initial=0.0))
        if not largest < _MOST_UNITS:
            raise Unsupported  # also infinities and NaN, which the database refuses
        whole = np.trunc(units)
        whole += np.copysign((np.abs(units - whole) >= 0.5).astype(np.float64), units)  # noqa: PLR2004 - half
        upper = np.floor(whole / float(1 << HALF))
        lower = whole - upper * float(1 << HALF)
        halved = whole_numbers(upper) if largest >= _MOST_HALVED else upper.astype(np.int64)
        return Vector(Kind.EXACT, halved, vector.null, lower.astype(np.int64))
    if vector.kind is Kind.INTEGER:
        if vector.largest >= _LARGEST_UNIT:
            raise Unsupported
        whole_units: Ints = vector.data
        partial = whole_units * _UNIT_LOW
        high = whole_units * _UNIT_HIGH + (partial >> HALF)
        return Vector(Kind.EXACT, high, vector.null, partial & LOW_MASK)
    decimal = as_decimal(vector, EXACT_PLACES)
    return Vector(Kind.EXACT, decimal >> HALF, vector.null, decimal & LOW_MASK)


def whole_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers as Python's own, which have no largest one; slow, for what 64 bits cannot hold."""
    found = np.empty(len(values), dtype=object)
    found[:] = [int(value) for value in values.tolist()]
    return found


def numbers(vector: Vector) -> list[int | float | None]:
    """Return the vector as Python's numbers: whole ones as int, all others as float, NULL as None."""
    found: list[int | float | None]
    if vector.kind is Kind.INTEGER:
        found = vector.data.tolist()
    elif vector.kind is Kind.DECIMAL:
        unit = 10**vector.places
        found = [units / unit for units in vector.data.tolist()]
    else:
        found = as_double(vector).tolist()
    if vector.null is None:
        return found
    return [None if is_null else value for value, is_null in zip(found, vector.null.tolist(), strict=True)]

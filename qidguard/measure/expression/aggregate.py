"""Aggregates over runs of rows, each row standing for a number of equal ones."""

import numpy as np

from qidguard.measure.expression.unsupported import Unsupported
from qidguard.measure.expression.vector import (
    HALF,
    LARGEST,
    LOW_MASK,
    Floats,
    Ints,
    Kind,
    Vector,
    whole_numbers,
)

_MOST = np.iinfo(np.int64).max
_LARGEST_HIGH = 2**30
"""High halves below this can be put before the low ones in 64 bits."""


def count(vector: Vector | None, starts: Ints, times: Ints) -> Vector:
    """Return the rows of each run, of those that are not NULL where a vector is given."""
    if vector is not None and vector.null is not None:
        times = times * ~vector.null
    return Vector(Kind.INTEGER, np.add.reduceat(times, starts))


def total(vector: Vector, starts: Ints, times: Ints) -> Vector:
    """Return the sum of each run, NULL where all of it is; Unsupported for doubles: their sums round."""
    if vector.kind in {Kind.DOUBLE, Kind.BOOLEAN}:
        raise Unsupported
    data: Ints = np.broadcast_to(vector.data, times.shape)
    null = _all_null(vector, starts)
    weight = times if vector.null is None else times * ~vector.null
    if not _fits(data, weight, starts):
        if vector.kind is not Kind.EXACT:
            raise Unsupported
        data = whole_numbers(data)
    summed = np.add.reduceat(data * weight, starts)
    if vector.kind is not Kind.EXACT:
        return Vector(vector.kind, summed, null, places=vector.places)
    halves: Ints = np.broadcast_to(vector.halves[1], times.shape)
    if not _fits(halves, weight, starts):
        raise Unsupported
    low = np.add.reduceat(halves * weight, starts)
    return Vector(Kind.EXACT, summed + (low >> HALF), null, low & LOW_MASK)


def extremum(vector: Vector, starts: Ints, times: Ints, *, is_largest: bool) -> Vector:
    """Return the largest or smallest number of each run, NULL where all of it is."""
    null = _all_null(vector, starts)
    if vector.kind is Kind.BOOLEAN:
        raise Unsupported
    if vector.kind is Kind.DOUBLE:
        values: Floats = np.broadcast_to(vector.data, times.shape)
        if vector.null is not None:
            # of a run with NaN and NULL only, NaN must win
            values = np.where(vector.null, -np.inf if is_largest else np.nan, values)
        # NaN is above all numbers in the database
        largest = np.maximum.reduceat(values, starts) if is_largest else np.fmin.reduceat(values, starts)
        return Vector(Kind.DOUBLE, largest, null)
    data: Ints = np.broadcast_to(vector.data, times.shape)
    low = None
    if vector.kind is Kind.EXACT:
        if vector.largest >= _LARGEST_HIGH:
            data = whole_numbers(data)
        data = (data << HALF) | np.broadcast_to(vector.halves[1], times.shape)
    if vector.null is not None:
        furthest = _MOST if data.dtype == np.int64 else 1 << 200
        data = np.where(vector.null, -furthest if is_largest else furthest, data)
    found = np.maximum.reduceat(data, starts) if is_largest else np.minimum.reduceat(data, starts)
    if vector.kind is Kind.EXACT:
        low, found = found & LOW_MASK, found >> HALF
    return Vector(vector.kind, found, null, low, places=vector.places)


def _fits(data: Ints, weight: Ints, starts: Ints) -> bool:
    """Whether 64 bits hold the sum of every run."""
    if max(float(data.max()), -float(data.min())) * float(weight.sum()) < LARGEST:
        return True  # even all runs together
    sums = np.add.reduceat(np.abs(data.astype(np.float64)) * weight, starts)
    return float(sums.max()) < LARGEST


def _all_null(vector: Vector, starts: Ints) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None":
    if vector.null is None:
        return None
    found = np.logical_and.reduceat(vector.null, starts)
    return found if found.any() else None

"""Functions of one row: CASE, COALESCE, GREATEST, LEAST, ABS, LN and the logic of three values."""

import math
from collections.abc import Sequence

import numpy as np

from qidguard.measure.expression.arithmetic import aligned, compare, negative
from qidguard.measure.expression.unsupported import Unsupported
from qidguard.measure.expression.vector import Kind, Vector, as_double, constant


def conjunction(left: Vector, right: Vector) -> Vector:
    """Return left AND right: false where either is false, else NULL where either is NULL."""
    _check_boolean(left, right)
    is_false = (_known(left) & ~left.data) | (_known(right) & ~right.data)
    is_null = ~is_false & ~(_known(left) & _known(right))
    return Vector(Kind.BOOLEAN, left.data & right.data, is_null if is_null.any() else None)


def negation(vector: Vector) -> Vector:
    """Return NOT vector."""
    _check_boolean(vector)
    return Vector(Kind.BOOLEAN, ~vector.data, vector.null)


def disjunction(left: Vector, right: Vector) -> Vector:
    """Return left OR right, by De Morgan."""
    return negation(conjunction(negation(left), negation(right)))


def is_null(vector: Vector) -> Vector:
    """Return whether it is NULL, which is never NULL itself."""
    return Vector(Kind.BOOLEAN, ~_known(vector) & np.ones(vector.data.shape, dtype=np.bool_))


def membership(parts: Sequence[Vector]) -> Vector:
    """Return whether the first is among the others: an OR of equalities."""
    found = compare("=", parts[0], parts[1])
    for other in parts[2:]:
        found = disjunction(found, compare("=", parts[0], other))
    return found


def case(conditions: Sequence[Vector], results: Sequence[Vector]) -> Vector:
    """Return the result of the first condition that is true; the last result where none is."""
    _check_boolean(*conditions)
    choices = aligned(list(results))
    found = choices[-1]
    for condition, choice in zip(reversed(conditions), reversed(choices[:-1]), strict=True):
        found = _choose(_known(condition) & condition.data, choice, found)
    return found


def coalesce(parts: Sequence[Vector]) -> Vector:
    """Return the first that is not NULL."""
    choices = aligned(list(parts))
    found = choices[-1]
    for choice in reversed(choices[:-1]):
        found = _choose(_known(choice), choice, found)
    return found


def extreme(parts: Sequence[Vector], operator: str) -> Vector:
    """Return the greatest (``>``) or least (``<``) of those that are not NULL."""
    choices = aligned(list(parts))
    found = choices[0]
    for choice in choices[1:]:
        better = compare(operator, choice, found).data
        is_taken = _known(choice) & (better | ~_known(found))
        found = _choose(is_taken, choice, found)
    return found


def absolute(vector: Vector) -> Vector:
    """Return the number without its sign."""
    zero = aligned([constant(0), vector])[0]
    return _choose(compare("<", vector, zero).data, negative(vector), vector)


def logarithm(vector: Vector) -> Vector:
    """Return the natural logarithm: −inf of 0 and NaN below, as the database gives.

    Taken once for each distinct number by the C library, whose last digit is the database's; numpy's own is
    not always.
    """
    data = as_double(vector)
    order = np.argsort(data)
    ranked = data.take(order)
    is_new = np.ones(len(ranked), dtype=np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=is_new[1:])
    logs = np.array([_log(x) for x in ranked.compress(is_new).tolist()], dtype=np.float64)
    found = np.empty(len(data))
    found[order] = logs.take(np.cumsum(is_new) - 1) if len(logs) else 0.0
    return Vector(Kind.DOUBLE, found, vector.null)


def _log(number: float) -> float:
    if number > 0:
        return math.log(number)
    return -math.inf if number == 0 else math.nan


def _known(vector: Vector) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return np.ones(1, dtype=np.bool_) if vector.null is None else ~vector.null


def _choose(mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], one: Vector, other: Vector) -> Vector:
    null = None
    if one.null is not None or other.null is not None:
        null = np.where(mask, ~_known(one), ~_known(other))
    data = np.where(mask, one.data, other.data)
    low = None
    if one.low is not None and other.low is not None:
        low = np.where(mask, one.low, other.low)
    if null is not None and null.shape != data.shape:
        null = np.broadcast_to(null, data.shape)
    return Vector(one.kind, data, null, low, places=one.places)


def _check_boolean(*vectors: Vector) -> None:
    if any(v.kind is not Kind.BOOLEAN for v in vectors):
        raise Unsupported

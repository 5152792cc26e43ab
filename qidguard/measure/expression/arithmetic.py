"""Plus, minus, times, divided by and comparison, with the database's types and roundings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidguard.measure.expression.unsupported import Unsupported
from qidguard.measure.expression.vector import (
    HALF,
    LARGEST,
    LOW_MASK,
    Kind,
    Vector,
    as_decimal,
    as_double,
    as_exact,
    either_null,
)

_LARGEST_FACTOR = 2**30
_COMPARE = {
    "=": np.equal,
    "<>": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
COMPARISONS = frozenset(_COMPARE)


def arithmetic(operator: str, left: Vector, right: Vector) -> Vector:
    """Return ``left operator right``; NULL where either is. A division is always of doubles (IEEE 754)."""
    null = either_null(left, right)
    kind = max(left.kind, right.kind)
    if Kind.BOOLEAN in {left.kind, right.kind}:
        raise Unsupported
    if operator == "/" or kind is Kind.DOUBLE:
        with np.errstate(all="ignore"):
            ufunc = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[operator]
            return Vector(Kind.DOUBLE, ufunc(as_double(left), as_double(right)), null)
    if kind is Kind.EXACT:
        return _exact_arithmetic(operator, left, right)
    if operator == "*":
        _check(left.largest * right.largest)
        places = left.places + right.places
        return Vector(kind, left.data * right.data, null, places=places)
    places = max(left.places, right.places)
    one, other = as_decimal(left, places), as_decimal(right, places)
    _check(left.largest * 10 ** (places - left.places) + right.largest * 10 ** (places - right.places))
    return Vector(kind, one + other if operator == "+" else one - other, null, places=places)


def negative(vector: Vector) -> Vector:
    """Return the number with the other sign."""
    if vector.kind is Kind.BOOLEAN:
        raise Unsupported
    if vector.kind is Kind.EXACT:
        high, low = vector.halves
        return _normalised(-high, -low, vector)
    return Vector(vector.kind, -vector.data, vector.null, places=vector.places)


def compare(operator: str, left: Vector, right: Vector) -> Vector:
    """Return a truth value, NULL where either is NULL; Unsupported for NaN, which the database orders."""
    null = either_null(left, right)
    one, other, low = _comparable(left, right)
    found = _COMPARE[operator](one, other)
    if low is not None:
        strict = _COMPARE[operator.removesuffix("=") or "="](one, other)
        is_same = one == other
        if operator == "<>":
            found = ~is_same | (low[0] != low[1])
        else:
            found = (strict & ~is_same) | (is_same & _COMPARE[operator](*low))
    return Vector(Kind.BOOLEAN, found, null)


def aligned(vectors: list[Vector]) -> list[Vector]:
    """Return the vectors in the one type that can hold them all, as CASE, COALESCE and GREATEST give."""
    shown = [v for v in vectors if not _is_null_literal(v)] or vectors
    kind = max(v.kind for v in shown)
    if kind is not Kind.BOOLEAN and any(v.kind is Kind.BOOLEAN for v in shown):
        raise Unsupported
    places = max(v.places for v in shown)
    found = []
    for v in vectors:
        if _is_null_literal(v):
            data: NDArray[Any] = np.zeros(
                1, dtype={Kind.DOUBLE: np.float64, Kind.BOOLEAN: np.bool_}.get(kind, np.int64)
            )
            low = np.zeros(1, dtype=np.int64) if kind is Kind.EXACT else None
            found.append(Vector(kind, data, v.null, low, places=places))
        elif kind is Kind.DOUBLE:
            found.append(Vector(kind, as_double(v), v.null))
        elif kind is Kind.EXACT:
            found.append(as_exact(v))
        elif kind is Kind.DECIMAL:
            found.append(Vector(kind, as_decimal(v, places), v.null, places=places))
        else:
            found.append(v)
    return found


def _is_null_literal(vector: Vector) -> bool:
    return vector.null is not None and vector.data.size == 1 and bool(vector.null[0])


def _exact_arithmetic(operator: str, left: Vector, right: Vector) -> Vector:
    null = either_null(left, right)
    if operator == "*":
        factor, exact = (left, right) if right.kind is Kind.EXACT else (right, left)
        if factor.kind is not Kind.INTEGER or factor.largest >= _LARGEST_FACTOR:
            raise Unsupported
        high, low = exact.halves
        _check(exact.largest * factor.largest)
        blank = Vector(Kind.EXACT, high, null)
        return _normalised(high * factor.data, low * factor.data, blank)
    (high, low), (high2, low2) = as_exact(left).halves, as_exact(right).halves
    sign = 1 if operator == "+" else -1
    return _normalised(high + sign * high2, low + sign * low2, Vector(Kind.EXACT, high, null))


def _normalised(high: object, low: object, like: Vector) -> Vector:
    """Carry what the low half has too much, or too little, into the high one."""
    units = np.asarray(low)
    carried = np.asarray(high) + (units >> HALF)
    return Vector(Kind.EXACT, carried, like.null, units & LOW_MASK)


def _comparable(left: Vector, right: Vector):  # type: ignore[no-untyped-def]  # noqa: ANN202 - arrays of one of many types
    kind = max(left.kind, right.kind)
    if (left.kind is Kind.BOOLEAN) != (right.kind is Kind.BOOLEAN):
        raise Unsupported
    if kind is Kind.DOUBLE:
        one, other = as_double(left), as_double(right)
        for vector, data in ((left, one), (right, other)):
            is_nan = np.isnan(data)
            if np.any(is_nan if vector.null is None else is_nan & ~vector.null):
                raise Unsupported
        return one, other, None
    if kind is Kind.EXACT:
        (high, low), (high2, low2) = as_exact(left).halves, as_exact(right).halves
        return high, high2, (low, low2)
    if kind is Kind.BOOLEAN:
        return left.data, right.data, None
    places = max(left.places, right.places)
    return as_decimal(left, places), as_decimal(right, places), None


def _check(largest: float) -> None:
    if largest >= LARGEST:
        raise Unsupported

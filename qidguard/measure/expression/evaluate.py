"""Evaluate a parsed expression over arrays: a row at a time, or once for each run of rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from qidguard.measure.expression import aggregate, function
from qidguard.measure.expression.arithmetic import COMPARISONS, arithmetic, compare, negative
from qidguard.measure.expression.node import AGGREGATES, Call, Case, Cast, Literal, Name, Node
from qidguard.measure.expression.unsupported import Unsupported
from qidguard.measure.expression.vector import Ints, Kind, Vector, as_double, as_exact, constant


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Rows to evaluate over.

    Args:
        columns: Name in lower case → a vector with one number a row.
        times: How many equal rows each row stands for, ≥ 1; shape (rows,).
        starts: Where each run of rows begins, ascending from 0, at least one row a run.
    """

    columns: Mapping[str, Vector]
    times: Ints
    starts: Ints


def evaluate_rows(node: Node, rows: Rows) -> Vector:
    """Return the expression for each row; Unsupported for an aggregate in it."""
    return _full(_evaluate(node, rows, is_grouped=False), len(rows.times))


def evaluate_runs(node: Node, rows: Rows) -> Vector:
    """Return the aggregate for each run of rows; Unsupported for a bare column in it."""
    return _full(_evaluate(node, rows, is_grouped=True), len(rows.starts))


def _evaluate(node: Node, rows: Rows, *, is_grouped: bool) -> Vector:
    match node:
        case Literal(value, places):
            kind = Kind.DECIMAL if isinstance(value, Fraction) else Kind.INTEGER
            return constant(value, places, kind)
        case Name(name):
            if is_grouped or name not in rows.columns:
                raise Unsupported
            return rows.columns[name]
        case Call(name, parts) if name in AGGREGATES:
            if not is_grouped:
                raise Unsupported
            return _aggregate(name, parts, rows)
        case Call(name, parts):
            return _call(name, [_evaluate(part, rows, is_grouped=is_grouped) for part in parts])
        case Cast(part, to):
            return _cast(_evaluate(part, rows, is_grouped=is_grouped), to)
        case Case(branches, otherwise):
            conditions = [_evaluate(when, rows, is_grouped=is_grouped) for when, _ in branches]
            results = [_evaluate(then, rows, is_grouped=is_grouped) for _, then in branches]
            results.append(_evaluate(otherwise, rows, is_grouped=is_grouped))
            return function.case(conditions, results)


def _aggregate(name: str, parts: tuple[Node, ...], rows: Rows) -> Vector:
    if not parts:
        return aggregate.count(None, rows.starts, rows.times)
    vector = _full(_evaluate(parts[0], rows, is_grouped=False), len(rows.times))
    if name == "count":
        return aggregate.count(vector, rows.starts, rows.times)
    if name == "sum":
        return aggregate.total(vector, rows.starts, rows.times)
    return aggregate.extremum(vector, rows.starts, rows.times, is_largest=name == "max")


_OF_ONE: Mapping[str, Callable[[Vector], Vector]] = {
    "negative": negative,
    "not": function.negation,
    "is null": function.is_null,
    "ln": function.logarithm,
    "abs": function.absolute,
}
_OF_TWO: Mapping[str, Callable[[Vector, Vector], Vector]] = {
    "and": function.conjunction,
    "or": function.disjunction,
    **{operator: partial(arithmetic, operator) for operator in "+-*/"},
    **{operator: partial(compare, operator) for operator in COMPARISONS},
}
_OF_MANY: Mapping[str, Callable[[list[Vector]], Vector]] = {
    "in": function.membership,
    "coalesce": function.coalesce,
    "greatest": partial(function.extreme, operator=">"),
    "least": partial(function.extreme, operator="<"),
}


def _call(name: str, parts: list[Vector]) -> Vector:
    if name in _OF_ONE:
        return _OF_ONE[name](parts[0])
    if name in _OF_TWO:
        return _OF_TWO[name](parts[0], parts[1])
    if name in _OF_MANY:
        return _OF_MANY[name](parts)
    raise Unsupported


def _cast(vector: Vector, to: str) -> Vector:
    if to == "exact":
        return as_exact(vector)
    if to == "double":
        return Vector(Kind.DOUBLE, as_double(vector), vector.null)
    if vector.kind is not Kind.INTEGER:
        raise Unsupported
    return vector


def _full(vector: Vector, length: int) -> Vector:
    """Return the vector with one number a row where it is a constant."""
    null = None if vector.null is None else np.broadcast_to(vector.null, (length,))
    low = None if vector.low is None else np.broadcast_to(vector.low, (length,))
    return Vector(vector.kind, np.broadcast_to(vector.data, (length,)), null, low, places=vector.places)

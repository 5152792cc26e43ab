"""Columns that carry the values of another one: each of their values stands for one value of it."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from duckdb import DuckDBPyConnection

from qidguard.core.column import ColumnFacts
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.columns import COLUMNS_A_STATEMENT, Shape

_SAMPLES = (2_000, 20_000)
"""Records that are asked first, since what does not hold in some does not hold in all."""
_MOST_SAMPLED = 4_000_000
"""Values of a sample that are held at a time; of more columns, fewer records are asked."""
_FEWEST_RECORDS_A_VALUE = 2
"""Mean records a value that a column has at least: one that hardly repeats determines everything."""
_FEWEST_CONFLICTS = 13.8
"""Records that would contradict by chance, at least: none does with a probability of e^-13.8, a millionth."""


def determined(
    connection: DuckDBPyConnection,
    relation: str,
    compared: Sequence[int],
    facts: Mapping[int, ColumnFacts],
    persons: int | None,
) -> dict[int, tuple[int, ...]]:
    """Return column → the compared columns that its values determine in every record.

    Args:
        connection: The connection.
        relation: What holds every column of the source.
        compared: The columns that others may carry; each has a dictionary.
        facts: The facts of all columns.
        persons: Number of entities; None where records are persons.
    """
    spread = _spread(connection, [index for index in compared if facts[index].groups > 1])
    asked = {
        index: [
            other
            for other in spread
            if other != index and _is_possible(own, facts[other], spread[other], persons)
        ]
        for index, own in facts.items()
    }
    for size in _SAMPLES:
        asked = _unrefuted(connection, relation, size, {i: others for i, others in asked.items() if others})
    kept = {index: _kept(connection, relation, index, others) for index, others in asked.items() if others}
    return {index: tuple(left) for index, left in kept.items() if left}


def determined_names(
    connection: DuckDBPyConnection,
    shape: Shape,
    compared: Sequence[str],
    facts: Sequence[ColumnFacts],
    persons: int | None,
) -> dict[str, tuple[str, ...]]:
    """Return the same by names, over a table that still holds every column."""
    indexes = [shape.index(name) for name in compared]
    found = determined(connection, shape.relation, indexes, dict(enumerate(facts)), persons)
    return {
        shape.names[index]: tuple(shape.names[other] for other in others) for index, others in found.items()
    }


def _spread(connection: DuckDBPyConnection, indexes: Sequence[int]) -> dict[int, float]:
    """Return column → the probability that two records differ in it."""
    found: dict[int, float] = {}
    for start in range(0, len(indexes), COLUMNS_A_STATEMENT):
        some = indexes[start : start + COLUMNS_A_STATEMENT]
        shares = " UNION ALL ".join(
            f"SELECT {index}, sum(CAST(records AS DOUBLE) * records), sum(records)"
            f" FROM {naming.dictionary(index)}"
            for index in some
        )
        rows = connection.execute(shares).fetchall()
        squares = {index: 1.0 - float(pairs) / float(records) ** 2 for index, pairs, records in rows}
        found |= {index: squares[index] for index in some}
    return found


def _is_possible(own: ColumnFacts, other: ColumnFacts, spread: float, persons: int | None) -> bool:
    """Return whether a column could carry another one's values, and chance could not make it so."""
    counted = own.records if persons is None else persons
    repeats = own.groups * _FEWEST_RECORDS_A_VALUE <= counted
    return repeats and own.groups >= other.groups and (counted - own.groups) * spread >= _FEWEST_CONFLICTS


def _unrefuted(
    connection: DuckDBPyConnection, relation: str, size: int, asked: Mapping[int, Collection[int]]
) -> dict[int, list[int]]:
    """Return each asked column → the others that it determines in some records, by hashes of the values."""
    if not asked:
        return {}
    used = sorted({*asked, *(other for others in asked.values() for other in others)})
    hashes = ", ".join(f"hash({naming.column(index)}) AS {naming.column(index)}" for index in used)
    rows = max(1, min(size, _MOST_SAMPLED // len(used)))
    fetched = connection.execute(f"SELECT {hashes} FROM {relation} LIMIT {rows}").fetchnumpy()
    sampled = {index: np.asarray(fetched[naming.column(index)]) for index in used}
    return {index: _agreeing(sampled[index], sampled, others) for index, others in asked.items()}


def _agreeing(own: np.ndarray, sampled: Mapping[int, np.ndarray], others: Collection[int]) -> list[int]:
    """Return those columns that are the same wherever a column is the same."""
    order = np.argsort(own)
    is_same = own[order][1:] == own[order][:-1]
    after, before = order[1:][is_same], order[:-1][is_same]
    return [other for other in others if bool((sampled[other][after] == sampled[other][before]).all())]


def _kept(connection: DuckDBPyConnection, relation: str, index: int, others: Sequence[int]) -> list[int]:
    """Return those columns that have one value in all records of each value of a column."""
    tests = []
    for other in others:
        name = naming.column(other)
        is_one = f"count({name}) = 0 OR (count({name}) = count(*) AND min({name}) = max({name}))"
        tests.append(f"CASE WHEN {is_one} THEN 1 ELSE 0 END AS holds_{other}")
    row = connection.execute(
        f"SELECT {', '.join(f'min(holds_{other})' for other in others)}\n"
        f"FROM (SELECT {', '.join(tests)} FROM {relation} GROUP BY {naming.column(index)})"
    ).fetchall()[0]
    return [other for other, holds in zip(others, row, strict=True) if holds]

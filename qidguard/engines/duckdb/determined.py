"""Columns that carry the values of another one: each of their values stands for one value of it."""

from collections.abc import Mapping, Sequence

from duckdb import DuckDBPyConnection

from qidguard.core.column import ColumnFacts
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.columns import Shape

_SAMPLE = 20_000
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
    spread = {index: _spread(connection, index) for index in compared if facts[index].groups > 1}
    asked = {
        index: [
            other
            for other in spread
            if other != index and _is_possible(own, facts[other], spread[other], persons)
        ]
        for index, own in facts.items()
    }
    asked = {index: others for index, others in asked.items() if others}
    if not asked:
        return {}
    used = sorted({*asked, *(other for others in asked.values() for other in others)})
    names = ", ".join(naming.column(index) for index in used)
    connection.execute(f"CREATE TEMP TABLE sampled AS SELECT {names} FROM {relation} LIMIT {_SAMPLE}")
    found = {}
    for index, others in asked.items():
        # what does not hold in some records does not hold in all
        left = _kept(connection, "sampled", index, others)
        left = _kept(connection, relation, index, left) if left else left
        if left:
            found[index] = tuple(left)
    connection.execute("DROP TABLE sampled")
    return found


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


def _spread(connection: DuckDBPyConnection, index: int) -> float:
    """Return the probability that two records differ in a column."""
    shares = connection.execute(
        f"SELECT sum(CAST(records AS DOUBLE) * records), sum(records) FROM {naming.dictionary(index)}"
    ).fetchall()[0]
    return 1.0 - float(shares[0]) / float(shares[1]) ** 2


def _is_possible(own: ColumnFacts, other: ColumnFacts, spread: float, persons: int | None) -> bool:
    """Return whether a column could carry another one's values, and chance could not make it so."""
    counted = own.records if persons is None else persons
    repeats = own.groups * _FEWEST_RECORDS_A_VALUE <= counted
    return repeats and own.groups >= other.groups and (counted - own.groups) * spread >= _FEWEST_CONFLICTS


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

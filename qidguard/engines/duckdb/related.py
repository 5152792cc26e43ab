"""Which columns say the same, and which stay the same for each value of a key that repeats."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from duckdb import DuckDBPyConnection
from numpy.typing import NDArray

from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.content import Related
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.columns import Shape

_SAMPLE = 20_000
_HASHED = 8
"""Columns by which the sample is drawn."""
_FEWEST_CONFLICTS = 100.0
"""Records of the sample that would contradict by chance, at least, before two columns say the same."""
_MOST_KEYS, _KEYS_LOOKED_AT = 3, 1_000
"""Columns that are tried as a key, those with most values first, and values of each that are looked at."""
_FEWEST_KEYS = 50
_CONSTANT = 0.95
"""Share of the values of a key for which a column stays the same; real keys have errors."""
_BEYOND_CHANCE = 0.85
"""The least of that share beyond chance: Cohen's kappa, (share − chance) / (1 − chance)."""
_KEY_TYPES = {ValueType.INTEGER, ValueType.TEXT}


def related(connection: DuckDBPyConnection, shape: Shape, facts: Sequence[ColumnFacts]) -> dict[str, Related]:
    """Return column → how it goes with the others, for those that do; a table still holds every column."""
    alike, same = _twins(connection, shape.relation, facts), _kept(connection, shape.relation, facts)
    return {
        shape.names[index]: Related(
            twins=tuple(shape.names[other] for other in alike.get(index, ())),
            keeps=tuple(shape.names[other] for other in same.get(index, ())),
        )
        for index in sorted({*alike, *same})
    }


def _twins(
    connection: DuckDBPyConnection, relation: str, facts: Sequence[ColumnFacts]
) -> Mapping[int, tuple[int, ...]]:
    """Return column → those whose values stand one to one for its own, in a sample of records."""
    likely: dict[tuple[int, int], list[int]] = {}
    for index, one in enumerate(facts):
        if 1 < one.distinct * 2 <= one.records - one.missing:
            likely.setdefault((one.distinct, one.missing), []).append(index)
    alike = [indexes for indexes in likely.values() if len(indexes) > 1]
    if not alike:
        return {}
    codes = _sample(connection, relation, sorted({index for indexes in alike for index in indexes}))
    found: dict[int, list[int]] = {}
    for indexes in alike:
        for first, second in combinations(indexes, 2):
            if _are_one_to_one(codes[first], codes[second]):
                found.setdefault(first, []).append(second)
                found.setdefault(second, []).append(first)
    return {index: tuple(others) for index, others in found.items()}


def _kept(
    connection: DuckDBPyConnection, relation: str, facts: Sequence[ColumnFacts]
) -> Mapping[int, tuple[int, ...]]:
    """Return key → the columns that stay the same in all records of nearly each of its values."""
    keys = [
        index
        for index, one in enumerate(facts)
        if one.is_repeating_key and one.distinct >= _FEWEST_KEYS and one.value_type in _KEY_TYPES
    ]
    keys = sorted(keys, key=lambda index: -facts[index].distinct)[:_MOST_KEYS]
    varied = [index for index, one in enumerate(facts) if one.distinct > 1]
    if not keys or len(varied) < 2:  # noqa: PLR2004 - a key and something that it may keep
        return {}
    codes = _sample(connection, relation, varied)
    chance = {index: _agreement(codes[index]) for index in varied}
    varied = [index for index in varied if chance[index] < 1]
    found: dict[int, tuple[int, ...]] = {}
    for key in keys:
        others = [i for i in varied if i != key and facts[i].distinct * 2 <= facts[key].distinct]
        shares = _same(connection, relation, key, others, facts[key].distinct) if others else {}
        same = tuple(
            other
            for other, share in shares.items()
            if share >= _CONSTANT and share - chance[other] >= _BEYOND_CHANCE * (1 - chance[other])
        )
        if same:
            found[key] = same
    return found


def _sample(
    connection: DuckDBPyConnection, relation: str, indexes: Sequence[int]
) -> dict[int, NDArray[np.int64]]:
    """Return column → codes of its values in the same records on every run; a missing value is a value."""
    hashed = ", ".join(f"coalesce(hash({naming.column(i)}), 0) AS {naming.column(i)}" for i in indexes)
    unit = ", ".join(naming.column(i) for i in indexes[:_HASHED])
    rows = int(connection.execute(f"SELECT count(*) FROM {relation}").fetchall()[0][0])
    where = f"WHERE hash({unit}, 7) % {max(1, rows // _SAMPLE)} = 0"
    fetched = connection.execute(f"SELECT {hashed} FROM {relation} {where} LIMIT {2 * _SAMPLE}").fetchnumpy()
    return {
        i: np.unique(np.asarray(fetched[naming.column(i)]), return_inverse=True)[1].astype(np.int64)
        for i in indexes
    }


def _agreement(codes: NDArray[np.int64]) -> float:
    """Return the probability that two records agree."""
    counts = np.bincount(codes).astype(np.float64)
    return float((counts**2).sum() / counts.sum() ** 2) if len(codes) else 1.0


def _are_one_to_one(one: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    if not len(one) or len(one) * (1 - _agreement(one)) < _FEWEST_CONFLICTS:
        return False
    values = int(one.max()) + 1
    pairs = np.unique(one * (int(other.max()) + 1) + other)
    return len(pairs) == values == int(other.max()) + 1


def _same(
    connection: DuckDBPyConnection, relation: str, key: int, others: Sequence[int], distinct: int
) -> dict[int, float]:
    """Return column → the share of the values of a key for which it stays the same; nothing of few values."""
    parts = max(1, distinct // _KEYS_LOOKED_AT)
    name = naming.column(key)
    tests = []
    for other in others:
        column = naming.column(other)
        is_one = f"count({column}) = 0 OR (count({column}) = count(*) AND min({column}) = max({column}))"
        tests.append(f"CASE WHEN {is_one} THEN 1 ELSE 0 END AS same_{other}")
    sums = ", ".join(f"coalesce(sum(same_{other}), 0)" for other in others)
    looked_at, *same = connection.execute(
        f"SELECT count(*), {sums} FROM (\n"
        f"SELECT {', '.join(tests)} FROM {relation}\n"
        f"WHERE {name} IS NOT NULL AND hash({name}) % {parts} = 0\n"
        f"GROUP BY {name} HAVING sum(records) > 1)"
    ).fetchall()[0]
    if looked_at < _FEWEST_KEYS:
        return {}
    return {other: n / looked_at for other, n in zip(others, same, strict=True)}

"""Which columns say the same, and which stay the same for each value of a key that repeats."""

from collections.abc import Callable, Mapping, Sequence

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
    hashes = _sample(connection, relation, sorted({index for indexes in alike for index in indexes}))
    counts = {index: _counts(values) for index, values in hashes.items()}
    found: dict[int, tuple[int, ...]] = {}
    for indexes in alike:
        varied = [i for i in indexes if len(hashes[i]) * (1 - _agreement(counts[i])) >= _FEWEST_CONFLICTS]
        # of columns that stand one to one, values are as frequent, and first occur in the same order
        for frequent in _groups(varied, lambda i: counts[i].tobytes()):
            for group in _groups(frequent, lambda i: _by_occurrence(hashes[i]).tobytes()):
                found |= {index: tuple(i for i in group if i != index) for index in group}
    return found


def _groups(indexes: Sequence[int], key: Callable[[int], bytes]) -> list[list[int]]:
    """Return the columns of equal keys, where there are several."""
    found: dict[bytes, list[int]] = {}
    for index in indexes if len(indexes) > 1 else ():
        found.setdefault(key(index), []).append(index)
    return [group for group in found.values() if len(group) > 1]


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
    hashes = _sample(connection, relation, varied)
    chance = {index: _agreement(_counts(hashes[index])) for index in varied}
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
) -> dict[int, NDArray[np.uint64]]:
    """Return column → hashes of its values in the same records on every run; a missing value is a value."""
    hashed = ", ".join(f"coalesce(hash({naming.column(i)}), 0) AS {naming.column(i)}" for i in indexes)
    unit = ", ".join(naming.column(i) for i in indexes[:_HASHED])
    rows = int(connection.execute(f"SELECT count(*) FROM {relation}").fetchall()[0][0])
    where = f"WHERE hash({unit}, 7) % {max(1, rows // _SAMPLE)} = 0"
    fetched = connection.execute(f"SELECT {hashed} FROM {relation} {where} LIMIT {2 * _SAMPLE}").fetchnumpy()
    return {i: np.asarray(fetched[naming.column(i)]) for i in indexes}


def _counts(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return how often each value occurs, the rarest first."""
    ranked = np.sort(values)
    ends = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], len(ranked) > 0))
    return np.sort(np.diff(ends, prepend=-1))


def _agreement(counts: NDArray[np.int64]) -> float:
    """Return the probability that two records agree."""
    squares = counts.astype(np.float64) ** 2
    return float(squares.sum() / float(counts.sum()) ** 2) if len(counts) else 1.0


def _by_occurrence(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the values numbered by where each first occurs."""
    _, first, codes = np.unique(values, return_index=True, return_inverse=True)
    return first[codes]


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

"""Which columns say the same, carry the values of others, or stay the same for each value of a key."""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from duckdb import DuckDBPyConnection
from numpy.typing import NDArray

from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.content import Related
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.columns import COLUMNS_A_STATEMENT, Shape

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
    sums = ", ".join(f"count_if(holds_{other})" for other in others)
    looked_at, *same = connection.execute(
        f"SELECT count(*), {sums} FROM (\n"
        f"SELECT {_one_each(others)} FROM {relation}\n"
        f"WHERE {name} IS NOT NULL AND hash({name}) % {parts} = 0\n"
        f"GROUP BY {name} HAVING sum(records) > 1)"
    ).fetchall()[0]
    if looked_at < _FEWEST_KEYS:
        return {}
    return {other: n / looked_at for other, n in zip(others, same, strict=True)}


_SAMPLES = (2_000, 20_000)
"""Records that are asked first, since what does not hold in some does not hold in all."""
_MOST_SAMPLED = 4_000_000
"""Values of a sample that are held at a time; of more columns, fewer records are asked."""
_FEWEST_RECORDS_A_VALUE = 2
"""Mean records a value that a column has at least: one that hardly repeats determines everything."""
_FEWEST_REFUTING = 13.8
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
    kept = {
        index: _determining(connection, relation, index, others) for index, others in asked.items() if others
    }
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
    return repeats and own.groups >= other.groups and (counted - own.groups) * spread >= _FEWEST_REFUTING


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


def _determining(
    connection: DuckDBPyConnection, relation: str, index: int, others: Sequence[int]
) -> list[int]:
    """Return those columns that have one value in all records of each value of a column."""
    row = connection.execute(
        f"SELECT {', '.join(f'bool_and(holds_{other})' for other in others)}\n"
        f"FROM (SELECT {_one_each(others)} FROM {relation} GROUP BY {naming.column(index)})"
    ).fetchall()[0]
    return [other for other, holds in zip(others, row, strict=True) if holds]


def _one_each(others: Sequence[int]) -> str:
    """Return SQL of whether each column has one value in a group; NULL alone is one."""
    tests = []
    for other in others:
        name = naming.column(other)
        is_one = f"count({name}) = 0 OR (count({name}) = count(*) AND min({name}) = max({name}))"
        tests.append(f"({is_one}) AS holds_{other}")
    return ", ".join(tests)

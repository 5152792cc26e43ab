"""Made-up columns as a table with the columns that every sample has."""

from typing import Any

from qidguard.testing.sample import Sample

ILLNESSES = ("influenza", "migraine", "bronchitis", "allergies")
TOWNS = ("Ahlstadt", "Bergdorf", "Coburgia", "Dunkirken", "Elmshorno")

Columns = dict[str, list[Any]]


def frame(columns: Columns) -> Any:
    """Return a pandas DataFrame with the columns that every table has, beside those given.

    Args:
        columns: Column → values, all of one length.

    Returns:
        ``row`` (distinct), ``name`` (a direct identifier), the columns, and ``illness`` (sensitive) where
        there is none of this name.

    Raises:
        ValueError: When columns are of different lengths.

    Example:
        >>> list(frame({"age": [30, 40]}))
        ['row', 'name', 'age', 'illness']
    """
    import pandas as pd

    records = len(next(iter(columns.values())))
    rest: Columns = {"illness": [ILLNESSES[i % len(ILLNESSES)] for i in range(records)]} | columns
    order = [*columns, *(name for name in rest if name not in columns)]
    named = {"row": list(range(records)), "name": [f"Person-{i:06d}-surname" for i in range(records)]}
    return pd.DataFrame(named | {name: rest[name] for name in order})


def sample(name: str, columns: Columns, *qids: str, is_arrow: bool = False, **more: Any) -> Sample:
    """Return a sample whose direct identifier and sensitive attribute are the usual ones.

    Args:
        name: Its name.
        columns: Column → values.
        qids: The one combination; ``combinations`` takes its place.
        is_arrow: Whether it is an Arrow table and no DataFrame.
        more: Fields of ``Sample``.
    """
    roles: dict[str, Any] = {
        "combinations": (qids,),
        "sensitive": ("illness",),
        "direct_identifiers": ("name",),
    }
    table = frame(columns)
    if is_arrow:
        import pyarrow as pa

        table = pa.table({column: columns.get(column, list(table[column])) for column in table})
    return Sample(name=name, table=table, **(roles | more))

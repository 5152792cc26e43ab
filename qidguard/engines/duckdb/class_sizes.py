"""Class sizes of single columns: from what describing a column has counted, or by grouping it anew."""

from duckdb import DuckDBPyConnection

from qidguard.core.class_sizes import ClassSizes, Preprocessing
from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.errors import DataError
from qidguard.core.spelling import Spelling
from qidguard.engines.base import Needs
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.columns import Shape
from qidguard.engines.duckdb.described import MOST_KEPT
from qidguard.engines.duckdb.spelling import keyed
from qidguard.engines.sql.identifier import quote_text

_NUMBERS = (ValueType.INTEGER, ValueType.NUMBER)


def column_class_sizes(
    connection: DuckDBPyConnection,
    shape: Shape,
    needs: Needs,
    facts: ColumnFacts,
    preprocessing: Preprocessing,
    mark: int | None,
) -> ClassSizes:
    """Return the class sizes of a column of which the facts are known, so that it has been described.

    ``mark`` is its code for the suppression mark (−1 where it has none), or None where it is not coded. Where
    columns were planned, what is not coded is gone: of that not too many values were kept, or the sizes as
    read. Suppressed values stand in no class, unless nothing else is there.
    """
    is_coded = mark is not None
    index = shape.index(facts.name)
    normalized = () if is_coded else _normalized(needs, facts.name)
    spellings = (*normalized, *preprocessing.spellings)
    decimals = preprocessing.decimals
    if decimals is not None and facts.value_type not in _NUMBERS:
        raise DataError(
            f"column {facts.name!r} holds {facts.value_type.value} values, and only numbers can be rounded"
        )
    is_kept = not is_coded and needs.entity is None and facts.distinct <= MOST_KEPT
    if not (is_kept or is_coded or spellings or needs.entity) and decimals is None:
        kept = f"SELECT size, classes, size * classes FROM {naming.sizes(index)}"
        return _fetched(connection, facts.name, kept)
    if not (is_coded or is_kept) and needs.columns is not None:
        raise DataError(
            f"column {facts.name!r} was not kept; name it in needs.columns when opening the table"
        )
    entity = None if needs.entity is None else shape.index(needs.entity)
    if is_coded:
        values = _coded_values(index, has_entities=entity is not None, is_as_read=preprocessing.is_empty)
    elif is_kept:
        values = f"SELECT value, records FROM {naming.values(index)}"
    else:
        unit = "" if entity is None else f", {naming.column(entity)} AS entity"
        values = f"SELECT {naming.column(index)} AS value, records{unit} FROM {shape.relation}"

    if needs.suppression_mark is not None and facts.suppressed < facts.records:
        is_code = is_coded and preprocessing.is_empty
        suppressed = quote_text(str(mark) if is_code else needs.suppression_mark)
        values = f"SELECT * FROM ({values}) WHERE CAST(value AS VARCHAR) IS DISTINCT FROM {suppressed}"

    def key(values: str) -> str:
        """Return a SELECT of values with ``key``, which values that are one have in common."""
        select = f"SELECT *, value AS key FROM ({values})"
        if spellings or decimals is not None:
            select = keyed(f"({values})", spellings, shape.own_type(index), needs.suppression_mark)
        return select if decimals is None else _rounded(select, facts.value_type, decimals)

    if entity is not None:
        return _fetched(
            connection, facts.name, _entity_sizes(key(f"SELECT DISTINCT value, entity FROM ({values})"))
        )
    grouped = key(f"SELECT value, CAST(sum(records) AS BIGINT) AS records FROM ({values}) GROUP BY 1")
    sizes = f"SELECT CAST(sum(records) AS BIGINT) AS size FROM ({grouped}) GROUP BY key"
    return _fetched(connection, facts.name, f"SELECT size, count(*), sum(size) FROM ({sizes}) GROUP BY 1")


def _normalized(needs: Needs, name: str) -> tuple[Spelling, ...]:
    return next((one.spellings for one in needs.normalized if one.column == name), ())


def _coded_values(index: int, *, has_entities: bool, is_as_read: bool) -> str:
    """Return a SELECT of the values of a coded column; as they are read, their codes tell as much."""
    dictionary, column = naming.dictionary(index), naming.column(index)
    if is_as_read:
        entities = f"SELECT {column} AS value, entity FROM coded"
        return entities if has_entities else f"SELECT code AS value, records FROM {dictionary}"
    # one value for those that are taken as one
    one = f"SELECT code, min(value) AS value, sum(records) AS records\nFROM {dictionary} GROUP BY code"
    if has_entities:
        return f"SELECT one.value, coded.entity FROM coded JOIN ({one}) AS one ON coded.{column} = one.code"
    return f"SELECT value, records FROM ({one})"


def _rounded(select: str, value_type: ValueType, decimals: int) -> str:
    if value_type is ValueType.INTEGER and decimals >= 0:
        return select
    kind = "HUGEINT" if value_type is ValueType.INTEGER else "DOUBLE"
    # a sum with zero makes 0.0 of -0.0
    rounded = f"CAST(round(TRY_CAST(key AS {kind}), {int(decimals)}) + 0 AS VARCHAR)"
    return f"SELECT * REPLACE (coalesce({rounded}, key) AS key) FROM ({select})"


def _entity_sizes(pairs: str) -> str:
    """Return a SELECT of sizes, classes and persons; an entity counts by its smallest class."""
    return (
        f"WITH members AS (SELECT DISTINCT key, entity FROM ({pairs})),\n"
        "sizes AS (SELECT key, count(*) AS size FROM members GROUP BY 1),\n"
        "persons AS (SELECT entity, min(size) AS size FROM members\n"
        "JOIN sizes ON members.key IS NOT DISTINCT FROM sizes.key GROUP BY 1)\n"
        "SELECT size, sum(class), sum(person) FROM (\n"
        "SELECT size, 1 AS class, 0 AS person FROM sizes\n"
        "UNION ALL SELECT size, 0, 1 FROM persons) GROUP BY 1"
    )


def _fetched(connection: DuckDBPyConnection, name: str, select: str) -> ClassSizes:
    rows = connection.execute(f"SELECT * FROM ({select}) ORDER BY 1").fetchall()
    sizes, classes, persons = (
        (tuple(map(int, column)) for column in zip(*rows, strict=True)) if rows else ((), (), ())
    )
    return ClassSizes(column=name, sizes=sizes, classes=classes, persons=persons)

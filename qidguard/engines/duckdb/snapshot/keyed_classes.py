"""Persons, classes and columns of a private copy as keyed hashes, to follow releases over time."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

import numpy as np
from duckdb import DuckDBPyConnection
from numpy.typing import NDArray

from qidguard.core.column import ValueType
from qidguard.core.errors import DataError, InternalError
from qidguard.core.spelling import Normalized, Spelling
from qidguard.core.versions import BUCKETS, PublishedColumn
from qidguard.engines.base import KeyedClasses
from qidguard.engines.duckdb.columns import shape_of, value_type
from qidguard.engines.duckdb.described import describe_columns
from qidguard.engines.duckdb.snapshot.opened import Opened, encoded
from qidguard.engines.duckdb.spelling import keyed
from qidguard.engines.sql.identifier import quote_text

_BLOCK = 64
_HEX_DIGITS = 32
"""Digits that are kept of a hash: 16 bytes."""


@dataclass(frozen=True, kw_only=True)
class KeyedHash:
    """The two halves of a key, as RFC 2104 pads them.

    Args:
        inner: The key XOR 0x36, 64 bytes.
        outer: The key XOR 0x5c, 64 bytes.
    """

    inner: bytes = field(repr=False)
    outer: bytes = field(repr=False)

    @property
    def parameters(self) -> dict[str, bytes]:
        """What the SQL of ``number`` is run with."""
        return {"inner": self.inner, "outer": self.outer}

    def number(self, message: str) -> str:
        """Return SQL for the first 16 bytes of HMAC(key, message) as one whole number (UHUGEINT).

        HMAC(K, m) = H((K ⊕ opad) ‖ H((K ⊕ ipad) ‖ m)) with H = SHA-256 (Krawczyk, Bellare and Canetti 1997,
        RFC 2104, section 2); truncation to half of it is its section 5.
        """
        first = f"unhex(sha256($inner::BLOB || encode({message})))"
        return f"CAST('0x' || sha256($outer::BLOB || {first})[1:{_HEX_DIGITS}] AS UHUGEINT)"


def keyed_hash(key: bytes) -> KeyedHash:
    """Return the keyed hash of a key of any length; ValueError for an empty one."""
    if not key:
        raise ValueError("a keyed hash needs a key of at least one byte")
    padded = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    return KeyedHash(inner=bytes(b ^ 0x36 for b in padded), outer=bytes(b ^ 0x5C for b in padded))


def keyed_columns(
    opened: Opened, names: Sequence[str], hashed: KeyedHash, suppression_mark: str | None
) -> tuple[PublishedColumn, ...]:
    """Return type and buckets of each column.

    The bucket of a value is the first 8 bytes of HMAC(key, ``value:`` + the encoded column name and text)
    modulo BUCKETS, as a big-endian number; the name is encoded as JSON.
    """
    database, copied = opened.connection.duckdb, opened.copied
    counted = f"(SELECT *, 1 AS records FROM {opened.relation})"
    shape = shape_of(database, counted, copied.names, copied.order, is_text=copied.is_text)
    published = []
    for column in opened.columns(names):
        message = encoded([quote_text(json.dumps(column.name)), "value"])
        number = hashed.number(f"'value:' || {message}")
        bucket_of = f"CAST({number} >> 64 AS UBIGINT) % {BUCKETS}"
        rows = database.execute(
            f"SELECT CASE WHEN value IS NOT NULL THEN {bucket_of} ELSE {BUCKETS} END AS bucket,\n"
            "CAST(sum(records) AS BIGINT)\n"
            f"FROM (SELECT {column.grouped} AS value, count(*) AS records\n"
            f"FROM {opened.relation} GROUP BY 1)\nGROUP BY 1",
            hashed.parameters,
        ).fetchall()
        buckets = np.zeros(BUCKETS + 1, dtype=np.int64)
        for bucket, records in rows:
            buckets[int(bucket)] = records
        [known] = describe_columns(
            database, shape, [copied.names.index(column.name)], suppression_mark
        ).values()
        published.append(
            PublishedColumn(name=column.name, value_type=known.facts.value_type.value, buckets=buckets)
        )
    return tuple(published)


_SLICE = 1 << 18
"""Pairs of a person and a class that are collected in one go: a list of them does not spill."""

_HASHES = 1 << 128


def keyed_classes(
    opened: Opened,
    combinations: Mapping[str, Sequence[str]],
    entity: str | None,
    hashed: KeyedHash,
    followed: Sequence[str] | None,
    normalized: Sequence[Normalized],
    mark: str | None,
) -> KeyedClasses:
    """Return persons and classes as the first 16 bytes of HMAC(key, message) each.

    A message is a purpose and encoded texts (values as a GROUP BY takes them as one): ``person:`` with the
    entity; without an entity ``record:`` with the ``followed`` columns (None: all), and then ``person:`` with
    the digits of that hash and the record's place among equal ones, from 1; ``class:`` with the number of
    columns, ``:`` and their values. Whoever has records in several classes is in the class ``classes:`` with
    the digits of these, sorted. The digits of a hash are 32 hexadecimal ones, A to F in capitals. Texts of
    ``normalized`` columns are taken as what they are normalized to, but for the ``mark``.
    """
    opened = _written_alike(opened, normalized, mark)
    database = opened.connection.duckdb
    kept = {name: f"class_{i}" for i, name in enumerate(combinations)}
    classes = "".join(
        f",\n{_class_of(opened, columns, hashed)} AS {kept[name]}" for name, columns in combinations.items()
    )
    person = _person(opened, entity, hashed, followed or opened.copied.names)
    database.execute(
        f"CREATE TABLE given AS SELECT {person} AS person{classes}\nFROM {opened.relation}", hashed.parameters
    )
    if entity is None:
        _number_equal_records(database, list(kept.values()), hashed)
    persons = _hashes(database, "SELECT DISTINCT person AS hash FROM given")
    if entity is None and len(persons) != opened.copied.records:
        raise InternalError("Two records were given one keyed hash; please report it.")
    hashes: dict[str, NDArray[np.uint8]] = {}
    class_of: dict[str, NDArray[np.int64]] = {}
    for name, column in kept.items():
        _one_class_each(database, column, hashed)
        hashes[name] = _hashes(database, "SELECT DISTINCT class AS hash FROM classed")
        class_of[name] = _places(database)
    return KeyedClasses(persons=persons, classes=hashes, class_of=class_of)


def _written_alike(opened: Opened, normalized: Sequence[Normalized], mark: str | None) -> Opened:
    """Return the copy with what each text is normalized to in its place."""
    kinds, values, joins = list(opened.copied.kinds), [], []
    for one in normalized:
        if one.column not in opened.copied.names:
            continue
        (column,) = opened.columns([one.column])
        name, own, table = column.column, f"source.{column.column}", f"alike_{column.column}"
        if value_type(column.kind) is ValueType.TEXT:
            found = f"(SELECT DISTINCT {name} AS value FROM {opened.relation}) AS found"
            ways = keyed(found, one.spellings, ValueType.TEXT, mark)
            opened.connection.duckdb.execute(
                f"CREATE OR REPLACE TABLE {table} AS\nSELECT value, key FROM ({ways}) WHERE value IS NOT NULL"
            )
            values.append(f"{table}.key AS {name}")
            joins.append(f"LEFT JOIN {table} ON {own} = {table}.value")
            kinds[opened.copied.names.index(one.column)] = "VARCHAR"
        elif value_type(column.kind) is ValueType.NUMBER and Spelling.MISSING in one.spellings:
            values.append(f"CASE WHEN NOT isnan({own}) THEN {own} END AS {name}")
    if not values:
        return opened
    joined = "\n".join(
        [f"(SELECT source.* REPLACE ({', '.join(values)})", f"FROM {opened.relation} AS source", *joins]
    )
    return replace(opened, relation=f"{joined})", copied=replace(opened.copied, kinds=tuple(kinds)))


def keyed_persons(opened: Opened, entity: str, hashed: KeyedHash) -> NDArray[np.uint8]:
    """Return the hash of each record's person as ``keyed_classes`` has it; shape (records, 16), in order."""
    database = opened.connection.duckdb
    person = _person(opened, entity, hashed, ())
    database.execute(
        f"CREATE TABLE given AS SELECT {person} AS person, position\nFROM {opened.relation}",
        hashed.parameters,
    )
    return _hashes(database, "SELECT person AS hash, position FROM given", order="position")


def _person(opened: Opened, entity: str | None, hashed: KeyedHash, followed: Sequence[str]) -> str:
    if entity is None:
        texts = [column.grouped for column in opened.columns(followed)]
        return hashed.number(f"'record:' || {encoded(texts)}")
    (column,) = opened.columns([entity])
    missing = opened.connection.duckdb.execute(
        f"SELECT count(*) - count({column.column}) FROM {opened.relation}"
    ).fetchall()[0][0]
    if missing:
        raise DataError(
            f"{missing:,} records have no value in the entity column {entity!r}, so they cannot be followed"
            " from release to release; fill it or drop them."
        )
    return hashed.number(f"'person:' || {encoded([column.grouped])}")


def _class_of(opened: Opened, columns: Sequence[str], hashed: KeyedHash) -> str:
    texts = [column.grouped for column in opened.columns(columns)]
    return hashed.number(f"'class:{len(texts)}:' || {encoded(texts)}")


def _number_equal_records(database: DuckDBPyConnection, classes: Sequence[str], hashed: KeyedHash) -> None:
    """Make persons of records: the hash of what each is followed by, and its place among equal ones.

    Records that are followed by equal content may be in different classes, so their places go by these.
    """
    order = f" ORDER BY {', '.join(classes)}" if classes else ""
    place = f"row_number() OVER (PARTITION BY person{order})"
    message = encoded([_digits("person"), "CAST(place AS VARCHAR)"])
    number = hashed.number(f"'person:' || {message}")
    database.execute(
        f"CREATE OR REPLACE TABLE given AS\nSELECT * EXCLUDE place REPLACE ({number} AS person)\n"
        f"FROM (SELECT *, {place} AS place FROM given) AS placed",
        hashed.parameters,
    )


def _one_class_each(database: DuckDBPyConnection, column: str, hashed: KeyedHash) -> None:
    """Create ``classed``: each person once, with a class of their own where they have several."""
    database.execute(
        "CREATE OR REPLACE TABLE classed AS\n"
        f"SELECT person, min({column}) AS class, min({column}) <> max({column}) AS is_mixed\n"
        "FROM given\nGROUP BY person"
    )
    mixed = database.execute(
        "SELECT count(*) FROM given SEMI JOIN (FROM classed WHERE is_mixed) AS m USING (person)"
    ).fetchall()[0][0]
    if not mixed:
        return
    number = hashed.number(f"'classes:' || string_agg({_digits(column)}, '' ORDER BY {column})")
    database.execute("CREATE OR REPLACE TABLE merged(person UHUGEINT, class UHUGEINT)")
    slices = -(-int(mixed) // _SLICE)
    # hashes are spread evenly, so equal ranges of them hold about as many persons
    for i in range(slices):
        first, last = i * _HASHES // slices, (i + 1) * _HASHES // slices - 1
        database.execute(
            f"INSERT INTO merged\nSELECT person, {number}\nFROM (\n"
            f"SELECT DISTINCT person, {column} FROM given\n"
            "SEMI JOIN (FROM classed WHERE is_mixed) AS m USING (person)\n"
            f"WHERE person BETWEEN '{first}'::UHUGEINT AND '{last}'::UHUGEINT\n) AS pairs\nGROUP BY person",
            hashed.parameters,
        )
    database.execute(
        "CREATE OR REPLACE TABLE classed AS\nSELECT person, coalesce(merged.class, classed.class) AS class\n"
        "FROM classed LEFT JOIN merged USING (person)"
    )


def _digits(number: str) -> str:
    # a whole number of 128 bits takes hundreds of times as long to be printed in decimal digits
    return f"lpad(hex({number}), 32, '0')"


def _hashes(database: DuckDBPyConnection, select: str, *, order: str = "hash") -> NDArray[np.uint8]:
    """Return the numbers ``hash`` of a SELECT as bytes, sorted; shape (rows, 16)."""
    low = f"'{(1 << 64) - 1}'::UHUGEINT"
    fetched = database.execute(
        f"SELECT CAST(hash >> 64 AS UBIGINT) AS high, CAST(hash & {low} AS UBIGINT) AS low\n"
        f"FROM ({select}) AS found\nORDER BY {order}"
    ).fetchnumpy()
    halves = np.empty((len(fetched["high"]), 2), dtype=">u8")
    halves[:, 0] = fetched["high"]
    halves[:, 1] = fetched["low"]
    return halves.view(np.uint8).reshape(-1, 16)


def _places(database: DuckDBPyConnection) -> NDArray[np.int64]:
    """Return for each person, in order, the place of their class among the sorted classes."""
    fetched = database.execute(
        "SELECT dense_rank() OVER (ORDER BY class) - 1 AS place FROM classed ORDER BY person"
    ).fetchnumpy()
    return np.asarray(fetched["place"]).astype(np.int64)

"""A copy of a private copy with other values and fewer records, and the types it is published with."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from qidguard.core.column import Original, PublishedValue, Recoded, ValueType, published_text
from qidguard.core.errors import DataError
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.columns import value_type
from qidguard.engines.duckdb.snapshot.column_values import MOST_JOINS, coded_values, dictionary_table
from qidguard.engines.duckdb.snapshot.opened import Column, Opened
from qidguard.engines.duckdb.sources.copied import Copied
from qidguard.engines.duckdb.sources.staged import Staged

if TYPE_CHECKING:
    from numpy.typing import NDArray


TEXT = "VARCHAR"
WHOLE = "BIGINT"
WIDE = "HUGEINT"
FRACTION = "DOUBLE"
BOOLEAN = "BOOLEAN"
DATE = "DATE"
MOMENT = "TIMESTAMP"

_NARROW = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
"""Types whose values are all BIGINTs too."""

_LARGEST_WHOLE, _LARGEST_WIDE = 2**63, 2**127


def published_type(values: Sequence[PublishedValue], own: str) -> str:
    """Return the type that holds published values of a typed source, original ones among them or not.

    Original values alone keep their type. Numbers of two types become the wider, dates beside moments
    become moments, and whatever else meets becomes text.

    Example:
        >>> published_type([Original(1), None], "SMALLINT"), published_type([Original(1), 2.5], "SMALLINT")
        ('SMALLINT', 'DOUBLE')
        >>> published_type([Original(1), "[1, 5]"], "SMALLINT")
        'VARCHAR'
    """
    plain = [value for value in values if value is not None and not isinstance(value, Original)]
    if not plain:
        return own
    kinds = {_type_of(value) for value in plain}
    if any(isinstance(value, Original) for value in values):
        kinds.add(_original_type(own))
    if kinds == {MOMENT, DATE}:
        return MOMENT
    if own in kinds and own == "TIMESTAMP_NS" and kinds <= {own, MOMENT, DATE}:
        return own
    if kinds == {WHOLE, WIDE}:
        return WIDE
    if FRACTION in kinds and kinds <= {WHOLE, WIDE, FRACTION}:
        return FRACTION
    return kinds.pop() if len(kinds) == 1 else TEXT


def _type_of(value: PublishedValue) -> str:
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        is_wide = not -_LARGEST_WHOLE <= value < _LARGEST_WHOLE
        return TEXT if not -_LARGEST_WIDE <= value < _LARGEST_WIDE else WIDE if is_wide else WHOLE
    if isinstance(value, float):
        return FRACTION
    if isinstance(value, datetime):
        return MOMENT
    return DATE if isinstance(value, date) else TEXT


def _original_type(own: str) -> str:
    """Return the type that the source's own values have beside others."""
    kind = value_type(own)
    if kind is ValueType.NUMBER:
        return FRACTION
    if kind is ValueType.INTEGER:
        # beyond these the values may not even be 128 bits wide
        return WHOLE if own in _NARROW else TEXT if own == "UHUGEINT" else WIDE
    return own


_FLOATING = {"DOUBLE", "FLOAT"}


def recoded(opened: Opened, columns: Mapping[str, Recoded], places: "NDArray[np.int64]") -> Staged:
    """Return the records at ``places``, staged in their order, with published values in some columns."""
    originals = opened.columns(tuple(columns))
    frame: dict[str, Any] = {"position": places, "place": np.arange(len(places))}
    for column in originals:
        codes = columns[column.name].codes
        if codes.shape != (opened.copied.records,):
            raise ValueError(f"the published codes of {column.name!r} are not one for each record")
        frame[_coded(column)] = codes[places].astype(np.int32)
    changed = {column.column for column in originals}
    names = [*(f"source.{name}" for name in opened.copied.columns if name not in changed), *frame]
    relation = (
        f"(SELECT {', '.join(names)}\nFROM {opened.relation} AS source JOIN given_codes USING (position))"
    )
    return _published(opened, frame, relation, originals, columns, opened.copied)


def new_table(opened: Opened, columns: Mapping[str, Recoded]) -> Staged:
    """Return new columns only, staged: first those of the source, in its order, then others."""
    made = _new_columns(opened, columns)
    records = len(columns[made[0].name].codes)
    if not records:
        raise DataError("The new table has no records, so there is nothing to be published.")
    frame: dict[str, Any] = {"place": np.arange(records)}
    for column in made:
        codes = columns[column.name].codes
        if codes.shape != (records,):
            raise ValueError(f"the codes of {column.name!r} are not one for each new record")
        frame[_coded(column)] = codes.astype(np.int32)
    copied = replace(opened.copied, names=tuple(column.name for column in made), is_new=True)
    return _published(opened, frame, "given_codes", made, columns, copied)


def _new_columns(opened: Opened, columns: Mapping[str, Recoded]) -> list[Column]:
    """Return the columns of the new table, named inside by their own order."""
    if not columns:
        raise DataError("The new table has no columns, so there is nothing to be published.")
    every_value = (value for recoded in columns.values() for value in recoded.values)  # noqa: PD011 - no data frame
    if any(isinstance(value, Original) for value in every_value):
        raise ValueError("a new table copies no value of the source")
    kinds = dict(zip(opened.copied.names, opened.copied.kinds, strict=True))
    names = (*(n for n in opened.copied.names if n in columns), *(n for n in columns if n not in kinds))
    return [
        Column(name=name, column=naming.column(at), kind=kinds.get(name, "BIGINT"))
        for at, name in enumerate(names)
    ]


def _coded(column: Column) -> str:
    """Return the name of the codes of a column's published values."""
    return f"v_{column.column}"


def _published(
    opened: Opened,
    frame: Mapping[str, Any],
    relation: str,
    columns: Sequence[Column],
    recoded: Mapping[str, Recoded],
    copied: Copied,
) -> Staged:
    """Return a relation over the codes of a frame, staged, with published values in their place."""
    database = opened.connection.duckdb
    database.register("given_codes", pd.DataFrame(frame))
    for start in range(0, len(columns), MOST_JOINS):
        if start:
            # one statement with a join for each of 300 columns would be planned for minutes
            database.execute(f"CREATE OR REPLACE TEMP TABLE joined AS SELECT * FROM {relation}")
            database.execute("DROP TABLE IF EXISTS recoded")
            database.execute("ALTER TABLE joined RENAME TO recoded")
            relation = "recoded"
        together = columns[start : start + MOST_JOINS]
        tables = [published_table(opened, column, recoded[column.name].values) for column in together]
        pairs = list(zip(together, tables, strict=True))
        values = ", ".join(f"{table}.value AS {column.column}" for column, table in pairs)
        joins = "".join(f"\nJOIN {table} ON source.{_coded(c)} = {table}.published" for c, table in pairs)
        used = ", ".join(map(_coded, together))
        relation = f"(SELECT source.* EXCLUDE ({used}), {values}\nFROM {relation} AS source{joins})"
    staged = copied.staged(f"(SELECT {', '.join(copied.columns)}, place FROM {relation})")
    return replace(staged, on_release=(partial(database.unregister, "given_codes"),))


def published_table(opened: Opened, column: Column, values: Sequence[PublishedValue]) -> str:
    """Create the table of a column's published values, ``published`` and ``value``, and return its name."""
    database = opened.connection.duckdb
    kind = TEXT if opened.copied.is_text else published_type(values, column.kind)
    table = f"published_{column.column}"
    originals = [(at, value.code) for at, value in enumerate(values) if isinstance(value, Original)]
    plain = [(at, value) for at, value in enumerate(values) if not isinstance(value, Original)]
    database.execute(f"CREATE OR REPLACE TEMP TABLE {table} (published INTEGER, value {kind})")
    if plain:
        is_floating = bool(originals) and column.kind in _FLOATING
        if opened.copied.is_text and any(isinstance(value, float) for _, value in plain):
            is_floating = _prints_floats(opened, column)
        frame, value = _given(column, plain, kind, is_floating=is_floating)
        database.register("given", frame)
        database.execute(f"INSERT INTO {table} SELECT published, {value} FROM given")
        database.unregister("given")
    if originals:
        dictionary = coded_values(opened, column, None)
        if not all(0 <= code <= dictionary.facts.distinct for _, code in originals):
            raise ValueError(f"a published value of {column.name!r} is an original one that there is not")
        database.register("asked", pd.DataFrame(originals, columns=["published", "code"]))
        name = dictionary_table(opened, column)
        # the text of a number is exact, where a cast of its four bytes to eight is not
        value = f"CAST({name}.value AS VARCHAR)" if kind == FRACTION != column.kind else f"{name}.value"
        database.execute(
            f"INSERT INTO {table}\nSELECT asked.published, CAST({value} AS {kind})\n"
            f"FROM asked LEFT JOIN {name} ON asked.code = {name}.code"
        )
        database.unregister("asked")
        database.execute(f"DROP TABLE {name}")
    return table


def _prints_floats(opened: Opened, column: Column) -> bool:
    """Whether the numbers among a column's texts are written as ``31.0``, as floating-point ones print."""
    number = f"TRY_CAST({column.column} AS DOUBLE)"
    is_so = f"CASE WHEN {number} IS NOT NULL THEN CAST({number} AS VARCHAR) = {column.column} END"
    found = opened.connection.duckdb.execute(f"SELECT bool_and({is_so}) FROM {opened.relation}").fetchall()
    return bool(found[0][0])


def _given(
    column: Column, plain: Sequence[tuple[int, PublishedValue]], kind: str, *, is_floating: bool
) -> tuple[pd.DataFrame, str]:
    """Return a frame of published values that are none of the source's, and SQL for them in their type."""
    values = [value for _, value in plain]
    frame: dict[str, Any] = {"published": [at for at, _ in plain], "missing": [v is None for v in values]}
    if kind in {WHOLE, FRACTION}:
        dtype = np.int64 if kind == WHOLE else np.float64
        # a floating-point NaN is a value, which pandas takes as none
        frame["nan"] = [v != v for v in values]  # noqa: PLR0124 - NaN is the value that differs from itself
        frame["value"] = np.array([0 if v is None or v != v else v for v in values], dtype=dtype)  # noqa: PLR0124 - the same
        nan = "CAST('nan' AS DOUBLE)" if kind == FRACTION else "NULL"
        return pd.DataFrame(frame), f"CASE WHEN NOT missing THEN CASE WHEN nan THEN {nan} ELSE value END END"
    try:
        frame["value"] = pd.Series([None if v is None else published_text(v) for v in values], dtype="str")
        for text in frame["value"]:
            if isinstance(text, str):
                text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"a published text of {column.name!r} is no Unicode") from None
    if kind != TEXT or not is_floating:
        return pd.DataFrame(frame), f"CASE WHEN NOT missing THEN CAST(value AS {kind}) END"
    frame["number"] = [isinstance(v, (int, float)) and not isinstance(v, bool) for v in values]
    shown = "CAST(CAST(value AS DOUBLE) AS VARCHAR)"
    return pd.DataFrame(frame), f"CASE WHEN NOT missing THEN CASE WHEN number THEN {shown} ELSE value END END"

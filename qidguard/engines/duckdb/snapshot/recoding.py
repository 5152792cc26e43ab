"""Put other values in place of columns of a private copy."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from qidguard.core.column import ValueType
from qidguard.core.column_values import Original, PublishedValue, Recoded
from qidguard.core.private_folder import PrivateFolder
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.snapshot.column_values import coded_values
from qidguard.engines.duckdb.snapshot.opened import Column, Opened
from qidguard.engines.duckdb.snapshot.private_copy import copy_staged
from qidguard.engines.duckdb.sources.copied import Copied
from qidguard.engines.duckdb.sources.staged import Staged
from qidguard.engines.duckdb.types import value_type

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHOLE, _FRACTION, _TEXT = "BIGINT", "DOUBLE", "VARCHAR"


def recoded(
    opened: Opened, columns: Mapping[str, Recoded], places: "NDArray[np.int64]", folder: PrivateFolder
) -> Copied:
    """Return a copy of the records at ``places``, in their order, with published values in some columns.

    Raises:
        DataError: when there is no such column.
        ValueError: when a column's codes are not one a record, or name an original value that is none.
    """
    database = opened.connection.duckdb
    found = opened.columns(tuple(columns))
    frame: dict[str, Any] = {"position": places, "place": np.arange(len(places))}
    published: dict[str, str] = {}
    for column in found:
        recoding = columns[column.name]
        if recoding.codes.shape != (opened.copied.records,):
            raise ValueError(f"the published codes of {column.name!r} are not one for each record")
        frame[f"v_{column.column}"] = recoding.codes[places].astype(np.int32)
        published[column.column] = _published(opened, column, recoding.values)
    database.register("kept", pd.DataFrame(frame))
    selected = ", ".join(
        f"{published[name]}.value AS {name}" if name in published else f"source.{name}"
        for name in opened.copied.columns
    )
    joins = "".join(f"\nJOIN {table} ON kept.v_{name} = {table}.place" for name, table in published.items())
    staged = Staged(
        names=opened.copied.names,
        relation=(
            f"(SELECT {selected}, kept.place\nFROM {opened.relation} AS source\n"
            f"JOIN kept USING (position){joins})"
        ),
        is_text=opened.copied.is_text,
        notes=opened.copied.notes,
    )
    copied = copy_staged(opened.connection, staged, folder, position="place")
    database.unregister("kept")
    return copied


def _published(opened: Opened, column: Column, values: Sequence[PublishedValue]) -> str:
    """Create the table of a column's published values, ``place`` and ``value``, and return its name."""
    database = opened.connection.duckdb
    kind = _TEXT if opened.copied.is_text else _kind(values, column.kind)
    table = f"published_{column.column}"
    originals = [(at, value.code) for at, value in enumerate(values) if isinstance(value, Original)]
    plain = [(at, value) for at, value in enumerate(values) if not isinstance(value, Original)]
    database.execute(f"CREATE OR REPLACE TEMP TABLE {table} (place INTEGER, value {kind})")
    if plain:
        shown = [None if v is None else _text(v) if kind == _TEXT else v for _, v in plain]
        given = pd.DataFrame({"place": [at for at, _ in plain], "value": pd.Series(shown, dtype=object)})
        if kind == _FRACTION:
            given["value"] = given["value"].astype(float)
        elif kind == _WHOLE:
            given["value"] = given["value"].astype("Int64")
        elif all(v is None for v in shown):
            given["value"] = pd.Series([None] * len(shown), dtype="string")
        database.register("given", given)
        database.execute(f"INSERT INTO {table} SELECT place, CAST(value AS {kind}) FROM given")
        database.unregister("given")
    if originals:
        index, dictionary = coded_values(opened, column.name)
        if not all(0 <= code <= dictionary.facts.distinct for _, code in originals):
            raise ValueError(f"a published value of {column.name!r} is an original one that there is not")
        database.register("asked", pd.DataFrame(originals, columns=["place", "code"]))
        name = naming.dictionary(index)
        database.execute(
            f"INSERT INTO {table}\nSELECT asked.place, CAST({name}.value AS {kind})\n"
            f"FROM asked LEFT JOIN {name} ON asked.code = {name}.code"
        )
        database.unregister("asked")
        database.execute(f"DROP TABLE {name}")
    return table


def _kind(values: Sequence[PublishedValue], own: str) -> str:
    """Return DuckDB's type for published values in a typed source."""
    plain = [value for value in values if value is not None and not isinstance(value, Original)]
    if not plain:
        return own
    kinds = {_kind_of(value) for value in plain}
    if any(isinstance(value, Original) for value in values):
        its = value_type(own)
        kinds.add({ValueType.INTEGER: _WHOLE, ValueType.NUMBER: _FRACTION}.get(its, own))
    if len(kinds) == 1:
        return kinds.pop()
    return _FRACTION if kinds == {_WHOLE, _FRACTION} else _TEXT


def _kind_of(value: PublishedValue) -> str:
    if isinstance(value, bool):
        return "BOOLEAN"
    if isinstance(value, int):
        return _WHOLE
    if isinstance(value, float):
        return _FRACTION
    if isinstance(value, datetime):
        return "TIMESTAMP"
    return "DATE" if isinstance(value, date) else _TEXT


def _text(value: PublishedValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value)) if abs(value) < 1e15 else repr(value)  # noqa: PLR2004 - beyond it digits are lost
    return value.isoformat(" ") if isinstance(value, datetime) else str(value)

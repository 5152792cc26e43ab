"""The files of a release: one of a single table, or one for each of several, with their dictionary."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.auditing.original import mark_of
from qidguard.core.errors import DataError, InternalError
from qidguard.engines.base import Needs, ReadOptions
from qidguard.engines.linked import PublishedTable, linked_copy
from qidguard.releasing.publishing.data_package import (
    DATA_PACKAGE,
    PROFILE,
    TYPES,
    column_field,
    resource,
    write_data_package,
)
from qidguard.releasing.publishing.order import order_seed

if TYPE_CHECKING:
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.deciding.decided import Decided


@dataclass(frozen=True, kw_only=True)
class Files:
    """What was written.

    Args:
        names: The files, the table of the persons first.
        types: The columns of that table with their types, in order.
        columns: Its columns as they were audited, without what stands for other tables.
        tables: Table → its columns, where there are several.
        moved: How many columns of dates were moved.
    """

    names: tuple[str, ...]
    types: Mapping[str, str] = field(repr=False)
    columns: tuple[str, ...]
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    moved: int = 0


def write_files(context: "ReleaseContext", decided: "Decided", folder: Path) -> Files:
    """Write every file of a release into a folder, compared with what was audited.

    Raises:
        DataError: When a format cannot hold what is to be written.
        UserError: When the folder cannot be written.
    """
    assert decided.selection is not None  # noqa: S101 - what is let through has columns
    snapshot, columns = decided.judged.snapshot, decided.selection.published
    linked = linked_copy(decided.source.snapshot)
    seed = None
    if not context.policy.release.keep_order:
        seed = order_seed(context.seed, context.history_key)
    if linked is None:
        kind = context.policy.release.format or snapshot.format
        name = f"{context.data_set}.{kind}"
        context.progress.step("writing", 0, 1)
        types = snapshot.write(folder / name, columns, kind, seed=seed)
        context.progress.step("writing", 1, 1)
        names = (name, *write_data_package(context, decided, folder / name, columns))
        return Files(names=names, types=types, columns=columns)
    _check_held(context, decided, linked.source.made)
    with linked.published(snapshot, columns) as tables:
        written = []
        for done, table in enumerate(tables):
            context.progress.step("writing", done, len(tables))
            written.append(_written(context, folder, table, seed))
        context.progress.step("writing", len(tables), len(tables))
        package = write_linked_package(
            context, decided, folder, {name: t for (name, _), t in zip(written, tables, strict=True)}
        )
        return Files(
            names=(*(name for name, _ in written), package),
            types=written[0][1],
            columns=tuple(name for name in columns if name not in linked.source.made),
            tables={table.name: table.columns for table in tables},
            moved=sum(len(table.moved) for table in tables),
        )


def _check_held(context: "ReleaseContext", decided: "Decided", made: Sequence[str]) -> None:
    """What stands for records is published by them, so it was judged as it is, or nothing is published."""
    changed = () if decided.receipt is None else decided.receipt.columns_changed
    if set(changed) & set(made) or set(made) - set(decided.judged.snapshot.names):
        raise InternalError(f"columns made of records were changed in {context.data_set!r}; please report it")


def _written(
    context: "ReleaseContext", folder: Path, table: PublishedTable, seed: int | None
) -> tuple[str, dict[str, str]]:
    kind = context.policy.release.format or table.records.format
    name = f"{table.name}.{kind}"
    # files in one order would tell whose records stand where
    own = None if seed is None else int(sha256(f"{seed}:{table.name}".encode()).hexdigest()[:15], 16)
    try:
        return name, table.records.write(folder / name, table.columns, kind, seed=own)
    except DataError as error:
        raise DataError(f"Table {table.name!r}: {error}") from None


_PSEUDONYM = "A pseudonym: the same in all files of this release, and in no other."
_MOVED = "Moved by whole days, all dates of a person by the same; the days between them are as they were."


def write_linked_package(
    context: "ReleaseContext", decided: "Decided", folder: Path, tables: "Mapping[str, PublishedTable]"
) -> str:
    """Write the dictionary of several published files, by file name, and return its own name.

    It holds names, types, keys and what was done to each column, and no count.
    """
    described = {
        "$schema": PROFILE,
        "name": context.data_set.lower(),
        "id": f"{context.data_set}/{context.release_id}",
        "created": context.day,
        "resources": [
            _described(context, decided, file, table, is_of_persons=place == 0)
            for place, (file, table) in enumerate(tables.items())
        ],
    }
    content = json.dumps(described, ensure_ascii=False, indent=2) + "\n"
    (folder / DATA_PACKAGE).write_bytes(content.encode())
    return DATA_PACKAGE


def _described(
    context: "ReleaseContext", decided: "Decided", file: str, table: "PublishedTable", *, is_of_persons: bool
) -> dict[str, Any]:
    mark = mark_of(context.policy)
    reports = {column.facts.name: column for column in decided.report.columns} if is_of_persons else {}
    own = () if table.key is None else (table.key,)
    keys = {*own, *table.references}
    rest = [name for name in table.columns if name not in keys and name not in reports]
    types = _types(context, table, rest)
    fields = []
    for name in table.columns:
        if name in keys:
            field: dict[str, Any] = {"name": name, "type": "string", "description": _PSEUDONYM}
        elif name in reports:
            field = column_field(decided, reports[name], mark)
        else:
            field = {"name": name, "type": types[name], "missingValues": [""]}
        if name in table.moved:
            field["description"] = _MOVED
        if field["type"] == "datetime":
            field["format"] = "any"
        fields.append(field)
    schema: dict[str, Any] = {"fields": fields}
    if own and own[0] in table.columns:
        schema["primaryKey"] = list(own)
    schema["foreignKeys"] = [
        {
            "fields": [column],
            "reference": {"resource": other.lower(), "fields": [_key_of(context, other)]},
        }
        for column, other in table.references.items()
        if column in table.columns
    ]
    if not schema["foreignKeys"]:
        del schema["foreignKeys"]
    return resource(table.name.lower(), file) | {"schema": schema}


def _key_of(context: "ReleaseContext", name: str) -> str:
    table = context.policy.tables[name]
    key = table.key if table.references else context.policy.roles.entity
    assert key is not None  # noqa: S101 - the policy has looked
    return key


def _types(context: "ReleaseContext", table: "PublishedTable", names: list[str]) -> dict[str, str]:
    if not names:
        return {}
    opened = context.engine.open(table.records, ReadOptions(), Needs(columns=()), context.settings)
    try:
        return {one.name: TYPES[one.value_type] for one in opened.columns if one.name in names}
    finally:
        opened.close()

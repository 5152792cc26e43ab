"""The data dictionary of several files: a Frictionless data package with the keys by which they join."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.auditing.original import mark_of
from qidguard.engines.base import Needs, ReadOptions
from qidguard.releasing.publishing.data_package import DATA_PACKAGE, PROFILE, TYPES, column_field, resource

if TYPE_CHECKING:
    from qidguard.engines.linked import PublishedTable
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.deciding.decided import Decided

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

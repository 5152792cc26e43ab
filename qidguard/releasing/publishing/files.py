"""The files of a release: one of a single table, or one for each of several, with their dictionary."""

import hmac
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.auditing.original import mark_of
from qidguard.core.column import ValueType
from qidguard.core.errors import DataError, InternalError
from qidguard.core.versions import Technique, Treatment
from qidguard.engines.base import Needs, ReadOptions
from qidguard.engines.linked import PublishedTable, linked_copy

if TYPE_CHECKING:
    from qidguard.core.column import ColumnFacts
    from qidguard.core.report import ColumnReport
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.deciding.decide import Decided


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
        with context.step("writing"):
            types = snapshot.write(folder / name, columns, kind, seed=seed)
        if kind != "csv":  # Parquet tells types by itself
            return Files(names=(name,), types=types, columns=columns)
        reports, mark = _reports(decided), mark_of(context.policy)
        fields = [column_field(decided, reports[column], mark) for column in columns]
        told = resource(context.data_set.lower(), name) | {"schema": {"fields": fields}}
        package = write_package(context, folder, [told])
        return Files(names=(name, package), types=types, columns=columns)
    _check_held(context, decided, linked.source.made)
    with linked.published(snapshot, columns) as tables:
        written = []
        for done, table in enumerate(tables):
            context.progress.step("writing", done, len(tables))
            written.append(_written(context, folder, table, seed))
        context.progress.step("writing", len(tables), len(tables))
        package = write_package(
            context,
            folder,
            [
                _described(context, table, name, {} if place else _reports(decided), decided)
                for place, ((name, _), table) in enumerate(zip(written, tables, strict=True))
            ],
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


def write_package(context: "ReleaseContext", folder: Path, resources: Sequence[dict[str, Any]]) -> str:
    """Write the dictionary of published files and return its name.

    It holds names, types, keys, marks and what was done to each column, and no count. A column of numbers
    with suppressed cells is of numbers, and the mark is among its missing values; one whose digits begin
    with zeros is of texts, for whoever read it as a number would lose them.
    """
    described = {
        "$schema": PROFILE,
        "name": context.data_set.lower(),
        "id": f"{context.data_set}/{context.release_id}",
        "created": context.day,
        "resources": resources,
    }
    content = json.dumps(described, ensure_ascii=False, indent=2) + "\n"
    (folder / DATA_PACKAGE).write_bytes(content.encode())
    return DATA_PACKAGE


def _reports(decided: "Decided") -> "dict[str, ColumnReport]":
    return {column.facts.name: column for column in decided.report.columns}


def _described(
    context: "ReleaseContext",
    table: PublishedTable,
    file: str,
    reports: "Mapping[str, ColumnReport]",
    decided: "Decided",
) -> dict[str, Any]:
    """Return what a dictionary says of one of several tables; ``reports`` are of its audited columns."""
    mark = mark_of(context.policy)
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


DATA_PACKAGE = "datapackage.json"

PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
TYPES = {
    ValueType.INTEGER: "integer",
    ValueType.NUMBER: "number",
    ValueType.DATE: "date",
    ValueType.TIMESTAMP: "datetime",
    ValueType.BOOLEAN: "boolean",
    ValueType.TEXT: "string",
    ValueType.EMPTY: "any",
}
_SAID = {
    Technique.GENERALIZATION: "Generalized: some cells stand for several values.",
    Technique.PERTURBATION: "Perturbed: some cells hold another value than the record's own, such as a mean.",
    Technique.SUPPRESSION: "Suppressed: some cells are the mark.",
}


def resource(name: str, file: str) -> dict[str, Any]:
    """Return what a dictionary says of a file as a whole.

    Example:
        >>> resource("people", "people.parquet")
        {'name': 'people', 'path': 'people.parquet', 'type': 'table', 'format': 'parquet'}
    """
    told: dict[str, Any] = {"name": name, "path": file, "type": "table"}
    if not file.endswith(".csv"):
        return told | {"format": "parquet"}
    return told | {
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "dialect": {"delimiter": ",", "quoteChar": '"', "doubleQuote": True, "header": True},
    }


def column_field(decided: "Decided", column: "ColumnReport", mark: str) -> dict[str, Any]:
    """Return what a dictionary says of a column of the audited table: its type, and what was done to it."""
    facts, receipt = column.facts, decided.receipt
    treatment = None if receipt is None else receipt.treatments.get(facts.name)
    is_marked = treatment is not None and Technique.SUPPRESSION in treatment.techniques
    field: dict[str, Any] = {
        "name": facts.name,
        "type": _type(decided, facts, mark if is_marked else None),
        "missingValues": ["", mark] if is_marked else [""],
    }
    if facts.value_type is ValueType.TIMESTAMP:
        field["format"] = "any"
    if facts.label:
        field["title"] = facts.label
    if column.kind is not None:
        field["qidguard:kind"] = column.kind.kind.value
    if receipt is None:
        return field
    if receipt.new_table is not None:
        made = f"{receipt.new_table.title} by {receipt.anonymizer}: nobody's records."
        return field | {"description": made}
    if treatment is None:
        return field
    return field | _treated(treatment, receipt.anonymizer)


_PLAIN = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")


def _type(decided: "Decided", facts: "ColumnFacts", mark: str | None) -> str:
    """Return the type that reads every cell without a loss."""
    kind = facts.value_type
    if mark is None and kind not in {ValueType.INTEGER, ValueType.NUMBER}:
        return TYPES[kind]
    values = decided.judged.records.column(facts.name)
    kind = values.value_type
    if kind in {ValueType.INTEGER, ValueType.NUMBER} and not all(
        text is None or text == mark or _PLAIN.fullmatch(text) for text in values.texts
    ):
        return TYPES[ValueType.TEXT]
    return TYPES[kind]


def _treated(treatment: Treatment, method: str) -> dict[str, Any]:
    said = " ".join(_SAID[technique] for technique in treatment.techniques)
    levels: dict[str, Any] = {}
    if treatment.levels:
        levels = {"qidguard:hierarchy": treatment.hierarchy, "qidguard:levels": list(treatment.levels)}
    return {
        "description": said,
        "qidguard:method": method,
        "qidguard:techniques": [technique.value for technique in treatment.techniques],
        **levels,
    }


_PURPOSE = b"qidguard record order/1\0"
_DRAWING = b"qidguard drawn values/1\0"


def order_seed(seed: int, secret: bytes) -> int:
    """Return the seed of the records' order: HMAC-SHA-256 of the run's seed under a secret.

    The same seed gives the same order where the secret is the same, and tells nothing of it elsewhere.

    Example:
        >>> order_seed(1, b"a" * 32) == order_seed(1, b"a" * 32) != order_seed(1, b"b" * 32)
        True
    """
    digest = hmac.digest(secret, _PURPOSE + str(seed).encode("ascii"), "sha256")
    return int.from_bytes(digest[:16], "big")


def drawing_seed(seed: int, secret: bytes) -> int:
    """Return the seed of what a remedy draws, 0 to 2^63 - 1: HMAC-SHA-256 of the run's seed under a secret.

    Example:
        >>> drawing_seed(1, b"a" * 32) == drawing_seed(1, b"a" * 32) != drawing_seed(1, b"b" * 32)
        True
    """
    digest = hmac.digest(secret, _DRAWING + str(seed).encode("ascii"), "sha256")
    return int.from_bytes(digest[:8], "big") >> 1

"""The data dictionary of a published CSV: a Frictionless data package that says how each column is read."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.auditing.original import mark_of
from qidguard.core.column import ValueType
from qidguard.core.treatment import Technique, Treatment

if TYPE_CHECKING:
    from qidguard.core.column import ColumnFacts
    from qidguard.core.report import ColumnReport
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.deciding.decided import Decided

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


def write_data_package(
    context: "ReleaseContext", decided: "Decided", file: Path, columns: Sequence[str]
) -> tuple[str, ...]:
    """Write the dictionary beside a published CSV and return its name; Parquet tells types by itself.

    It holds names, types, marks and what was done to each column, and no count. A column of numbers with
    suppressed cells is of numbers, and the mark is among its missing values; one whose digits begin with
    zeros is of texts, for whoever read it as a number would lose them.
    """
    if file.suffix != ".csv":
        return ()
    described = _described(context, decided, file.name, columns)
    content = json.dumps(described, ensure_ascii=False, indent=2) + "\n"
    file.with_name(DATA_PACKAGE).write_bytes(content.encode())
    return (DATA_PACKAGE,)


def _described(
    context: "ReleaseContext", decided: "Decided", file: str, columns: Sequence[str]
) -> dict[str, Any]:
    reports = {column.facts.name: column for column in decided.report.columns}
    mark = mark_of(context.policy)
    return {
        "$schema": PROFILE,
        "name": context.data_set.lower(),
        "id": f"{context.data_set}/{context.release_id}",
        "created": context.day,
        "resources": [
            resource(context.data_set.lower(), file)
            | {
                "schema": {"fields": [column_field(decided, reports[name], mark) for name in columns]},
            }
        ],
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

"""The JSON Schema of the audit document."""

import json
from importlib import resources
from typing import Any

from qidguard.core.column import ValueType
from qidguard.core.errors import ExitCode
from qidguard.core.role import DecidedBy, Role
from qidguard.core.verdict import Bound
from qidguard.rendering.document import FORMAT

FILE = "audit-1.schema.json"
"""Name of the published schema beside this module."""

Shape = dict[str, Any]


def published_audit_schema() -> str:
    """Return the text of the published schema, as it lies in the package."""
    return resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")


def audit_schema_text() -> str:
    """Return what the published schema must hold."""
    return json.dumps(audit_schema(), indent=2) + "\n"


def audit_schema() -> Shape:
    """Return the JSON Schema (draft 2020-12) of what ``--format json`` writes."""
    schema = _object(
        "The result of one audit: counts, sizes, rates and column names, never values of the table.",
        {
            "format": {"const": FORMAT, "description": "Name and version of this document."},
            "source": _text("What was audited, as the user named it."),
            "outcome": _one_of(
                ["passed", "blocked", "described"], "described: no policy was given, so nothing was judged."
            ),
            "exit_code": {
                "enum": [int(code) for code in ExitCode],
                "description": "0 passed or described, 1 blocked, 3 blocked by a fault of our own.",
            },
            "policy": _nullable(_policy()),
            "table": _table(),
            "is_auto": _flag("Whether recognizers chose the QIDs."),
            "thresholds": _list(_threshold(), "Every limit of the policy with its figure."),
            "blocks": _list(_block(), "Reasons to block that are no threshold."),
            "undone": _list(_undone(), "What published columns tell of generalized QIDs."),
            "read_backs": _list(
                _read_back(),
                "The thresholds once what undoes a generalization is read back: where that decides, and"
                " where a person accepted it.",
            ),
            "outside_qids": _nullable(_outside()),
            "accepted": _list(_accepted(), "What the policy accepts of published columns."),
            "classes": _list(_classes(), "The equivalence classes of each QID combination."),
            "columns": _list(_column(), "All columns in the table's order."),
            "notes": _list(_text("A sentence worth reading that does not block."), "Notes."),
            "engine": _text("Name of the engine that read and grouped the table."),
            "versions": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Version of the host and of every plugin that was loaded, by name.",
            },
            "seconds": _number("Wall time of the audit, in seconds.", minimum=0),
        },
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{FORMAT.replace('/', ':')}",
        "title": FORMAT,
        **schema,
    }


def _policy() -> Shape:
    return _object(
        "The policy that was judged by.",
        {
            "name": _text("Its name."),
            "sha256": _nullable(_text("SHA-256 of its text, hexadecimal.")),
            "preset": _nullable(_text("The preset that it builds on.")),
        },
    )


def _table() -> Shape:
    return _object(
        "The size of the table.",
        {
            "records": _count("Number of records."),
            "entities": _nullable(_count("Number of entities; null without an entity column.")),
            "columns": _count("Number of columns."),
            "person": _one_of(["records", "entities"], "What counts as a person."),
        },
    )


def _threshold() -> Shape:
    return _object(
        "One limit and its figure.",
        {
            "metric": _text("The metric's name."),
            "title": _text("The metric's title; empty where only its name is known."),
            "combination": _text("The QID combination's name."),
            "qids": _list(
                _text("A column."), "The columns it was measured over; of a subset attack, the worst."
            ),
            "sensitive": _nullable(_text("The sensitive attribute.")),
            "arguments": {
                "type": "object",
                "additionalProperties": {"type": ["number", "string", "boolean"]},
                "description": "The metric's parameters.",
            },
            "value": _nullable(_number("The figure in `unit`, shares 0..1; null where `reason` says why.")),
            "reason": _text("Why there is no value; empty where there is one."),
            "unit": _text("records, entities, share, classes, values, columns, nats, bits, ratio or score."),
            "bound": _one_of([bound.value for bound in Bound], "Which side of the limit is allowed."),
            "limit": _number("The limit in `unit`; itself allowed."),
            "distance": _nullable(_number("value − limit in `unit`; null where there is no value.")),
            "is_met": _flag("Whether the limit holds."),
            "is_warning": _flag("Whether a missed limit only warns."),
            "is_fault": _flag("Whether there is no value because a plugin failed."),
            "subsets": {
                **_count("Number of QID subsets that were measured to find the worst."),
                "minimum": 1,
            },
            "sentence": _text("The same in words."),
        },
    )


def _block() -> Shape:
    return _object(
        "One reason.",
        {
            "rule": _text("Short name of the rule."),
            "sentence": _text("The rule, the value, the remedy."),
            "is_internal": _flag("Whether a plugin or qidguard itself failed."),
        },
    )


def _undone() -> Shape:
    return _object(
        "One published column, or two together, that tell a generalized QID.",
        {
            "columns": _list(_text("A published column."), "The columns that tell."),
            "qid": _text("The QID whose original values they tell."),
            "persons": _count("Persons whose original value is told, and told right."),
            "generalized": _count("Persons in whom the QID was generalized."),
            "precision": _number("Share of what is told that is right.", minimum=0, maximum=1),
            "is_undone": _flag("Whether so much is told that the QID counts as published."),
            "accepted": _nullable(_text("The words in which a person accepts it, and who.")),
            "sentence": _text("The same in words."),
        },
    )


def _read_back() -> Shape:
    return _object(
        "The thresholds over the table with what is told in its place.",
        {
            "columns": _list(_text("A published column."), "The columns that tell."),
            "qids": _list(_text("A QID."), "The QIDs that were read back."),
            "is_accepted": _flag("Whether what a person accepted was read back, too; it blocks nothing."),
            "is_met": _flag("Whether no threshold keeps the table back."),
            "thresholds": _list(
                _threshold(), "The thresholds that can be measured again, none over time or on what was lost."
            ),
            "uniques": _count("Persons who are alone in a class of the main combination."),
            "below": _nullable(_count("Persons in classes below the policy's k; null where it has none.")),
            "sentence": _text("The same in words."),
        },
    )


def _outside() -> Shape:
    return _object(
        "What is published outside the QIDs; null where nobody looked at it.",
        {
            "told_apart": _list(
                _told_apart(),
                "Whom it tells apart: by what somebody may know, then with sensitive attributes where these"
                " tell more.",
            ),
            "identifying": _list(
                _identifying(), "Columns that identify people by themselves; each blocks until accepted."
            ),
        },
    )


def _told_apart() -> Shape:
    smallest = _object(
        "A small set of columns.",
        {
            "columns": _list(_text("A column."), "The columns."),
            "alone": _count("Persons who are alone on them."),
        },
    )
    return _object(
        "Whom some published columns tell apart together.",
        {
            "columns": _list(_text("A column."), "The columns; none that is accepted by itself."),
            "has_sensitive": _flag("Whether sensitive attributes are among them."),
            "alone": _count("Persons who are alone on all of them."),
            "persons": _count("Persons who were looked at."),
            "share": _number("alone / persons; 0 where there is nobody.", minimum=0, maximum=1),
            "smallest": _list(smallest, "The smallest sets that tell most of them apart."),
            "sentence": _text("The same in words."),
        },
    )


def _identifying() -> Shape:
    return _object(
        "One column.",
        {
            "column": _text("Its name."),
            "role": _one_of([role.value for role in Role], "What it is called."),
            "reason": _text("Why it identifies people, without a value."),
            "alone": _nullable(_count("Persons whose value nobody else has; null for another reason.")),
            "persons": _nullable(_count("Persons with a value; null for another reason.")),
            "accepted": _nullable(_text("The words in which a person accepts it, and who.")),
            "sentence": _text("The same in words, with what to do."),
        },
    )


def _accepted() -> Shape:
    return _object(
        "What a person accepts.",
        {
            "columns": _list(_text("A published column."), "One column, or two together."),
            "tells": _nullable(_text("The QID that they tell; null where the column itself is accepted.")),
            "reason": _text("Why, in words."),
            "by": _nullable(_text("Who accepts it.")),
            "is_needed": _nullable(
                _flag(
                    "Whether something would block or decide without it; null where nothing was transformed."
                )
            ),
        },
    )


def _classes() -> Shape:
    return _object(
        "The classes of one QID combination.",
        {
            "combination": _text("Its name."),
            "qids": _list(_text("A column."), "The columns."),
            "classes": _count("Number of classes."),
            "smallest": _count("Persons in the smallest class."),
            "uniques": _count("Persons who are alone in a class."),
        },
    )


def _column() -> Shape:
    return _object(
        "One column.",
        {
            "name": _text("Its name."),
            "role": _one_of([role.value for role in Role], "Its role."),
            "decided_by": _one_of([by.value for by in DecidedBy], "Who gave it the role."),
            "reason": _text("Why; empty where nobody said."),
            "type": _one_of([kind.value for kind in ValueType], "What its values are."),
            "distinct": _count("Number of distinct values, missing ones not counted."),
            "missing": _count("Number of records without a value."),
            "not_a_number": _count("Number of records with a floating-point NaN."),
            "risk": _number("Mean over records of 1/class size on this column alone.", minimum=0, maximum=1),
        },
    )


def _object(description: str, properties: Shape) -> Shape:
    return {
        "description": description,
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(description: str) -> Shape:
    return {"type": "string", "description": description}


def _flag(description: str) -> Shape:
    return {"type": "boolean", "description": description}


def _count(description: str) -> Shape:
    return {"type": "integer", "minimum": 0, "description": description}


def _number(description: str, **limits: float) -> Shape:
    return {"type": "number", **limits, "description": description}


def _one_of(values: list[str], description: str) -> Shape:
    return {"enum": values, "description": description}


def _list(items: Shape, description: str) -> Shape:
    return {"type": "array", "items": items, "description": description}


def _nullable(shape: Shape) -> Shape:
    return {"anyOf": [shape, {"type": "null"}]}

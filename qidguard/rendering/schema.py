"""The JSON Schema of the audit document."""

import json
from importlib import resources

from qidguard.core.errors import ExitCode
from qidguard.core.role import Role
from qidguard.core.verdict import Bound
from qidguard.rendering.column_shape import column_shape
from qidguard.rendering.document import FORMAT
from qidguard.rendering.shape import (
    Shape,
    a_count,
    a_flag,
    a_list,
    a_number,
    a_text,
    an_object,
    nullable,
    one_of,
)

FILE = "audit-1.schema.json"
"""Name of the published schema beside this module."""


def published_audit_schema() -> str:
    """Return the text of the published schema, as it lies in the package."""
    return resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")


def audit_schema_text() -> str:
    """Return what the published schema must hold."""
    return json.dumps(audit_schema(), indent=2) + "\n"


def audit_schema() -> Shape:
    """Return the JSON Schema (draft 2020-12) of what ``--format json`` writes."""
    schema = an_object(
        "The result of one audit: counts, sizes, rates and column names, never values of the table.",
        {
            "format": {"const": FORMAT, "description": "Name and version of this document."},
            "source": a_text("What was audited, as the user named it."),
            "outcome": one_of(
                ["passed", "blocked", "described"], "described: no policy was given, so nothing was judged."
            ),
            "exit_code": {
                "enum": [int(code) for code in ExitCode],
                "description": "0 passed or described, 1 blocked, 3 blocked by a fault of our own.",
            },
            "policy": nullable(_policy()),
            "table": _table(),
            "is_auto": a_flag("Whether recognizers chose the QIDs."),
            "thresholds": a_list(_threshold(), "Every limit of the policy with its figure."),
            "blocks": a_list(_block(), "Reasons to block that are no threshold."),
            "undone": a_list(_undone(), "What published columns tell of generalized QIDs."),
            "read_backs": a_list(
                _read_back(),
                "The thresholds once what undoes a generalization is read back: where that decides, and"
                " where a person accepted it.",
            ),
            "outside_qids": nullable(_outside()),
            "accepted": a_list(_accepted(), "What the policy accepts of published columns."),
            "classes": a_list(_classes(), "The equivalence classes of each QID combination."),
            "columns": a_list(column_shape(), "All columns in the table's order."),
            "notes": a_list(a_text("A sentence worth reading that does not block."), "Notes."),
            "engine": a_text("Name of the engine that read and grouped the table."),
            "versions": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Version of the host and of every plugin that was loaded, by name.",
            },
            "seconds": a_number("Wall time of the audit, in seconds.", minimum=0),
        },
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{FORMAT.replace('/', ':')}",
        "title": FORMAT,
        **schema,
    }


def _policy() -> Shape:
    return an_object(
        "The policy that was judged by.",
        {
            "name": a_text("Its name."),
            "sha256": nullable(a_text("SHA-256 of its text, hexadecimal.")),
            "preset": nullable(a_text("The preset that it builds on.")),
        },
    )


def _table() -> Shape:
    return an_object(
        "The size of the table.",
        {
            "records": a_count("Number of records."),
            "entities": nullable(a_count("Number of entities; null without an entity column.")),
            "columns": a_count("Number of columns."),
            "person": one_of(["records", "entities"], "What counts as a person."),
        },
    )


def _threshold() -> Shape:
    return an_object(
        "One limit and its figure.",
        {
            "metric": a_text("The metric's name."),
            "title": a_text("The metric's title; empty where only its name is known."),
            "combination": a_text("The QID combination's name."),
            "qids": a_list(
                a_text("A column."), "The columns it was measured over; of a subset attack, the worst."
            ),
            "sensitive": nullable(a_text("The sensitive attribute.")),
            "arguments": {
                "type": "object",
                "additionalProperties": {"type": ["number", "string", "boolean"]},
                "description": "The metric's parameters.",
            },
            "value": nullable(a_number("The figure in `unit`, shares 0..1; null where `reason` says why.")),
            "reason": a_text("Why there is no value; empty where there is one."),
            "unit": a_text("records, entities, share, classes, values, columns, nats, bits, ratio or score."),
            "bound": one_of([bound.value for bound in Bound], "Which side of the limit is allowed."),
            "limit": a_number("The limit in `unit`; itself allowed."),
            "distance": nullable(a_number("value − limit in `unit`; null where there is no value.")),
            "is_met": a_flag("Whether the limit holds."),
            "is_warning": a_flag("Whether a missed limit only warns."),
            "is_fault": a_flag("Whether there is no value because a plugin failed."),
            "subsets": {
                **a_count("Number of QID subsets that were measured to find the worst."),
                "minimum": 1,
            },
            "sentence": a_text("The same in words."),
        },
    )


def _block() -> Shape:
    return an_object(
        "One reason.",
        {
            "rule": a_text("Short name of the rule."),
            "sentence": a_text("The rule, the value, the remedy."),
            "is_internal": a_flag("Whether a plugin or qidguard itself failed."),
        },
    )


def _undone() -> Shape:
    return an_object(
        "One published column, or two together, that tell a generalized QID.",
        {
            "columns": a_list(a_text("A published column."), "The columns that tell."),
            "qid": a_text("The QID whose original values they tell."),
            "persons": a_count("Persons whose original value is told, and told right."),
            "generalized": a_count("Persons in whom the QID was generalized."),
            "precision": a_number("Share of what is told that is right.", minimum=0, maximum=1),
            "is_undone": a_flag("Whether so much is told that the QID counts as published."),
            "accepted": nullable(a_text("The words in which a person accepts it, and who.")),
            "sentence": a_text("The same in words."),
        },
    )


def _read_back() -> Shape:
    return an_object(
        "The thresholds over the table with what is told in its place.",
        {
            "columns": a_list(a_text("A published column."), "The columns that tell."),
            "qids": a_list(a_text("A QID."), "The QIDs that were read back."),
            "is_accepted": a_flag("Whether what a person accepted was read back, too; it blocks nothing."),
            "is_met": a_flag("Whether no threshold keeps the table back."),
            "thresholds": a_list(
                _threshold(), "The thresholds that can be measured again, none over time or on what was lost."
            ),
            "uniques": a_count("Persons who are alone in a class of the main combination."),
            "below": nullable(a_count("Persons in classes below the policy's k; null where it has none.")),
            "sentence": a_text("The same in words."),
        },
    )


def _outside() -> Shape:
    return an_object(
        "What is published outside the QIDs; null where nobody looked at it.",
        {
            "told_apart": a_list(
                _told_apart(),
                "Whom it tells apart: by what somebody may know, then with sensitive attributes where these"
                " tell more.",
            ),
            "identifying": a_list(
                _identifying(), "Columns that identify people by themselves; each blocks until accepted."
            ),
        },
    )


def _told_apart() -> Shape:
    smallest = an_object(
        "A small set of columns.",
        {
            "columns": a_list(a_text("A column."), "The columns."),
            "alone": a_count("Persons who are alone on them."),
        },
    )
    return an_object(
        "Whom some published columns tell apart together.",
        {
            "columns": a_list(a_text("A column."), "The columns; none that is accepted by itself."),
            "has_sensitive": a_flag("Whether sensitive attributes are among them."),
            "alone": a_count("Persons who are alone on all of them."),
            "persons": a_count("Persons who were looked at."),
            "share": a_number("alone / persons; 0 where there is nobody.", minimum=0, maximum=1),
            "smallest": a_list(smallest, "The smallest sets that tell most of them apart."),
            "sentence": a_text("The same in words."),
        },
    )


def _identifying() -> Shape:
    return an_object(
        "One column.",
        {
            "column": a_text("Its name."),
            "role": one_of([role.value for role in Role], "What it is called."),
            "reason": a_text("Why it identifies people, without a value."),
            "alone": nullable(a_count("Persons whose value nobody else has; null for another reason.")),
            "persons": nullable(a_count("Persons with a value; null for another reason.")),
            "accepted": nullable(a_text("The words in which a person accepts it, and who.")),
            "sentence": a_text("The same in words, with what to do."),
        },
    )


def _accepted() -> Shape:
    return an_object(
        "What a person accepts.",
        {
            "columns": a_list(a_text("A published column."), "One column, or two together."),
            "tells": nullable(a_text("The QID that they tell; null where the column itself is accepted.")),
            "reason": a_text("Why, in words."),
            "by": nullable(a_text("Who accepts it.")),
            "is_needed": nullable(
                a_flag(
                    "Whether something would block or decide without it; null where nothing was transformed."
                )
            ),
        },
    )


def _classes() -> Shape:
    return an_object(
        "The classes of one QID combination.",
        {
            "combination": a_text("Its name."),
            "qids": a_list(a_text("A column."), "The columns."),
            "classes": a_count("Number of classes."),
            "smallest": a_count("Persons in the smallest class."),
            "uniques": a_count("Persons who are alone in a class."),
        },
    )
